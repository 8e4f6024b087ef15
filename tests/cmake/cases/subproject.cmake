# KernelOpt as a part of the user's project: only its functions enter, and the tools are built apart when something needs them.
# The tools are stood in for by programs that compile in no time.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
set(tools)
set(kernelopt ${WORK}/KernelOpt)

# The user's project and a copy of KernelOpt with other tools.
function(start_with_sources)
  start(subproject)
  file(COPY ${root}/CMakeLists.txt ${root}/cmake ${root}/templates ${CMAKE_CURRENT_LIST_DIR}/../stand_in/tools
       DESTINATION ${kernelopt})
  file(COPY_FILE ${stand_in} ${kernelopt}/stand_in_kopt)
endfunction()

# Configures the project, whose settings are not those of the tools.
macro(configure_with how no_llvm)
  file(WRITE ${WORK}/settings.cmake
       "set(KOPT_TOOLS_ARGUMENTS \"-DNO_LLVM=${no_llvm};-DEXTRA=a b\" CACHE STRING \"\" FORCE)\n")
  configure(-C ${WORK}/settings.cmake -D HOW=${how} -D KERNELOPT=${kernelopt} -D CMAKE_CXX_FLAGS=-DUSERS=1
            -D CMAKE_BUILD_TYPE=Debug ${ARGN})
endmacro()

# exists(<file>...), absent(<file>...): whether they are there.
function(exists)
  foreach(file IN LISTS ARGN)
    if(NOT EXISTS ${file})
      message(FATAL_ERROR "${file} is not there")
    endif()
  endforeach()
endfunction()
function(absent)
  foreach(file IN LISTS ARGN)
    if(EXISTS ${file})
      message(FATAL_ERROR "${file} is there")
    endif()
  endforeach()
endfunction()

function(calls_of_kopt expected)
  set(count 0)
  if(EXISTS ${WORK}/log)
    file(STRINGS ${WORK}/log lines)
    list(LENGTH lines count)
    file(REMOVE ${WORK}/log)
  endif()
  expect_equal("number of calls of kopt" ${count} ${expected})
endfunction()

start_with_sources()
set(programs ${build}/KernelOpt/tools)
configure_with(add_subdirectory ON)
build()
application_prints("6")
absent(${programs}/kopt ${programs}/kopt-source) # nothing is accepted
run(PRINTS "kopt is not built (target kopt-tools-kopt)" "kopt.app.twice.fresh (Skipped)" "100% tests passed"
    COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${build} -V)

# An accepted variant needs kopt, and kopt no LLVM.
accept(${source}/kopt/app/twice kernels.cpp "#define VARIANT 100")
build()
application_prints("106")
exists(${programs}/kopt/bin/kopt)
absent(${programs}/kopt-source)
file(READ ${programs}/kopt/built-with built_with)
expect_equal("what kopt was built with and what is expected" "${built_with}" "${COMPILER};Release;;a b")
run(PRINTS "no work to do" COMMAND ninja -C ${build})
run(PRINTS "fresh of twice" COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${build} -V -R fresh)
file(REMOVE ${WORK}/log)

# KernelOpt's sources change: kopt is built again; what was made with it only if it is another program.
file(APPEND ${kernelopt}/tools/CMakeLists.txt "# nothing new\n")
run(PRINTS "Building KernelOpt's kopt" COMMAND ninja -C ${build})
calls_of_kopt(0)
run(PRINTS "no work to do" COMMAND ninja -C ${build})
file(APPEND ${kernelopt}/tools/main.cpp "int more = 1;\n")
build()
calls_of_kopt(1)
run(PRINTS "no work to do" COMMAND ninja -C ${build})

# kopt-source is built when it is needed; where it cannot be, that says why, and nothing else breaks.
run(FAILS PRINTS "no LLVM here" "kopt-source, which KernelOpt needs here, could not be configured in ${programs}/kopt-source"
    "KOPT_TOOLS_DIR=<folder>" COMMAND ninja -C ${build} kopt-tune)
build()
configure_with(add_subdirectory OFF)
run(PRINTS "stand-in: tune of" COMMAND ninja -C ${build} kopt-tune)
exists(${programs}/kopt-source/bin/kopt-source)
build(kopt-tools kopt-validate)
build(install) # what is installed is the user's
run(LACKS kopt PRINTS bin/app COMMAND ${CMAKE_COMMAND} --install ${build} --prefix ${WORK}/installed)

# The other ways in, and the other generators. Nothing is downloaded.
file(REMOVE_RECURSE ${build})
configure_with(fetch OFF -D FETCHCONTENT_SOURCE_DIR_KERNELOPT=${kernelopt} -G "Unix Makefiles")
run(COMMAND ${CMAKE_COMMAND} --build ${build} -j2)
application_prints("106")
run(PRINTS "stand-in: tune of" COMMAND ${CMAKE_COMMAND} --build ${build} --target kopt-tune)
file(REMOVE_RECURSE ${build})
configure_with(find_package OFF -G "Ninja Multi-Config")
run(COMMAND ${CMAKE_COMMAND} --build ${build} --config Release)
run(PRINTS 106 COMMAND ${build}/Release/app 3)

# Tools that were built elsewhere.
file(REMOVE_RECURSE ${build})
configure_with(add_subdirectory OFF -D KOPT_TOOLS_DIR=${WORK}/built FAILS
               PRINTS "The program kopt (${WORK}/built/bin/kopt) is not there. Give KOPT_TOOLS_DIR a folder with bin/kopt")
file(COPY ${stand_in} DESTINATION ${WORK}/built/bin)
configure_with(add_subdirectory OFF -D KOPT_TOOLS_DIR=${WORK}/built)
build()
application_prints("106")
absent(${programs})
run(FAILS PRINTS "kopt-tune: this KernelOpt was built without kopt-source" COMMAND ninja -C ${build} kopt-tune)
