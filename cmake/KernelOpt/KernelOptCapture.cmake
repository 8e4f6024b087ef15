# Capture: kopt-probed-<target>, a copy of the application that records the arguments of kernel calls. The target's sources that
# mention a kernel are replaced by what `kopt probe` makes of them and compiled under AddressSanitizer, which knows where each
# object begins and ends; the application's other objects are linked as they are.
include_guard(GLOBAL)

# Adds the probed application, outside ALL, and sets the property KOPT_CAPTURE_TARGET; leaves both undone where it cannot be (no
# application, no kopt-source, a module, or libraries that are known only in the application's own, finished directory).
function(_kopt_add_capture target)
  _kopt_application(${target} application)
  get_target_property(type ${target} TYPE)
  get_property(can_extract GLOBAL PROPERTY KOPT_SOURCE_PROGRAM SET)
  if(NOT application OR NOT can_extract OR CMAKE_CROSSCOMPILING)
    return()
  elseif(type STREQUAL MODULE_LIBRARY)
    message(STATUS "${target}: no capture, since a module is loaded by name; give CASES")
    return()
  endif()
  foreach(user IN ITEMS ${target} ${application})
    _kopt_foreign_libraries(${user} foreign)
    if(foreign)
      get_target_property(directory ${user} SOURCE_DIR)
      message(STATUS "${target}: no capture, since ${foreign} is known only in ${directory}; \
call kopt_optimize_target() there, or give CASES")
      return()
    endif()
  endforeach()
  get_target_property(unity ${target} UNITY_BUILD)
  if(unity)
    _kopt_cxx_sources(${target} originals) # their objects are not apart
  else()
    _kopt_mentioning_sources(${target} originals)
  endif()
  if(NOT originals)
    return() # kopt-source says that a kernel is not there
  endif()
  _kopt_add_probed_objects(${target} "${originals}")
  _kopt_add_probed_application(${target} ${application} "${originals}")
  set_property(TARGET ${target} PROPERTY KOPT_CAPTURE_TARGET kopt-probed-${target})
endfunction()

