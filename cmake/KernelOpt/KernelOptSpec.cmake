# Spec: what CMake knows about one target, written to <build>/kopt/<target>/spec.json at generate time (docs/formats.md,
# "Spec").
include_guard(GLOBAL)

# The slug of a kernel's name, as tools/core/slug.h defines it: letters, digits and `_` stay, `::` becomes `.`, each run of
# anything else one `-`, none at the end.
function(_kopt_slug result kernel)
  string(REPLACE "." "-" slug "${kernel}")
  string(REPLACE "::" "." slug "${slug}")
  string(REGEX REPLACE "[^A-Za-z0-9_.]+" "-" slug "${slug}")
  string(REGEX REPLACE "-+$" "" slug "${slug}")
  set(${result} "${slug}" PARENT_SCOPE)
endfunction()

# Gives each kernel of the target its slug. Where two would share one, or the identifier that generated code makes of it, all of
# them get a short hash of their names, so that a slug never depends on the order of the kernels.
function(_kopt_set_slugs target)
  _kopt_get(${target} KERNELS kernels)
  set(plain)
  foreach(kernel IN LISTS kernels)
    _kopt_slug(slug "${kernel}")
    string(REGEX REPLACE "[.-]" "_" identifier "${slug}")
    list(APPEND plain "${slug}")
    list(APPEND sharing_${identifier} "${slug}")
  endforeach()
  set(slugs)
  foreach(kernel slug IN ZIP_LISTS kernels plain)
    string(REGEX REPLACE "[.-]" "_" identifier "${slug}")
    list(LENGTH sharing_${identifier} count)
    if(count GREATER 1)
      string(SHA1 hash "${kernel}")
      string(SUBSTRING "${hash}" 0 8 hash)
      string(APPEND slug "-${hash}")
    endif()
    list(APPEND slugs "${slug}")
  endforeach()
  set_property(TARGET ${target} PROPERTY KOPT_SLUGS "${slugs}")
endfunction()

# The architecture's name in the variant store, as `uname -m` gives it.
function(_kopt_arch result)
  set(arch "${CMAKE_SYSTEM_PROCESSOR}")
  string(REPLACE "AMD64" "x86_64" arch "${arch}")
  if(NOT CMAKE_SYSTEM_NAME STREQUAL Darwin)
    string(REPLACE "arm64" "aarch64" arch "${arch}")
  endif()
  set(${result} "${arch}" PARENT_SCOPE)
endfunction()

# The file that an entry of the target's SOURCES stands for, absolute and normalised; empty for what is no file of its own, as
# $<TARGET_OBJECTS:...>. $<BUILD_INTERFACE:...> is what is in it.
function(_kopt_entry_path target entry result)
  string(REGEX REPLACE "^\\$<BUILD_INTERFACE:([^$<>]*)>$" "\\1" path "${entry}")
  if(path MATCHES "\\$<")
    set(path "")
  elseif(NOT IS_ABSOLUTE "${path}")
    get_target_property(directory ${target} SOURCE_DIR)
    get_target_property(binary_dir ${target} BINARY_DIR)
    set(generated FALSE)
    if(NOT EXISTS "${directory}/${path}") # CMake looks for outputs of custom commands in the binary directory
      get_property(generated SOURCE "${binary_dir}/${path}" TARGET_DIRECTORY ${target} PROPERTY GENERATED)
    endif()
    if(generated)
      set(directory "${binary_dir}")
    endif()
    cmake_path(ABSOLUTE_PATH path BASE_DIRECTORY "${directory}" NORMALIZE)
  else()
    cmake_path(NORMAL_PATH path)
  endif()
  set(${result} "${path}" PARENT_SCOPE)
endfunction()

# Keeps the files among the target's SOURCES, headers and the like among them, before any of them is swapped: KOPT_SOURCES, and
# KOPT_SOURCE_NAMES, their names without folders.
function(_kopt_find_sources target)
  get_target_property(entries ${target} SOURCES)
  set(sources)
  set(names)
  foreach(entry IN LISTS entries)
    _kopt_entry_path(${target} "${entry}" path)
    if(path)
      cmake_path(GET path FILENAME name)
      list(APPEND sources "${path}")
      list(APPEND names "${name}")
    endif()
  endforeach()
  set_property(TARGET ${target} PROPERTY KOPT_SOURCES "${sources}")
  set_property(TARGET ${target} PROPERTY KOPT_SOURCE_NAMES "${names}")
endfunction()

# The target's sources that are compiled as C++.
function(_kopt_cxx_sources target result)
  _kopt_get(${target} SOURCES sources)
  set(cxx_sources)
  foreach(source IN LISTS sources)
    get_property(language SOURCE "${source}" TARGET_DIRECTORY ${target} PROPERTY LANGUAGE)
    get_property(only_listed SOURCE "${source}" TARGET_DIRECTORY ${target} PROPERTY HEADER_FILE_ONLY)
    if(language STREQUAL CXX AND NOT only_listed)
      list(APPEND cxx_sources "${source}")
    endif()
  endforeach()
  set(${result} "${cxx_sources}" PARENT_SCOPE)
endfunction()

