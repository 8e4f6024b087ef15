# KernelOpt: optimizes named kernels of a target offline and builds the winners back in.
#
# This file holds the one function that users call, and what checks and remembers a call. What a call brings about is in
#   KernelOptSpec.cmake     slugs, the sources of a target, spec.json
#   KernelOptSwap.cmake     accepted variants in place of the original sources
#   KernelOptCapture.cmake  the instrumented copy of the application
#   KernelOptVerbs.cmake    kopt-extract, kopt-tune and the other targets
#   KernelOptGate.cmake     the tests
#
# Everything a call knows is kept in properties of its target: KOPT_<KEYWORD> and KOPT_<OPTION> with the values in force,
# besides
#   KOPT_DIRECTORY, KOPT_BINARY_DIRECTORY   the folders of the CMakeLists.txt that made the call
#   KOPT_KERNELS, KOPT_SLUGS                in the order of the calls
#   KOPT_GIVEN                              the other keywords of the first call with their values
#   KOPT_WORK_DIR, KOPT_SPEC                <build>/kopt/<target> and the spec in it
#   KOPT_SOURCES                            the files among its SOURCES, as they were before the swap
#   KOPT_SWAPPED                            pairs: original source, generated source
# No variable is set in the user's project, no language enabled, no flag changed.
include_guard(GLOBAL)

include("${CMAKE_CURRENT_LIST_DIR}/KernelOptTools.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/KernelOptSpec.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/KernelOptSwap.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/KernelOptCapture.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/KernelOptVerbs.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/KernelOptGate.cmake")

#[=======================================================================[.rst:
kopt_optimize_target
--------------------

Makes named kernels of an executable or library known to KernelOpt::

  kopt_optimize_target(<target>
    KERNELS <name>...
    [PLATFORM host] [RUN <command>...] [VALIDATE <command>... | TESTS <ctest regex>]
    [CASES <file.json>...] [HELD_OUT <file.json>...] [VARIANTS_DIR <dir>] [TEMPLATE <dir>]
    [TOLERANCE <relative> [<absolute>]] [MIN_SPEEDUP <factor>]
    [PROPOSE <proposer>...] [STRATEGY <strategy>] [BUDGET [SECONDS <n>] [EVALUATIONS <n>]] [REQUIRED])

Adds, outside ``ALL``, the targets ``kopt-extract``, ``kopt-mep``, ``kopt-capture``, ``kopt-tune``, ``kopt-validate`` and
``kopt-report``, each also as ``kopt-<verb>-<target>``, and ``kopt-mep-<target>-<slug>`` for each kernel; the tests
``kopt.<target>.<slug>.{fresh,build,correct,faster,app}``; and builds accepted variants in place of the original sources. With
nothing accepted the target is built exactly as without the call. It may stand in another directory than the target's.

``KERNELS``
  ``ns::foo``, ``foo<float,256>``, ``Class::foo``, ``file.cpp:foo``; an overload by its signature, quoted: ``"foo(int,float*)"``
  (docs/kernels.md). A further call
  for the target, in the same directory, adds kernels; the other keywords hold for all of them and stand in the first call.
``PLATFORM``
  ``host``: ordinary C++ functions.
``RUN``
  How to exercise the application, for capture and validation. A first word that names an executable target stands for its file;
  elsewhere write ``$<TARGET_FILE:app>``. Default: the target itself. A library needs it to be captured.
``VALIDATE``, ``TESTS``
  What ``kopt-validate`` runs instead of ``RUN``: a command, or the tests whose names match, run by ctest.
``CASES``
  Arguments to tune and judge with (docs/formats.md, "Cases"). Default: captured from one ``RUN``.
``HELD_OUT``
  Cases that no proposer sees.
``VARIANTS_DIR``
  Where accepted variants are kept, to be reviewed and committed. Default: ``kopt/`` beside the calling CMakeLists.txt.
``TEMPLATE``
  Folder with MEP templates of the user's own.
``TOLERANCE``
  Relative and absolute difference that a variant's results may show.