# The first library among those that `target` links which is an imported target that this directory does not know.
function(_kopt_foreign_libraries target result)
  get_target_property(libraries ${target} LINK_LIBRARIES)
  get_target_property(directory ${target} SOURCE_DIR)
  set(${result} "" PARENT_SCOPE)
  if(directory STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    return()
  endif()
  string(REGEX MATCHALL "[A-Za-z0-9_.+-]+(::[A-Za-z0-9_.+-]+)+" names "${libraries}")
  foreach(name IN LISTS names)
    if(NOT TARGET ${name})
      set(${result} ${name} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# The target's C++ sources whose text holds the last component of a kernel's name.
function(_kopt_mentioning_sources target result)
  _kopt_get(${target} KERNELS kernels)
  _kopt_cxx_sources(${target} sources)
  set(words)
  foreach(kernel IN LISTS kernels)
    string(REGEX REPLACE "[<(].*$" "" word "${kernel}")
    string(REGEX REPLACE "^.*:" "" word "${word}") # past namespaces, classes and a file
    list(APPEND words "${word}")
  endforeach()
  list(JOIN words "|" alternatives)
  set(mentioning)
  foreach(source IN LISTS sources)
    set(lines "not there yet: it is generated")
    if(EXISTS "${source}")
      file(STRINGS "${source}" lines REGEX "(^|[^A-Za-z0-9_])(${alternatives})($|[^A-Za-z0-9_])" LIMIT_COUNT 1)
    endif()
    if(lines)
      list(APPEND mentioning "${source}")
    endif()
  endforeach()
  set(${result} "${mentioning}" PARENT_SCOPE)
endfunction()

# The probed sources as objects, compiled as `target` compiles its own.
function(_kopt_add_probed_objects target originals)
  get_property(program GLOBAL PROPERTY KOPT_PROGRAM)
  _kopt_get(${target} WORK_DIR work_dir)
  _kopt_get(${target} SPEC spec)
  _kopt_extractions(${target} extractions)
  add_library(kopt-probed-${target}-objects OBJECT EXCLUDE_FROM_ALL)
  foreach(original IN LISTS originals)
    _kopt_generated_name(${target} "${original}" name)
    set(probed "${CMAKE_BINARY_DIR}/kopt/${target}/capture/src/${name}")
    add_custom_command(
      OUTPUT "${probed}"
      COMMAND "${program}" probe --spec "${spec}" --source "${original}" --output "${probed}" --depfile "${probed}.d"
      DEPENDS "${original}" "${program}" "${spec}" ${extractions}
      DEPFILE "${probed}.d"
      COMMENT "Probing ${name} of ${target}"
      VERBATIM)
    target_sources(kopt-probed-${target}-objects PRIVATE "${probed}")
    _kopt_adopt_source(${target} "${original}" kopt-probed-${target}-objects "${probed}")
  endforeach()
  _kopt_copy_compilation(${target} kopt-probed-${target}-objects)
  # AddressSanitizer keeps the books on objects, but checks no access: the kernel computes as in the application, and a stray
  # read does not end the run.
  set_property(
    TARGET kopt-probed-${target}-objects
    APPEND
    PROPERTY COMPILE_OPTIONS -fsanitize=address -w
             $<$<CXX_COMPILER_ID:GNU>:--param=asan-instrument-reads=0>
             $<$<CXX_COMPILER_ID:GNU>:--param=asan-instrument-writes=0>
             $<$<CXX_COMPILER_ID:GNU>:--param=asan-memintrin=0>
             "$<$<CXX_COMPILER_ID:Clang>:SHELL:-mllvm -asan-instrument-reads=0 -mllvm -asan-instrument-writes=0>")
  _kopt_make_private(kopt-probed-${target}-objects)
  add_dependencies(kopt-probed-${target}-objects kopt-models-${target}) # and so what the target itself depends on
endfunction()

# The probed application: probed objects, the application's other objects, its libraries and link options. Objects come ahead of
# libraries on the link line, so that a probed source of a static library is used instead of the archive's member. Of an object
# or shared library the other objects are linked too, in the library's place.
function(_kopt_add_probed_application target application originals)
  get_property(templates GLOBAL PROPERTY KOPT_TEMPLATES)
  _kopt_get(${target} WORK_DIR work_dir)
  get_target_property(type ${target} TYPE)
  set(probed kopt-probed-${target})
  set(objects $<TARGET_OBJECTS:${probed}-objects>)
  if(NOT type STREQUAL STATIC_LIBRARY)
    _kopt_object_pattern(${target} "${originals}" pattern)
    list(APPEND objects "$<FILTER:$<TARGET_OBJECTS:${target}>,EXCLUDE,${pattern}>")
  endif()
  if(NOT application STREQUAL target)
    list(APPEND objects $<TARGET_OBJECTS:${application}>)
  endif()
  get_target_property(entries ${application} SOURCES)
  list(FILTER entries INCLUDE REGEX "^\\$<TARGET_OBJECTS:")
  list(REMOVE_ITEM entries $<TARGET_OBJECTS:${target}>)
  add_executable(${probed} EXCLUDE_FROM_ALL "${templates}/runtime/kopt_capture.cpp" ${objects} ${entries})
  _kopt_copy_properties(
    ${application}
    ${probed}
    LINK_LIBRARIES LINK_OPTIONS LINK_FLAGS LINK_DIRECTORIES LINK_DEPENDS LINKER_LANGUAGE ENABLE_EXPORTS
    POSITION_INDEPENDENT_CODE BUILD_RPATH SKIP_BUILD_RPATH BUILD_RPATH_USE_ORIGIN INSTALL_RPATH BUILD_WITH_INSTALL_RPATH
    INTERPROCEDURAL_OPTIMIZATION LINK_SEARCH_START_STATIC LINK_SEARCH_END_STATIC CXX_COMPILER_LAUNCHER)
  if(type MATCHES "^(OBJECT|SHARED)_LIBRARY$")
    _kopt_link_objects_instead(${probed} ${target})
  endif()
  set_property(TARGET ${probed} APPEND PROPERTY COMPILE_OPTIONS -w) # kopt_capture.cpp alone, and not instrumented
  set_property(TARGET ${probed} APPEND PROPERTY LINK_OPTIONS -fsanitize=address)
  target_compile_features(${probed} PRIVATE cxx_std_17)
  set_target_properties(
    ${probed} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${work_dir}/capture"
                         OUTPUT_NAME "$<TARGET_FILE_BASE_NAME:${application}>")
  _kopt_make_private(${probed})
endfunction()

# In the libraries of `probed`, what `library` links takes the place of `library`.
function(_kopt_link_objects_instead probed library)
  get_target_property(entries ${probed} LINK_LIBRARIES)
  get_target_property(libraries ${library} LINK_LIBRARIES)
  if(NOT entries)
    set(entries)
  endif()
  if(NOT libraries)
    set(libraries)
  endif()
  set(linked)
  foreach(entry IN LISTS entries)
    set(name "${entry}")
    if(TARGET "${entry}")
      get_target_property(aliased ${entry} ALIASED_TARGET)
      if(aliased)
        set(name ${aliased})
      endif()
    endif()
    if(NOT name STREQUAL library)
      list(APPEND linked "${entry}")
    endif()
  endforeach()
  set_property(TARGET ${probed} PROPERTY LINK_LIBRARIES ${linked} ${libraries})
endfunction()

# A regular expression for the paths of the objects that `originals` (or what is swapped in for them) compile to within the
# target, by themselves or in a unity source.
function(_kopt_object_pattern target originals result)
  get_target_property(source_dir ${target} SOURCE_DIR)
  get_target_property(binary_dir ${target} BINARY_DIR)
  get_property(swapped TARGET ${target} PROPERTY KOPT_SWAPPED)
  set(alternatives "Unity/unity_[0-9]+_cxx[.]cxx")
  foreach(original IN LISTS originals)
    set(compiled "${original}")
    list(FIND swapped "${original}" index)
    if(NOT index EQUAL -1)
      math(EXPR index "${index} + 1")
      list(GET swapped ${index} compiled)
    endif()
    # CMake names an object by the source's path below the source or binary directory, with __ for .., or by its absolute path.
    foreach(base IN ITEMS "${source_dir}" "${binary_dir}" /)
      cmake_path(RELATIVE_PATH compiled BASE_DIRECTORY "${base}" OUTPUT_VARIABLE path)
      string(REPLACE "../" "__/" path "${path}")
      string(REGEX REPLACE "[^A-Za-z0-9_/]" "." path "${path}")
      list(APPEND alternatives "${path}")
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES alternatives)
  list(JOIN alternatives "|" alternatives)
  get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  set(configuration_dir "")
  if(multi_config)
    set(configuration_dir "$<CONFIG>/")
  endif()
  set(${result} "[.]dir/([.]/)?${configuration_dir}([.]/)?(${alternatives})[.]o(bj)?$" PARENT_SCOPE)
endfunction()

# Lets `copy`, an object library, compile its sources as `target` does.
function(_kopt_copy_compilation target copy)
  _kopt_copy_properties(
    ${target}
    ${copy}
    LINK_LIBRARIES INCLUDE_DIRECTORIES SYSTEM_INCLUDE_DIRECTORIES NO_SYSTEM_FROM_IMPORTED COMPILE_DEFINITIONS COMPILE_FEATURES
    COMPILE_FLAGS COMPILE_OPTIONS PRECOMPILE_HEADERS CXX_STANDARD CXX_STANDARD_REQUIRED CXX_EXTENSIONS
    POSITION_INDEPENDENT_CODE CXX_VISIBILITY_PRESET VISIBILITY_INLINES_HIDDEN CXX_COMPILER_LAUNCHER)
  get_target_property(reused ${target} PRECOMPILE_HEADERS_REUSE_FROM)
  if(reused)
    _kopt_copy_properties(${reused} ${copy} PRECOMPILE_HEADERS)
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL SHARED_LIBRARY OR type STREQUAL MODULE_LIBRARY)
    get_target_property(symbol ${target} DEFINE_SYMBOL)
    if(NOT symbol)
      string(MAKE_C_IDENTIFIER "${target}_EXPORTS" symbol)
    endif()
    set_property(TARGET ${copy} APPEND PROPERTY COMPILE_DEFINITIONS ${symbol})
    get_target_property(independent ${target} POSITION_INDEPENDENT_CODE)
    if(independent STREQUAL "independent-NOTFOUND")
      set_property(TARGET ${copy} PROPERTY POSITION_INDEPENDENT_CODE ON)
    endif()
  endif()
  _kopt_add_directory_flags(${target} ${copy})