function(_kopt_check_sources target)
  get_target_property(entries ${target} SOURCES)
  foreach(entry IN LISTS entries)
    if(entry MATCHES "\\$<" AND NOT entry MATCHES "^\\$<(TARGET_OBJECTS|BUILD_INTERFACE|INSTALL_INTERFACE):[^$<>]*>$")
      _kopt_error(${target} "source ${entry} is a generator expression, so the file is not known while configuring."
                  "Write if(...) target_sources(${target} PRIVATE <file>) endif(), or move it into a library of its own.")
    endif()
  endforeach()
endfunction()

# A name for the file generated from `source`: its own, with a hash where another of the target's sources has the same.
function(_kopt_generated_name target source result)
  _kopt_get(${target} SOURCE_NAMES names)
  cmake_path(GET source FILENAME name)
  list(REMOVE_ITEM names "${name}")
  list(LENGTH names others)
  _kopt_get(${target} SOURCES sources)
  list(LENGTH sources count)
  math(EXPR same "${count} - ${others}")
  if(same GREATER 1)
    string(SHA1 hash "${source}")
    string(SUBSTRING "${hash}" 0 8 hash)
    cmake_path(GET source STEM LAST_ONLY stem)
    cmake_path(GET source EXTENSION LAST_ONLY extension)
    set(name "${stem}-${hash}${extension}")
  endif()
  set(${result} "${name}" PARENT_SCOPE)
endfunction()

# The executable target that exercises the kernels: the target itself, or for a library the one that RUN names; empty if there
# is none (yet).
function(_kopt_application target result)
  set(${result} "" PARENT_SCOPE)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    set(${result} ${target} PARENT_SCOPE)
    return()
  endif()
  _kopt_get(${target} RUN words)
  list(POP_FRONT words first)
  if(TARGET "${first}")
    set(first "$<TARGET_FILE:${first}>")
  endif()
  foreach(word IN ITEMS "${first}" LISTS words)
    string(REGEX REPLACE "^\\$<TARGET_FILE:([^<>]+)>$" "\\1" candidate "${word}")
    if(NOT candidate STREQUAL word AND TARGET "${candidate}")
      get_target_property(type ${candidate} TYPE)
      if(type STREQUAL EXECUTABLE)
        set(${result} ${candidate} PARENT_SCOPE)
        return()
      endif()
    endif()
  endforeach()
endfunction()

