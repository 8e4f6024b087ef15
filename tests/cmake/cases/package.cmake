# The package itself: it says what is missing, and leaves nothing behind in the user's scope.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

# find(<text of CMakeLists.txt> [argument of configure...])
function(find text)
  file(REMOVE_RECURSE ${WORK})
  file(WRITE ${source}/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\nproject(package LANGUAGES NONE)\n${text}\n")
  configure(${ARGN})
endfunction()

find("find_package(KernelOpt 0.1 REQUIRED COMPONENTS Optimize Extract)")
find("find_package(KernelOpt 1.0 REQUIRED)" FAILS PRINTS "compatible with requested version \"1.0\"")
find("find_package(KernelOpt REQUIRED COMPONENTS Magic)" FAILS
     PRINTS "has no component Magic. Components are Optimize and Extract")
find("find_package(KernelOpt REQUIRED COMPONENTS Extract)" -D KOPT_SOURCE_PROGRAM=${WORK}/absent FAILS PRINTS "LLVM 22")
find("find_package(KernelOpt REQUIRED)" -D KOPT_PROGRAM=${WORK}/absent FAILS
     PRINTS "The program kopt (${WORK}/absent) is not there. Build KernelOpt first")
find("find_package(KernelOpt)\nif(KernelOpt_FOUND)\n  message(FATAL_ERROR found)\nendif()" -D KOPT_PROGRAM=${WORK}/absent)
find("find_package(KernelOpt REQUIRED)\nadd_custom_target(y)\nkopt_optimize_target(y KERNELS foo)" FAILS
     PRINTS "y compiles no sources (UTILITY)")

# Nothing but KernelOpt_... and KOPT_... is set, no language is enabled, no property of the directory changes.
find([[
get_cmake_property(before VARIABLES)
get_property(languages_before GLOBAL PROPERTY ENABLED_LANGUAGES)
find_package(KernelOpt REQUIRED)
get_cmake_property(after VARIABLES)
get_property(languages_after GLOBAL PROPERTY ENABLED_LANGUAGES)
list(REMOVE_ITEM after ${before} before languages_before)
list(FILTER after EXCLUDE REGEX "^(KernelOpt|KOPT)_")
list(FILTER after EXCLUDE REGEX "^CMAKE_(CURRENT_LIST|PARENT_LIST)|^_*CMAKE_")
if(after OR NOT "${languages_before}" STREQUAL "${languages_after}")
  message(FATAL_ERROR "find_package(KernelOpt) leaves behind: ${after}")
endif()
foreach(property IN ITEMS COMPILE_OPTIONS COMPILE_DEFINITIONS INCLUDE_DIRECTORIES LINK_OPTIONS)
  get_directory_property(value ${property})
  if(value)
    message(FATAL_ERROR "find_package(KernelOpt) sets ${property}: ${value}")
  endif()
endforeach()
find_package(KernelOpt REQUIRED)
]])