``MIN_SPEEDUP``
  What the lower end of the confidence interval must clear.
``PROPOSE``, ``STRATEGY``, ``BUDGET``
  What makes candidates, how proposals are spent, and how long (docs/options.md).
``REQUIRED``
  A kernel with nothing accepted fails the gate.

The sources of the target may be added to, and their properties set, until the end of the target's directory; of the calling
one, if the target's is finished.

Target properties, each initialised from the CMake variable of the same name and overridden by the keyword:

``KOPT_PLATFORM``, ``KOPT_RUN``, ``KOPT_VALIDATE``, ``KOPT_TESTS``, ``KOPT_CASES``, ``KOPT_HELD_OUT``, ``KOPT_VARIANTS_DIR``,
``KOPT_TEMPLATE``, ``KOPT_PROPOSE``, ``KOPT_STRATEGY``, ``KOPT_MIN_SPEEDUP``, ``KOPT_REQUIRED``
  The keywords.
``KOPT_TOLERANCE``, ``KOPT_TOLERANCE_ABSOLUTE``, ``KOPT_BUDGET_SECONDS``, ``KOPT_BUDGET_EVALUATIONS``
  The values of ``TOLERANCE`` and ``BUDGET``.
``KOPT_<OPTION>``
  Every other option of docs/options.md, as ``KOPT_SEED``.

Variables:

``KOPT_ENABLED``
  ``OFF``: the call does nothing at all, and no program of KernelOpt is needed.
``KOPT_REQUIRE_GPU``
  A gate that finds no device fails instead of being skipped.
``KOPT_PROGRAM``, ``KOPT_SOURCE_PROGRAM``
  Another kopt and kopt-source to run than the package's own.
``KOPT_TOOLS_DIR``, ``KOPT_TOOLS_BUILD_TYPE``, ``KOPT_TOOLS_C_COMPILER``, ``KOPT_TOOLS_CXX_COMPILER``, ``KOPT_TOOLS_GENERATOR``,
``KOPT_TOOLS_ARGUMENTS``
  How the programs are built, or where they are, when KernelOpt is a part of the project (KernelOptTools.cmake, docs/build.md).
#]=======================================================================]
function(kopt_optimize_target target)
  list(APPEND CMAKE_MESSAGE_CONTEXT kopt)
  set(single PLATFORM TESTS VARIANTS_DIR TEMPLATE MIN_SPEEDUP STRATEGY)
  set(multiple KERNELS RUN VALIDATE CASES HELD_OUT TOLERANCE PROPOSE BUDGET)
  cmake_parse_arguments(PARSE_ARGV 1 arg REQUIRED "${single}" "${multiple}")
  if(DEFINED KOPT_ENABLED AND NOT KOPT_ENABLED)
    return()
  endif()
  set(keywords ${multiple} ${single} REQUIRED)
  _kopt_check_keywords("${target}" "${keywords}" "${arg_UNPARSED_ARGUMENTS}" "${arg_KEYWORDS_MISSING_VALUES}")
  _kopt_check_target("${target}")
  _kopt_check_kernels("${target}" "${keywords}" "${arg_KERNELS}")
  list(REMOVE_ITEM keywords KERNELS)
  set(given)
  foreach(keyword IN LISTS keywords)
    if(arg_${keyword})
      list(JOIN arg_${keyword} " " words)
      list(APPEND given "${keyword} ${words}")
    endif()
  endforeach()
  get_target_property(earlier ${target} KOPT_KERNELS)
  if(earlier)
    _kopt_check_further_call("${target}" "${arg_KERNELS}" "${given}")
    set_property(TARGET ${target} APPEND PROPERTY KOPT_KERNELS ${arg_KERNELS})
    return()
  endif()
  _kopt_remember_call("${target}" "${arg_KERNELS}" "${given}")
  list(REMOVE_ITEM keywords TOLERANCE BUDGET) # these are not kept as they are
  foreach(keyword IN LISTS keywords)
    if(arg_${keyword})
      set_property(TARGET ${target} PROPERTY KOPT_${keyword} "${arg_${keyword}}")
    endif()
  endforeach()
  _kopt_set_tolerance("${target}" "${arg_TOLERANCE}")
  _kopt_set_budget("${target}" "${arg_BUDGET}")
  _kopt_resolve_paths("${target}")
  _kopt_check_values("${target}")
  _kopt_at_end_of_directory("${target}" _kopt_complete_target)