# "text" with JSON's escapes. Generator expressions in it stay; what they yield is not escaped.
function(_kopt_json_string result text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\n" "\\n" text "${text}")
  string(REPLACE "\t" "\\t" text "${text}")
  set(${result} "\"${text}\"" PARENT_SCOPE)
endfunction()

# ["a", "b"] from a list.
function(_kopt_json_list result)
  set(entries "")
  foreach(text IN LISTS ARGN)
    _kopt_json_string(entry "${text}")
    string(APPEND entries ", ${entry}")
  endforeach()
  string(REGEX REPLACE "^, " "" entries "${entries}")
  set(${result} "[${entries}]" PARENT_SCOPE)
endfunction()

# {"a": "b"} from a list of names and values.
function(_kopt_json_object result)
  set(pairs ${ARGN})
  set(entries "")
  while(pairs)
    list(POP_FRONT pairs name value)
    _kopt_json_string(name "${name}")
    _kopt_json_string(value "${value}")
    string(APPEND entries ", ${name}: ${value}")
  endwhile()
  string(REGEX REPLACE "^, " "" entries "${entries}")
  set(${result} "{${entries}}" PARENT_SCOPE)
endfunction()

# A command whose first word may name an executable target.
function(_kopt_command target keyword result)
  _kopt_get(${target} ${keyword} words)
  list(POP_FRONT words first)
  if(TARGET "${first}")
    get_target_property(type ${first} TYPE)
    if(type STREQUAL EXECUTABLE)
      set(first "$<TARGET_FILE:${first}>")
    endif()
  endif()
  if(NOT "${first}" STREQUAL "")
    list(PREPEND words "${first}")
  endif()
  set(${result} "${words}" PARENT_SCOPE)
endfunction()

# The options object: every option of KOPT_OPTIONS that the target or a CMake variable sets, and KOPT_REQUIRE_GPU.
function(_kopt_spec_options target result)
  get_property(names GLOBAL PROPERTY KOPT_OPTIONS)
  set(object "")
  foreach(name IN LISTS names ITEMS require_gpu)
    string(TOUPPER ${name} upper)
    _kopt_get(${target} ${upper} value)
    if(NOT "${value}" STREQUAL "")
      string(REPLACE ";" "," value "${value}")
      list(APPEND object ${name} "${value}")
    endif()
  endforeach()
  _kopt_json_object(json ${object})
  set(${result} "${json}" PARENT_SCOPE)
endfunction()

# Writes spec.json, and beside it flags.<language>: the target's own flags, which change when the compile command does.
function(_kopt_write_spec target)
  _kopt_spec_commands(${target})
  _kopt_cxx_sources(${target} sources)
  _kopt_json_list(sources_json ${sources})
  foreach(name IN ITEMS KERNELS SLUGS CASES HELD_OUT)
    _kopt_get(${target} ${name} values)
    _kopt_json_list(${name}_json ${values})
  endforeach()
  get_property(swapped TARGET ${target} PROPERTY KOPT_SWAPPED)
  _kopt_json_object(swapped_json ${swapped})
  _kopt_spec_options(${target} options_json)
  get_target_property(type ${target} TYPE)
  get_property(source_program GLOBAL PROPERTY KOPT_SOURCE_PROGRAM)
  foreach(name IN ITEMS DIRECTORY BINARY_DIRECTORY WORK_DIR VARIANTS_DIR TEMPLATE SPEC)
    _kopt_get(${target} ${name} ${name})
    _kopt_json_string(${name}_json "${${name}}")
  endforeach()
  foreach(path IN ITEMS CMAKE_SOURCE_DIR CMAKE_BINARY_DIR CMAKE_CXX_COMPILER source_program)
    _kopt_json_string(${path}_json "${${path}}")
  endforeach()
  file(
    GENERATE
    OUTPUT "${SPEC}"
    CONTENT
      "{
  \"format\": \"kopt-spec\", \"version\": 1,
  \"target\": \"${target}\", \"type\": \"${type}\",
  \"configuration\": \"$<CONFIG>\",
  \"platform\": \"host\",
  \"directory\": ${DIRECTORY_json},
  \"source_root\": ${CMAKE_SOURCE_DIR_json},
  \"build_root\": ${CMAKE_BINARY_DIR_json},
  \"work_dir\": ${WORK_DIR_json},
  \"variants_dir\": ${VARIANTS_DIR_json},
  \"compile_commands\": \"${CMAKE_BINARY_DIR}/compile_commands.json\",
  \"compiler\": ${CMAKE_CXX_COMPILER_json}, \"compiler_id\": \"${CMAKE_CXX_COMPILER_ID}\",
  \"sources\": ${sources_json},
  \"swapped\": ${swapped_json},
  \"kernels\": ${KERNELS_json},
  \"slugs\": ${SLUGS_json},
  \"executable\": \"${executable}\",
  \"capture_executable\": \"${capture_executable}\",
  \"run\": ${run_json},
  \"run_directory\": ${BINARY_DIRECTORY_json},
  \"validate\": ${validate_json},
  \"cases\": ${CASES_json}, \"held_out\": ${HELD_OUT_json},
  \"template_dir\": ${TEMPLATE_json},
  \"kopt_source\": ${source_program_json},
  \"options\": ${options_json}
}
")
  _kopt_write_flags(${target} "${WORK_DIR}/flags.$<COMPILE_LANGUAGE>")
endfunction()

# Sets in the caller: executable, capture_executable, and run_json, validate_json.
function(_kopt_spec_commands target)
  _kopt_application(${target} application)
  set(executable "")
  if(application)
    set(executable "$<TARGET_FILE:${application}>")
  endif()
  _kopt_command(${target} RUN run)
  if(NOT run)
    set(run "${executable}")
  endif()
  _kopt_command(${target} VALIDATE validate)
  _kopt_get(${target} TESTS tests)
  if(tests)
    set(validate "${CMAKE_CTEST_COMMAND}" --test-dir "${CMAKE_BINARY_DIR}" --output-on-failure -R "${tests}" -LE kopt)
  endif()
  set(capture_executable "")
  get_property(capture_target TARGET ${target} PROPERTY KOPT_CAPTURE_TARGET)
  if(capture_target)
    set(capture_executable "$<TARGET_FILE:${capture_target}>")
  endif()
  _kopt_json_list(run_json ${run})
  _kopt_json_list(validate_json ${validate})
  foreach(name IN ITEMS executable capture_executable run_json validate_json)
    set(${name} "${${name}}" PARENT_SCOPE)
  endforeach()
endfunction()

# Writes the target's flags, one file per language (a language must be known where an option asks for it). Only a change touches
# the file, which compile_commands.json cannot say of itself.
function(_kopt_write_flags target path)
  get_target_property(directory ${target} SOURCE_DIR)
  set(common "")
  foreach(name IN ITEMS CMAKE_BUILD_TYPE CMAKE_CXX_COMPILER CMAKE_CXX_FLAGS CMAKE_CXX_FLAGS_DEBUG CMAKE_CXX_FLAGS_RELEASE
                        CMAKE_CXX_FLAGS_RELWITHDEBINFO CMAKE_CXX_FLAGS_MINSIZEREL)
    get_directory_property(value DIRECTORY "${directory}" DEFINITION ${name})
    string(APPEND common "${name} ${value}\n")
  endforeach()
  foreach(name IN ITEMS COMPILE_OPTIONS COMPILE_DEFINITIONS COMPILE_FEATURES INCLUDE_DIRECTORIES CXX_STANDARD CXX_EXTENSIONS
                        POSITION_INDEPENDENT_CODE)
    string(APPEND common "${name} $<TARGET_PROPERTY:${target},${name}>\n")
  endforeach()
  file(GENERATE OUTPUT "${path}" CONTENT "${common}" TARGET ${target})
endfunction()
