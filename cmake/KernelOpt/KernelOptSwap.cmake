# Swap: builds accepted variants. The target's SOURCES entry of an original with an accepted kernel is replaced, in place, by a
# source that `kopt integrate` makes from it at build time: the original with one dispatch at the head of the kernel's body. The
# user's file is never touched.
include_guard(GLOBAL)

# Replaces the originals that accepted records name; without any the target stays as it is. The first acceptance and the last
# removal take effect on the next plain build, because the store is globbed again by it; what changes inside a record is seen by
# CMAKE_CONFIGURE_DEPENDS.
function(_kopt_swap_sources target)
  _kopt_accepted_records(${target} records)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${records})
  _kopt_cxx_sources(${target} sources)
  set(originals)
  foreach(record IN LISTS records)
    _kopt_record_source(${target} "${record}" "${sources}" original)
    if(original)
      list(APPEND originals "${original}")
      list(APPEND records_of_${original} "${record}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES originals)
  if(NOT originals)
    return()
  endif()
  set(all_generated)
  foreach(original IN LISTS originals)
    _kopt_generated_name(${target} "${original}" name)
    # Without the configuration: properties of a source cannot be set by a generator expression.
    set(generated "${CMAKE_BINARY_DIR}/kopt/${target}/src/${name}")
    _kopt_integrate(${target} "${original}" "${generated}" "${records_of_${original}}")
    _kopt_adopt_source(${target} "${original}" ${target} "${generated}")
    # The user's -Werror is for the user's code.
    set_property(SOURCE "${generated}" TARGET_DIRECTORY ${target} APPEND PROPERTY COMPILE_OPTIONS -Wno-error)
    _kopt_replace_source(${target} "${original}" "${generated}")
    set_property(TARGET ${target} APPEND PROPERTY KOPT_SWAPPED "${original}" "${generated}")
    list(APPEND all_generated "${generated}")
  endforeach()
  # Where the call stands in another directory than the target, this is what makes the sources before the target needs them.
  add_custom_target(kopt-sources-${target} DEPENDS ${all_generated})
  set_property(TARGET kopt-sources-${target} PROPERTY FOLDER KernelOpt)
  add_dependencies(${target} kopt-sources-${target})
  _kopt_add_runtime(${target})
endfunction()

# The records of the target's kernels for this architecture whose variant is complete.
function(_kopt_accepted_records target result)
  _kopt_get(${target} VARIANTS_DIR store)
  _kopt_get(${target} SLUGS slugs)
  _kopt_arch(arch)
  # The other files are globbed so that a missing one is noticed here, and not by a build that lacks a dependency.
  file(
    GLOB files CONFIGURE_DEPENDS
    "${store}/${target}/*/*/record.json"
    "${store}/${target}/*/*/variant.cpp"
    "${store}/${target}/*/*/plan.txt")
  set(records)
  foreach(slug IN LISTS slugs)
    set(folder "${store}/${target}/${slug}/${arch}")
    if("${folder}/record.json" IN_LIST files)
      _kopt_record_files("${folder}/record.json" parts)
      set(complete TRUE)
      foreach(part IN LISTS parts)
        if(NOT EXISTS "${part}")
          message(WARNING "${part} is missing: ${folder} holds no complete variant, the original is built.\n\
Restore the file, or remove the folder.")
          set(complete FALSE)
        endif()
      endforeach()
      if(complete)
        list(APPEND records "${folder}/record.json")
      endif()
    endif()
  endforeach()
  set(${result} "${records}" PARENT_SCOPE)
endfunction()

# A member of a record, by its keys; empty if it is not there.
function(_kopt_record_member record result)
  file(READ "${record}" text)
  string(JSON value ERROR_VARIABLE error GET "${text}" ${ARGN})
  if(error)
    set(value "")
  endif()
  set(${result} "${value}" PARENT_SCOPE)
endfunction()

# The files that belong to a record: variant and plan.
function(_kopt_record_files record result)
  cmake_path(GET record PARENT_PATH folder)
  _kopt_record_member("${record}" variant variant file)
  _kopt_record_member("${record}" plan variant plan)
  if(NOT variant)
    set(variant variant.cpp)
  endif()
  if(NOT plan)
    set(plan plan.txt)
  endif()
  set(${result} "${folder}/${variant}" "${folder}/${plan}" PARENT_SCOPE)
endfunction()

# Which of the target's sources a record is about; empty, with a warning, if it is none of them.
function(_kopt_record_source target record sources result)
  _kopt_record_member("${record}" source source)
  if(NOT source)
    message(WARNING "${record} is not a record that names its source: the original is built.\n\
Restore it from version control, or remove its folder.")
    set(${result} "" PARENT_SCOPE)
    return()
  endif()
  _kopt_get(${target} DIRECTORY directory)
  cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${directory}" NORMALIZE)
  file(REAL_PATH "${source}" real_source)
  set(${result} "" PARENT_SCOPE)
  foreach(candidate IN LISTS sources)
    file(REAL_PATH "${candidate}" real_candidate)
    if(real_candidate STREQUAL real_source)
      set(${result} "${candidate}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(WARNING "${record} is about ${source}, which is not a source of ${target}: the original is built.\n\
If the kernel moved, run kopt-tune-${target}; if it is gone, remove the record's folder.")
endfunction()

# The command that makes `generated` from `original`. It never fails for a stale variant: then it copies the original and warns.
function(_kopt_integrate target original generated records)
  get_property(program GLOBAL PROPERTY KOPT_PROGRAM)
  _kopt_get(${target} DIRECTORY directory)
  set(arguments)
  set(depends "${original}" "${program}")
  foreach(record IN LISTS records)
    _kopt_record_files("${record}" parts)
    list(APPEND arguments --record "${record}")
    list(APPEND depends "${record}" ${parts})
  endforeach()
  cmake_path(RELATIVE_PATH original BASE_DIRECTORY "${CMAKE_SOURCE_DIR}" OUTPUT_VARIABLE shown)
  add_custom_command(
    OUTPUT "${generated}"
    COMMAND "${program}" integrate ${arguments} --source "${original}" --output "${generated}" --depfile "${generated}.d"
            --directory "${directory}" --source-root "${CMAKE_SOURCE_DIR}"
    DEPENDS ${depends}
    DEPFILE "${generated}.d"
    COMMENT "Integrating accepted variants into ${shown}"
    VERBATIM)
endfunction()

# Gives `generated`, a source of `new_target`, everything that is set for `original` in `target`, and lets its #include "..."
# start in the original's folder.
function(_kopt_adopt_source target original new_target generated)
  set(properties COMPILE_DEFINITIONS COMPILE_FLAGS COMPILE_OPTIONS INCLUDE_DIRECTORIES OBJECT_DEPENDS SKIP_PRECOMPILE_HEADERS
                 SKIP_AUTOGEN SKIP_AUTOMOC SKIP_AUTOUIC SKIP_AUTORCC CXX_SCAN_FOR_MODULES)
  foreach(configuration IN ITEMS DEBUG RELEASE RELWITHDEBINFO MINSIZEREL ${CMAKE_BUILD_TYPE} ${CMAKE_CONFIGURATION_TYPES})
    string(TOUPPER "COMPILE_DEFINITIONS_${configuration}" property)
    list(APPEND properties ${property})
  endforeach()
  list(REMOVE_DUPLICATES properties)
  foreach(property IN LISTS properties)
    get_property(is_set SOURCE "${original}" TARGET_DIRECTORY ${target} PROPERTY ${property} SET)
    if(is_set)
      get_property(value SOURCE "${original}" TARGET_DIRECTORY ${target} PROPERTY ${property})
      set_property(SOURCE "${generated}" TARGET_DIRECTORY ${new_target} PROPERTY ${property} "${value}")
    endif()
  endforeach()
  get_property(implied SOURCE "${generated}" TARGET_DIRECTORY ${new_target} PROPERTY LANGUAGE)
  if(NOT implied STREQUAL CXX) # to set what is implied anyway would add -x c++
    set_property(SOURCE "${generated}" TARGET_DIRECTORY ${new_target} PROPERTY LANGUAGE CXX)
  endif()
  cmake_path(GET original PARENT_PATH folder)
  set_property(SOURCE "${generated}" TARGET_DIRECTORY ${new_target} APPEND PROPERTY COMPILE_OPTIONS "-iquote${folder}")
  set_property(SOURCE "${generated}" TARGET_DIRECTORY ${new_target} PROPERTY GENERATED TRUE)
  set_property(SOURCE "${generated}" TARGET_DIRECTORY ${new_target} PROPERTY SKIP_UNITY_BUILD_INCLUSION TRUE)
endfunction()

# Puts `generated` where `original` stands in SOURCES; the order stays.
function(_kopt_replace_source target original generated)
  get_target_property(entries ${target} SOURCES)
  get_target_property(directory ${target} SOURCE_DIR)
  set(new_entries)
  foreach(entry IN LISTS entries)
    set(path "${entry}")
    cmake_path(ABSOLUTE_PATH path BASE_DIRECTORY "${directory}" NORMALIZE)
    if(path STREQUAL original)
      set(entry "${generated}")
    endif()
    list(APPEND new_entries "${entry}")
  endforeach()
  set_property(TARGET ${target} PROPERTY SOURCES "${new_entries}")
endfunction()

# Adds the source that the dispatches call: it reads KOPT_DISABLE, KOPT_TRACE and KOPT_TIME. The user's warnings do not apply to
# it.
function(_kopt_add_runtime target)
  get_property(templates GLOBAL PROPERTY KOPT_TEMPLATES)
  set(runtime "${templates}/runtime/kopt_runtime.cpp")
  target_sources(${target} PRIVATE "${runtime}")
  set_source_files_properties(
    "${runtime}" TARGET_DIRECTORY ${target}
    PROPERTIES COMPILE_OPTIONS -w
               SKIP_UNITY_BUILD_INCLUSION TRUE
               SKIP_PRECOMPILE_HEADERS TRUE
               SKIP_AUTOGEN TRUE)
endfunction()