endfunction()

# What can only be done once the target's kernels, sources and properties are final.
function(_kopt_complete_target target)
  list(APPEND CMAKE_MESSAGE_CONTEXT kopt)
  _kopt_watch_programs()
  _kopt_set_slugs(${target})
  _kopt_check_sources(${target})
  _kopt_find_sources(${target})
  _kopt_add_gate(${target})
  _kopt_swap_sources(${target})
  set_property(TARGET ${target} PROPERTY EXPORT_COMPILE_COMMANDS ON)
  # RUN may name an executable that a later directory makes.
  _kopt_application(${target} application)
  if(application OR CMAKE_CURRENT_SOURCE_DIR STREQUAL CMAKE_SOURCE_DIR)
    _kopt_add_tools(${target})
  else()
    _kopt_defer("${CMAKE_SOURCE_DIR}" _kopt_add_tools ${target})
  endif()
endfunction()

# The spec, the instrumented application and the verbs, in this order: each names what came before.
function(_kopt_add_tools target)
  _kopt_add_capture(${target})
  _kopt_write_spec(${target})
  _kopt_add_verbs(${target})
endfunction()

# Calls `command(target)` at the end of the target's directory, or of the calling one if that is finished.
function(_kopt_at_end_of_directory target command)
  get_target_property(directory ${target} SOURCE_DIR)
  set(open "${CMAKE_CURRENT_SOURCE_DIR}")
  while(open AND NOT open STREQUAL directory)
    get_property(open DIRECTORY "${open}" PROPERTY PARENT_DIRECTORY)
  endwhile()
  if(NOT open)
    set(directory "${CMAKE_CURRENT_SOURCE_DIR}")
  endif()
  _kopt_defer("${directory}" ${command} ${target})
endfunction()

# Calls `command(target)` at the end of a directory. The code is made here, since a deferred call would expand its variables
# there.
function(_kopt_defer directory command target)
  cmake_language(EVAL CODE "cmake_language(DEFER DIRECTORY [==[${directory}]==] CALL ${command} [==[${target}]==])")
endfunction()

# Ends the configure run with what is wrong and what to write instead.
function(_kopt_error target what remedy)
  message(FATAL_ERROR "kopt_optimize_target(${target}): ${what}\n${remedy}")
endfunction()

function(_kopt_check_keywords target keywords unknown without_value)
  list(JOIN keywords ", " valid)
  if(unknown)
    list(GET unknown 0 first)
    _kopt_error(${target} "unknown argument ${first}." "Valid keywords are ${valid}.")
  elseif(without_value)
    list(GET without_value 0 first)
    _kopt_error(${target} "${first} has no value." "Write its value after it, or leave ${first} out.")
  endif()
endfunction()

function(_kopt_check_target target)
  if(NOT TARGET ${target})
    _kopt_error(${target} "there is no target ${target}."
                "Call it after add_executable(${target} ...) or add_library(${target} ...).")
  endif()
  get_target_property(original ${target} ALIASED_TARGET)
  if(original)
    _kopt_error(${target} "${target} is an ALIAS." "Write kopt_optimize_target(${original} ...).")
  endif()
  get_target_property(imported ${target} IMPORTED)
  if(imported)
    _kopt_error(${target} "${target} is IMPORTED, so nothing of it is compiled here."
                "Call it in the project that builds ${target}.")
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL INTERFACE_LIBRARY OR type STREQUAL UTILITY)
    _kopt_error(${target} "${target} compiles no sources (${type})."
                "Name the executable or library whose sources define the kernels.")
  endif()
endfunction()

