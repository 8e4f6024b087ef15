# Tools: where kopt and kopt-source come from. With find_package() they are there already, in the build or install tree of the
# package. As a part of the user's project (add_subdirectory, FetchContent) they are made by child builds, each in a folder,
# with a compiler and a cache of its own, when something needs them: kopt, without LLVM, for accepted variants; kopt-source
# for kopt-extract and what follows from it.
#
# What is known of them is kept in global properties, since imported targets are known only below find_package()'s directory:
#   KOPT_PROGRAM, KOPT_SOURCE_PROGRAM                the files; the second is unset where there is no kopt-source
#   KOPT_PROGRAM_TARGET, KOPT_SOURCE_PROGRAM_TARGET  the targets that make them; empty where they are there already
#   KOPT_TEMPLATES                                   the folder templates/
#   KOPT_PACKAGE_ERROR                               why the package cannot be used; empty if it can
include_guard(GLOBAL)
set_property(GLOBAL PROPERTY KOPT_MODULES "${CMAKE_CURRENT_LIST_DIR}")

# Called by find_package(), with the folder templates/ as seen from the package's file. The CMake variables KOPT_PROGRAM and
# KOPT_SOURCE_PROGRAM name other programs than the package's own.
function(_kopt_set_up_package templates)
  cmake_path(ABSOLUTE_PATH templates BASE_DIRECTORY "${CMAKE_CURRENT_LIST_DIR}" NORMALIZE)
  set(program "${KOPT_PROGRAM}")
  if(NOT program AND TARGET KernelOpt::kopt)
    get_target_property(program KernelOpt::kopt LOCATION)
  endif()
  set(source_program "${KOPT_SOURCE_PROGRAM}")
  if(NOT source_program AND TARGET KernelOpt::kopt-source)
    get_target_property(source_program KernelOpt::kopt-source LOCATION)
  endif()
  _kopt_declare_tools("${templates}")
  _kopt_use_built_tools("${program}" "${source_program}" "Build KernelOpt first: cmake --build <its build folder>.")
endfunction()

# Called by KernelOpt's CMakeLists.txt where it is part of another project.
function(_kopt_set_up_subproject)
  set(KOPT_TOOLS_DIR "" CACHE PATH "Folder with bin/kopt and bin/kopt-source to use instead of building them")
  set(KOPT_TOOLS_BUILD_TYPE Release CACHE STRING "Build type of KernelOpt's tools")
  set(KOPT_TOOLS_CXX_COMPILER "" CACHE FILEPATH "C++20 compiler for KernelOpt's tools; default: as CMake finds it")
  set(KOPT_TOOLS_C_COMPILER "" CACHE FILEPATH "C compiler for KernelOpt's tools; default: as CMake finds it")
  set(KOPT_TOOLS_GENERATOR "" CACHE STRING "Generator for KernelOpt's tools; default: Ninja or Unix Makefiles, as here")
  set(KOPT_TOOLS_ARGUMENTS "" CACHE STRING "Further arguments for configuring KernelOpt's tools, such as -DLLVM_DIR=<dir>")
  mark_as_advanced(KOPT_TOOLS_DIR KOPT_TOOLS_BUILD_TYPE KOPT_TOOLS_CXX_COMPILER KOPT_TOOLS_C_COMPILER KOPT_TOOLS_GENERATOR
                   KOPT_TOOLS_ARGUMENTS)
  _kopt_declare_tools("${CMAKE_CURRENT_SOURCE_DIR}/templates")
  set(program "${KOPT_PROGRAM}")
  set(source_program "${KOPT_SOURCE_PROGRAM}")
  if(KOPT_TOOLS_DIR AND NOT program)
    set(program "${KOPT_TOOLS_DIR}/bin/kopt")
    set(source_program "${KOPT_TOOLS_DIR}/bin/kopt-source")
  endif()
  if(program)
    set(remedy "Give KOPT_TOOLS_DIR a folder with bin/kopt, or none to build it here.")
    _kopt_use_built_tools("${program}" "${source_program}" "${remedy}")
    get_property(error GLOBAL PROPERTY KOPT_PACKAGE_ERROR)
    if(error)
      message(FATAL_ERROR "${error}")
    endif()
  else()
    _kopt_add_child_build(kopt KOPT_PROGRAM)
    _kopt_add_child_build(kopt-source KOPT_SOURCE_PROGRAM)
    add_custom_target(kopt-tools)
    set_property(TARGET kopt-tools PROPERTY FOLDER KernelOpt)
    add_dependencies(kopt-tools kopt-tools-kopt kopt-tools-kopt-source)
  endif()
endfunction()

