# The real kopt-source finds a source's flags however the build is set up: in a unity source, behind response files, for the
# right one of several configurations, behind a launcher, from a toolchain file, and when the source is swapped.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
set(tools)
string(APPEND WORK " ü") # paths with spaces and more
set(source ${WORK}/source)
set(build ${WORK}/build)
start(forms)
set(common "-I${source}/lib")

# extracts(<what> <flags expected>): the model's arguments, and its compiler; the build folder is thrown away.
function(extracts what expected)
  message(STATUS "${what}")
  run(COMMAND ${CMAKE_COMMAND} --build ${build} --config Release --target kopt-extract)
  file(GLOB_RECURSE models ${build}/kopt/kernels/*model.json)
  file(READ ${models} model)
  string(JSON compiler GET "${model}" compile compiler)
  string(JSON count LENGTH "${model}" compile arguments)
  math(EXPR last "${count} - 1")
  set(arguments "")
  foreach(i RANGE ${last})
    string(JSON argument GET "${model}" compile arguments ${i})
    list(APPEND arguments "${argument}")
  endforeach()
  expect_equal("${what}: flags and what is expected" "${arguments}" "${expected}")
  if(NOT compiler MATCHES "[+][+]$")
    message(FATAL_ERROR "${what}: the compiler would be ${compiler}")
  endif()
  file(REMOVE_RECURSE ${build})
endfunction()

configure()
extracts("Ninja" "${common};-O3;-DNDEBUG;-fvisibility=hidden")

configure(-D CMAKE_BUILD_TYPE=)
extracts("no build type" "${common};-fvisibility=hidden")

configure(-D CMAKE_UNITY_BUILD=ON -D PCH=ON)
extracts("unity build with precompiled header" "-DNEEDS_PCH;${common};-O3;-DNDEBUG;-fvisibility=hidden")

configure(-D TYPE=SHARED)
extracts("shared library" "-Dkernels_EXPORTS;${common};-O3;-DNDEBUG;-fPIC;-fvisibility=hidden")

set(generator "Unix Makefiles")
configure(-D CMAKE_CXX_USE_RESPONSE_FILE_FOR_INCLUDES=1 -D CMAKE_CXX_USE_RESPONSE_FILE_FOR_OBJECTS=1)
file(READ ${build}/compile_commands.json text)
if(NOT text MATCHES "@CMakeFiles/kernels.dir/includes_CXX.rsp")
  message(FATAL_ERROR "no response file to test with:\n${text}")
endif()
extracts("Unix Makefiles with response files" "${common};-O3;-DNDEBUG;-fvisibility=hidden")

set(generator "Ninja Multi-Config")
configure(-D CMAKE_CXX_FLAGS_DEBUG=-O1 -D CMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1)
extracts("Ninja Multi-Config" "-DCMAKE_INTDIR=\"Release\";${common};-O3;-DNDEBUG;-fvisibility=hidden")
set(generator Ninja)

# kopt integrate warns of the record, which is none, and makes a source to build all the same.
accept(${source}/lib/kopt/kernels/twice twice.cpp "")
configure()
run(PRINTS "warning: kopt builds the original of" COMMAND ninja -C ${build})
extracts("swapped" "${common};-O3;-DNDEBUG;-fvisibility=hidden")
file(REMOVE_RECURSE ${source}/lib/kopt)

find_program(ccache ccache)
if(ccache)
  configure(-D CMAKE_CXX_COMPILER_LAUNCHER=${ccache})
  extracts("launcher" "${common};-O3;-DNDEBUG;-fvisibility=hidden")
  run(COMMAND ${CMAKE_COMMAND} -E env "CXX=${ccache} c++" ${CMAKE_COMMAND} -G Ninja -S ${source} -B ${build}
              -D CMAKE_PREFIX_PATH=${PACKAGE} -D CMAKE_BUILD_TYPE=Release)
  extracts("compiler behind a launcher" "${common};-O3;-DNDEBUG;-fvisibility=hidden")
endif()

execute_process(COMMAND ${CMAKE_COMMAND} --preset tools -D CMAKE_PREFIX_PATH=${PACKAGE} WORKING_DIRECTORY ${source}
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
extracts("preset with a toolchain file" "${common};-DFROM_TOOLCHAIN=1;-O3;-DNDEBUG;-fvisibility=hidden")