# A call for a target that has one already adds kernels; everything else must be as in the first.
function(_kopt_check_further_call target kernels given)
  get_target_property(earlier ${target} KOPT_KERNELS)
  foreach(kernel IN LISTS kernels)
    if(kernel IN_LIST earlier)
      list(JOIN earlier " " words)
      _kopt_error(${target} "kernel ${kernel} was given in an earlier call."
                  "Remove it here; earlier calls have KERNELS ${words}.")
    endif()
  endforeach()
  get_target_property(directory ${target} KOPT_DIRECTORY)
  if(NOT directory STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    _kopt_error(${target} "an earlier call for ${target} stands in ${directory}." "Add the kernels there.")
  endif()
  get_target_property(earlier_given ${target} KOPT_GIVEN)
  foreach(words IN LISTS given)
    if(NOT words IN_LIST earlier_given)
      _kopt_error(${target} "the first call for ${target} does not have ${words}."
                  "Write what holds for all kernels of ${target} in its first call, and only KERNELS here.")
    endif()
  endforeach()
endfunction()

function(_kopt_check_kernels target keywords kernels)
  if(NOT kernels)
    _kopt_error(${target} "no KERNELS." "Name the functions to optimize: KERNELS ns::foo bar.")
  endif()
  set(misspelt) # a misspelt keyword is swallowed by KERNELS
  foreach(keyword IN LISTS keywords)
    string(REGEX REPLACE "(S|_DIR)$" "" stem "${keyword}")
    set(meaning_of_${stem} ${keyword})
    set(meaning_of_${keyword}S ${keyword})
    set(meaning_of_${keyword}_DIR ${keyword})
    list(APPEND misspelt ${stem} ${keyword}S ${keyword}_DIR)
  endforeach()
  list(REMOVE_ITEM misspelt ${keywords})
  set(seen)
  foreach(kernel IN LISTS kernels)
    if(kernel MATCHES "^[()]$")
      _kopt_error(${target} "a signature must be quoted." "Write KERNELS \"foo(int,float*)\".")
    elseif(NOT kernel MATCHES "^(::)?[A-Za-z_]")
      _kopt_error(${target} "${kernel} is not the name of a function."
                  "Write it as in C++: ns::foo, \"foo<float,256>\", \"foo(int,float*)\".")
    endif()
    if(kernel IN_LIST misspelt)
      _kopt_error(${target} "unknown keyword ${kernel}." "Did you mean ${meaning_of_${kernel}}?")
    endif()
    if(kernel IN_LIST seen)
      _kopt_error(${target} "kernel ${kernel} is named twice." "Name it once.")
    endif()
    list(APPEND seen "${kernel}")
  endforeach()
endfunction()

# TOLERANCE <relative> [<absolute>]
function(_kopt_set_tolerance target values)
  list(LENGTH values count)
  if(count GREATER 2)
    _kopt_error(${target} "TOLERANCE has ${count} values."
                "Write TOLERANCE <relative> [<absolute>], for example TOLERANCE 1e-9.")
  endif()
  foreach(option IN ITEMS TOLERANCE TOLERANCE_ABSOLUTE)
    list(POP_FRONT values value)
    if(NOT "${value}" STREQUAL "")
      set_property(TARGET ${target} PROPERTY KOPT_${option} "${value}")
    endif()
  endforeach()
endfunction()

# BUDGET [SECONDS <n>] [EVALUATIONS <n>]
function(_kopt_set_budget target words)
  while(words)
    list(POP_FRONT words unit value)
    if(NOT unit MATCHES "^(SECONDS|EVALUATIONS)$" OR "${value}" STREQUAL "")
      _kopt_error(${target} "BUDGET does not understand \"${unit} ${value}\"."
                  "Write BUDGET SECONDS 60 EVALUATIONS 100, or one of the two.")
    endif()
    set_property(TARGET ${target} PROPERTY KOPT_BUDGET_${unit} "${value}")
  endwhile()
endfunction()

function(_kopt_check_values target)
  foreach(option IN ITEMS TOLERANCE TOLERANCE_ABSOLUTE MIN_SPEEDUP BUDGET_SECONDS BUDGET_EVALUATIONS)
    _kopt_get(${target} ${option} value)
    if(NOT "${value}" MATCHES "^([0-9]+\\.?[0-9]*([eE][-+]?[0-9]+)?|\\.[0-9]+([eE][-+]?[0-9]+)?)?$")
      _kopt_error(${target} "${option} \"${value}\" is not a number." "Write a number, for example ${option} 1e-6.")
    endif()
  endforeach()
  _kopt_get(${target} PLATFORM platform)
  if(NOT platform MATCHES "^(host)?$")
    _kopt_error(${target} "PLATFORM ${platform} is not supported." "Write PLATFORM host, or leave PLATFORM out.")
  endif()
  _kopt_get(${target} VALIDATE validate)
  _kopt_get(${target} TESTS tests)
  if(validate AND tests)
    _kopt_error(${target} "both VALIDATE and TESTS." "Give VALIDATE <command>... or TESTS <ctest regex>.")
  endif()
  foreach(keyword IN ITEMS CASES HELD_OUT)
    _kopt_get(${target} ${keyword} files)
    foreach(file IN LISTS files)
      if(NOT EXISTS "${file}")
        _kopt_error(${target} "${keyword} file ${file} does not exist."
                    "Relative paths are taken from ${CMAKE_CURRENT_SOURCE_DIR}.")
      endif()
    endforeach()
  endforeach()
  if(NOT CMAKE_CXX_COMPILER)
    _kopt_error(${target} "the project has no C++ compiler." "Enable the language: project(... LANGUAGES CXX).")
  endif()
  get_property(program GLOBAL PROPERTY KOPT_PROGRAM SET)
  if(NOT program)
    _kopt_error(${target} "the program kopt was not found." "Use find_package(KernelOpt REQUIRED), which says what is missing.")
  endif()
endfunction()

# Keeps who called and what follows from it.
function(_kopt_remember_call target kernels given)
  set(work_dir "${CMAKE_BINARY_DIR}/kopt/${target}")
  get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(multi_config)
    string(APPEND work_dir "/$<CONFIG>")
  endif()
  set_target_properties(
    ${target}
    PROPERTIES KOPT_KERNELS "${kernels}"
               KOPT_GIVEN "${given}"
               KOPT_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
               KOPT_BINARY_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}"
               KOPT_WORK_DIR "${work_dir}"
               KOPT_SPEC "${work_dir}/spec.json")