# What both ways have in common: the target properties that hold the defaults of keywords and options.
function(_kopt_declare_tools templates)
  set_property(GLOBAL PROPERTY KOPT_TEMPLATES "${templates}")
  get_property(options GLOBAL PROPERTY KOPT_OPTIONS)
  foreach(name IN LISTS options ITEMS platform run validate tests cases held_out variants_dir template)
    string(TOUPPER "KOPT_${name}" property)
    define_property(TARGET PROPERTY ${property} INITIALIZE_FROM_VARIABLE ${property})
  endforeach()
endfunction()

function(_kopt_use_built_tools program source_program remedy)
  set_property(GLOBAL PROPERTY KOPT_PACKAGE_ERROR "")
  if(EXISTS "${program}")
    set_property(GLOBAL PROPERTY KOPT_PROGRAM "${program}")
  elseif(NOT DEFINED KOPT_ENABLED OR KOPT_ENABLED) # else nothing runs it
    set_property(GLOBAL PROPERTY KOPT_PACKAGE_ERROR "The program kopt (${program}) is not there. ${remedy}")
  endif()
  if(EXISTS "${source_program}")
    set_property(GLOBAL PROPERTY KOPT_SOURCE_PROGRAM "${source_program}")
  endif()
  set_property(GLOBAL PROPERTY KOPT_PROGRAM_TARGET "")
  set_property(GLOBAL PROPERTY KOPT_SOURCE_PROGRAM_TARGET "")
endfunction()

# The target kopt-tools-<name>, outside ALL, which makes the program in a child build when something depends on it, and again
# when KernelOpt's sources or the settings change. A build that links nothing new leaves the program, and what was made with it,
# alone.
function(_kopt_add_child_build name property)
  get_property(modules GLOBAL PROPERTY KOPT_MODULES)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/tools/${name}")
  set(program "${folder}/bin/${name}")
  set(generator "${KOPT_TOOLS_GENERATOR}")
  if(NOT generator)
    set(generator "Unix Makefiles")
    if(CMAKE_GENERATOR MATCHES Ninja)
      set(generator Ninja)
    endif()
  endif()
  file(CONFIGURE OUTPUT "${folder}-settings.cmake" CONTENT [==[
set(name [=[@name@]=])
set(source [=[@CMAKE_CURRENT_SOURCE_DIR@]=])
set(folder [=[@folder@]=])
set(generator [=[@generator@]=])
set(user_generator [=[@CMAKE_GENERATOR@]=])
set(user_make_program [=[@CMAKE_MAKE_PROGRAM@]=])
set(cross_compiling [=[@CMAKE_CROSSCOMPILING@]=])
set(build_type [=[@KOPT_TOOLS_BUILD_TYPE@]=])
set(c_compiler [=[@KOPT_TOOLS_C_COMPILER@]=])
set(cxx_compiler [=[@KOPT_TOOLS_CXX_COMPILER@]=])
set(arguments [=[@KOPT_TOOLS_ARGUMENTS@]=])
]==] @ONLY)
  set(patterns CMakeLists.txt *.cpp *.h)
  list(TRANSFORM patterns PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/tools/")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${patterns})
  add_custom_command(
    OUTPUT "${folder}.stamp"
    BYPRODUCTS "${program}"
    COMMAND "${CMAKE_COMMAND}" -D "SETTINGS=${folder}-settings.cmake" -P "${modules}/KernelOptBuildTools.cmake"
    COMMAND "${CMAKE_COMMAND}" -E touch "${folder}.stamp"
    DEPENDS "${folder}-settings.cmake" "${modules}/KernelOptBuildTools.cmake" "${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt"
            ${sources}
    COMMENT "Building KernelOpt's ${name}"
    USES_TERMINAL VERBATIM)
  add_custom_target(kopt-tools-${name} DEPENDS "${folder}.stamp")
  set_property(TARGET kopt-tools-${name} PROPERTY FOLDER KernelOpt)
  set_property(GLOBAL PROPERTY ${property} "${program}")
  set_property(GLOBAL PROPERTY ${property}_TARGET kopt-tools-${name})
endfunction()

# Lets a target wait for a program (KOPT_PROGRAM or KOPT_SOURCE_PROGRAM) that has yet to be made.
function(_kopt_needs_program target program)
  get_property(maker GLOBAL PROPERTY ${program}_TARGET)
  if(maker)
    add_dependencies(${target} ${maker})
  endif()
endfunction()

# Where a program that was there disappears, the project is configured again, and that says what is missing.
function(_kopt_watch_programs)
  foreach(program IN ITEMS KOPT_PROGRAM KOPT_SOURCE_PROGRAM)
    get_property(maker GLOBAL PROPERTY ${program}_TARGET)
    get_property(file GLOBAL PROPERTY ${program})
    if(file AND NOT maker)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    endif()
  endforeach()
endfunction()