endfunction()

# Copies the properties that are set.
function(_kopt_copy_properties from to)
  foreach(property IN LISTS ARGN)
    get_property(is_set TARGET ${from} PROPERTY ${property} SET)
    if(is_set)
      get_property(value TARGET ${from} PROPERTY ${property})
      set_property(TARGET ${to} PROPERTY ${property} "${value}")
    endif()
  endforeach()
endfunction()

# CMAKE_CXX_FLAGS belong to a directory: where `target` lives in another one with other flags, those are appended and so win.
function(_kopt_add_directory_flags target copy)
  get_target_property(directory ${target} SOURCE_DIR)
  string(TOUPPER "CMAKE_CXX_FLAGS_${CMAKE_BUILD_TYPE}" configuration_flags)
  foreach(name IN ITEMS CMAKE_CXX_FLAGS ${configuration_flags})
    get_directory_property(flags DIRECTORY "${directory}" DEFINITION ${name})
    if(NOT "${flags}" STREQUAL "${${name}}")
      set_property(TARGET ${copy} APPEND PROPERTY COMPILE_OPTIONS "SHELL:${flags}")
    endif()
  endforeach()
endfunction()

# What no copy of ours should take part in: the compile database, static analysis, unity builds, IDE folders of the user.
function(_kopt_make_private target)
  set_target_properties(
    ${target}
    PROPERTIES EXPORT_COMPILE_COMMANDS OFF
               UNITY_BUILD OFF
               AUTOMOC OFF
               AUTOUIC OFF
               AUTORCC OFF
               CXX_CLANG_TIDY ""
               CXX_CPPCHECK ""
               CXX_INCLUDE_WHAT_YOU_USE ""
               CXX_CPPLINT ""
               FOLDER KernelOpt)
endfunction()
