# Builds one of KernelOpt's programs for a project that contains KernelOpt's sources:
#   cmake -D SETTINGS=<file> -P KernelOptBuildTools.cmake
# The settings are written by KernelOptTools.cmake. Nothing of the project around it reaches the child build: not its compiler,
# flags, build type or toolchain file, nor those that the environment holds for it.
cmake_minimum_required(VERSION 3.25)
include("${SETTINGS}")

set(environment --unset=CFLAGS --unset=CXXFLAGS --unset=CPPFLAGS --unset=LDFLAGS --unset=CMAKE_TOOLCHAIN_FILE
                --unset=CMAKE_GENERATOR --unset=CMAKE_BUILD_TYPE --unset=MAKEFLAGS --unset=MAKELEVEL --unset=DESTDIR)
if(cross_compiling) # then so do the compilers in the environment
  list(APPEND environment --unset=CC --unset=CXX)
endif()
set(definitions -D KOPT_BUILD_TESTS=OFF -D KOPT_BUILD_SOURCE=OFF -D CMAKE_BUILD_TYPE=${build_type})
if(name STREQUAL kopt-source)
  list(APPEND definitions -D KOPT_BUILD_SOURCE=ON)
endif()
if(c_compiler)
  list(APPEND definitions -D "CMAKE_C_COMPILER=${c_compiler}")
endif()
if(cxx_compiler)
  list(APPEND definitions -D "CMAKE_CXX_COMPILER=${cxx_compiler}")
endif()
if(user_generator MATCHES "Ninja" AND generator STREQUAL Ninja) # it need not be in PATH
  list(APPEND definitions -D "CMAKE_MAKE_PROGRAM=${user_make_program}")
endif()

# run(<what is being done> <argument of cmake>...)
function(run what)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env ${environment} "${CMAKE_COMMAND}" ${ARGN} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${name}, which KernelOpt needs here, could not be ${what} in ${folder}: see above.\n\
${source}/scripts/setup installs what it is built with on Debian 12 (kopt-source alone needs LLVM 22). \
KOPT_TOOLS_CXX_COMPILER and KOPT_TOOLS_ARGUMENTS change how it is built; \
KOPT_TOOLS_DIR=<folder> uses <folder>/bin/kopt and <folder>/bin/kopt-source instead of building them.")
  endif()
endfunction()

if(EXISTS "${folder}/CMakeCache.txt")
  file(STRINGS "${folder}/CMakeCache.txt" earlier_generator REGEX "^CMAKE_GENERATOR:INTERNAL=")
  if(NOT earlier_generator STREQUAL "CMAKE_GENERATOR:INTERNAL=${generator}")
    file(REMOVE_RECURSE "${folder}")
  endif()
endif()
run(configured -G "${generator}" -S "${source}" -B "${folder}" ${definitions} ${arguments})
set(parallel)
if("$ENV{CMAKE_BUILD_PARALLEL_LEVEL}" STREQUAL "" AND NOT generator STREQUAL Ninja)
  cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
  set(parallel --parallel ${cores})
endif()
run(built --build "${folder}" --config "${build_type}" --target ${name} ${parallel})
