# What every case uses. A case is a script run with -D PACKAGE=<build or install tree of KernelOpt>, WORK=<folder of its own>,
# FACTS=<kopt_core_facts>, COMPILER=<C++ compiler>, TREE=<build or install>.
cmake_minimum_required(VERSION 3.25)
set(stand_in ${CMAKE_CURRENT_LIST_DIR}/../stand_in/kopt)
set(projects ${CMAKE_CURRENT_LIST_DIR}/../projects)
cmake_path(SET root NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../../..)
set(ENV{KOPT_STAND_IN_LOG} ${WORK}/log)
set(ENV{CCACHE_DISABLE} 1) # object files are compared
set(tools -D KOPT_PROGRAM=${stand_in} -D KOPT_SOURCE_PROGRAM=${stand_in})
set(source ${WORK}/source)
set(build ${WORK}/build)
set(generator Ninja)

# start(<project>): a fresh copy of a project in ${source}, nothing in ${build}.
function(start project)
  file(REMOVE_RECURSE ${WORK})
  file(MAKE_DIRECTORY ${WORK})
  file(COPY ${projects}/${project}/ DESTINATION ${source})
endfunction()

# run(<name> [FAILS] [PRINTS <text>...] COMMAND <word>...): runs a command; its output is ${output}. Each text must be in it,
# white space aside.
function(run)
  cmake_parse_arguments(PARSE_ARGV 0 arg FAILS "" "PRINTS;LACKS;COMMAND")
  execute_process(COMMAND ${arg_COMMAND} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  list(JOIN arg_COMMAND " " shown)
  if(arg_FAILS AND result EQUAL 0)
    message(FATAL_ERROR "This should have failed: ${shown}\n${output}")
  elseif(NOT arg_FAILS AND NOT result EQUAL 0)
    message(FATAL_ERROR "This failed (${result}): ${shown}\n${output}")
  endif()
  string(REGEX REPLACE "[ \n]+" " " flat "${output}")
  foreach(text IN LISTS arg_PRINTS)
    string(FIND "${flat}" "${text}" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "\"${text}\" is not in the output of: ${shown}\n${output}")
    endif()
  endforeach()
  foreach(text IN LISTS arg_LACKS)
    string(FIND "${flat}" "${text}" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "\"${text}\" is in the output of: ${shown}\n${output}")
    endif()
  endforeach()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# configure(<argument>...): cmake on ${source} with the stand-in; an argument FAILS or PRINTS begins those of run().
macro(configure)
  cmake_parse_arguments(configure FAILS "" "PRINTS;LACKS" ${ARGN})
  set(configure_flags)
  if(configure_FAILS)
    set(configure_flags FAILS)
  endif()
  run(${configure_flags} PRINTS ${configure_PRINTS} LACKS ${configure_LACKS}
      COMMAND ${CMAKE_COMMAND} -G ${generator} -S ${source} -B ${build} -D CMAKE_PREFIX_PATH=${PACKAGE}
              -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_BUILD_TYPE=Release ${tools} ${configure_UNPARSED_ARGUMENTS})
endmacro()

# build(<target>...): ninja in ${build}. build_prints(<text> <target>...), build_fails(<text> <target>...) check what it says.
macro(build)
  run(COMMAND ninja -C ${build} ${ARGN})
endmacro()

# The application prints this.
macro(application_prints text)
  run(PRINTS ${text} COMMAND ${build}/app 3)
endmacro()

# accept(<folder of the store> <source> <text>): puts a record with a variant into the store.
function(accept folder source_name text)
  execute_process(COMMAND uname -m OUTPUT_VARIABLE arch OUTPUT_STRIP_TRAILING_WHITESPACE)
  file(WRITE ${folder}/${arch}/variant.cpp "${text}\n")
  file(WRITE ${folder}/${arch}/plan.txt "call kopt_variant\n")
  file(WRITE ${folder}/${arch}/record.json
       "{\"source\": \"${source_name}\", \"variant\": {\"file\": \"variant.cpp\", \"plan\": \"plan.txt\"}}\n")
endfunction()

function(expect_equal what first second)
  if(NOT "${first}" STREQUAL "${second}")
    message(FATAL_ERROR "${what} differ:\n${first}\n--- and ---\n${second}")
  endif()
endfunction()