endfunction()

# Makes the paths among the keywords absolute, from the calling directory.
function(_kopt_resolve_paths target)
  _kopt_get(${target} VARIANTS_DIR variants_dir)
  if(NOT variants_dir)
    set_property(TARGET ${target} PROPERTY KOPT_VARIANTS_DIR kopt)
  endif()
  foreach(keyword IN ITEMS VARIANTS_DIR TEMPLATE CASES HELD_OUT)
    _kopt_get(${target} ${keyword} paths)
    set(absolute)
    foreach(path IN LISTS paths)
      cmake_path(ABSOLUTE_PATH path BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
      list(APPEND absolute "${path}")
    endforeach()
    set_property(TARGET ${target} PROPERTY KOPT_${keyword} "${absolute}")
  endforeach()
endfunction()

# The value in force of a keyword or option: the target's property, else the CMake variable (the property is initialised from it
# only for targets made after find_package()), else empty.
function(_kopt_get target name result)
  get_property(is_set TARGET ${target} PROPERTY KOPT_${name} SET)
  if(is_set)
    get_property(value TARGET ${target} PROPERTY KOPT_${name})
  else()
    set(value "${KOPT_${name}}")
  endif()
  set(${result} "${value}" PARENT_SCOPE)
endfunction()

# Options of kopt (docs/options.md) that a target may set; tools/core/options.cpp holds the same list.
set_property(
  GLOBAL
  PROPERTY KOPT_OPTIONS
           propose
           strategy
           budget_seconds
           budget_evaluations
           tolerance
           tolerance_absolute
           min_speedup
           judge_seconds
           seed
           capture_limit_mb
           capture_calls
           validate_pairs
           required
           sandbox)
