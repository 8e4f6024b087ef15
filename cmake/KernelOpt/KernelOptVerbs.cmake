# Verbs: the targets that run kopt. None is part of ALL. Each verb has kopt-<verb>-<target>, and kopt-<verb> for all targets of
# the project. What measures time runs in Ninja's console pool, so one at a time, and after everything it needs is built. The
# environment (KOPT_...) reaches kopt as is.
include_guard(GLOBAL)

function(_kopt_add_verbs target)
  get_property(can_extract GLOBAL PROPERTY KOPT_SOURCE_PROGRAM SET)
  _kopt_application(${target} application)
  if(can_extract AND NOT CMAKE_CROSSCOMPILING)
    _kopt_add_extract(${target})
    _kopt_add_capture_run(${target})
    _kopt_add_mep(${target})
    _kopt_add_console_verb(${target} tune "Tuning the kernels of ${target}")
    _kopt_needs(${target} tune kopt-models-${target})
    get_property(capture_target TARGET ${target} PROPERTY KOPT_CAPTURE_TARGET)
    _kopt_get(${target} CASES cases)
    if(capture_target AND NOT cases)
      _kopt_needs(${target} tune ${capture_target})
    endif()
  else()
    foreach(verb IN ITEMS extract mep capture tune)
      _kopt_add_unavailable(${target} ${verb})
    endforeach()
  endif()
  _kopt_add_console_verb(${target} validate "Validating the accepted variants inside ${target}")
  _kopt_needs(${target} validate ${target} ${application})
  _kopt_add_console_verb(${target} report "Reporting on ${target}")
  foreach(verb IN ITEMS validate report)
    foreach(name IN ITEMS kopt-${verb}-${target} kopt-${verb})
      _kopt_needs_program(${name} KOPT_PROGRAM)
    endforeach()
  endforeach()
endfunction()

# What came of the extraction of a target's kernels, in their order: beside each lies the model, where there is one.
function(_kopt_extractions target result)
  _kopt_get(${target} WORK_DIR work_dir)
  _kopt_get(${target} SLUGS slugs)
  list(TRANSFORM slugs REPLACE "^(.+)$" "${work_dir}/\\1/extraction.json")
  set(${result} "${slugs}" PARENT_SCOPE)
endfunction()

# One run of kopt-source for all kernels, which reads each source once, when the spec, the flags or a file that was read changes.
# A kernel that cannot be extracted does not stop the build of what the others need (kopt-models-<target>); kopt-extract-<target>
# says why it cannot.
function(_kopt_add_extract target)
  get_property(program GLOBAL PROPERTY KOPT_PROGRAM)
  get_property(source_program GLOBAL PROPERTY KOPT_SOURCE_PROGRAM)
  foreach(name IN ITEMS WORK_DIR SPEC)
    _kopt_get(${target} ${name} ${name})
  endforeach()
  _kopt_prerequisites(${target} dependencies)
  _kopt_extractions(${target} extractions)
  set(stamp "${WORK_DIR}/extract.stamp")
  set(depfile DEPFILE "${stamp}.d")
  if(CMAKE_CROSS_CONFIGS) # a DEPFILE for each configuration crashes CMake (3.25) together with these
    set(depfile)
    _kopt_get(${target} SOURCES sources)
    list(APPEND dependencies ${sources})
  endif()
  add_custom_command(
    OUTPUT "${stamp}" ${extractions}
    COMMAND "${program}" extract --spec "${SPEC}" --output "${stamp}" --depfile "${stamp}.d"
    COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
    DEPENDS "${SPEC}" "${WORK_DIR}/flags.CXX" "${program}" "${source_program}" ${dependencies}
    ${depfile}
    COMMENT "Extracting the kernels of ${target}"
    VERBATIM)
  add_custom_target(kopt-models-${target} DEPENDS "${stamp}" ${extractions})
  set_property(TARGET kopt-models-${target} PROPERTY FOLDER KernelOpt)
  _kopt_needs_program(kopt-models-${target} KOPT_PROGRAM)
  _kopt_needs_program(kopt-models-${target} KOPT_SOURCE_PROGRAM)
  add_custom_target(kopt-extract-${target} COMMAND "${program}" extract --spec "${SPEC}" VERBATIM)
  _kopt_add_to_all_targets(${target} extract)
  add_dependencies(kopt-extract-${target} kopt-models-${target})
endfunction()

# What must be there before the target's sources can be read: what it was told to depend on, and its generated sources. Those of
# another directory, whose rules are not known here, and those that CMake's own generators make come with the target itself. So
# do all of them with make, where two targets that have the same rule would run it at the same time.
function(_kopt_prerequisites target result)
  get_target_property(prerequisites ${target} MANUALLY_ADDED_DEPENDENCIES)
  if(NOT prerequisites)
    set(prerequisites)
  endif()
  get_target_property(directory ${target} SOURCE_DIR)
  set(needs_target FALSE)
  _kopt_get(${target} SOURCES sources)
  foreach(source IN LISTS sources)
    get_property(generated SOURCE "${source}" TARGET_DIRECTORY ${target} PROPERTY GENERATED)
    if(generated AND directory STREQUAL CMAKE_CURRENT_SOURCE_DIR)
      list(APPEND prerequisites "${source}")
    endif()
    if(generated AND (NOT directory STREQUAL CMAKE_CURRENT_SOURCE_DIR OR CMAKE_GENERATOR MATCHES Makefiles))
      set(needs_target TRUE)
    endif()
  endforeach()
  foreach(generator IN ITEMS AUTOMOC AUTOUIC AUTORCC)
    get_target_property(used ${target} ${generator})
    if(used)
      set(needs_target TRUE)
    endif()
  endforeach()
  if(needs_target)
    list(APPEND prerequisites ${target})
  endif()
  set(${result} "${prerequisites}" PARENT_SCOPE)
endfunction()

# One run of the probed application; a stamp says that it was done with this probed application.
function(_kopt_add_capture_run target)
  get_property(program GLOBAL PROPERTY KOPT_PROGRAM)
  get_property(capture_target TARGET ${target} PROPERTY KOPT_CAPTURE_TARGET)
  _kopt_get(${target} WORK_DIR work_dir)
  _kopt_get(${target} SPEC spec)
  if(NOT capture_target)
    _kopt_add_file_verb(${target} capture)
    return()
  endif()
  _kopt_extractions(${target} extractions)
  add_custom_command(
    OUTPUT "${work_dir}/capture.stamp"
    COMMAND "${program}" capture --spec "${spec}"
    COMMAND "${CMAKE_COMMAND}" -E touch "${work_dir}/capture.stamp"
    DEPENDS ${capture_target} ${extractions} "${spec}"
    COMMENT "Capturing one run of ${target}"
    USES_TERMINAL VERBATIM)
  _kopt_add_file_verb(${target} capture "${work_dir}/capture.stamp")
endfunction()

# The MEP of each kernel, as a target of its own: from the model, the cases and the templates.
function(_kopt_add_mep target)
  get_property(program GLOBAL PROPERTY KOPT_PROGRAM)
  get_property(templates GLOBAL PROPERTY KOPT_TEMPLATES)
  get_property(capture_target TARGET ${target} PROPERTY KOPT_CAPTURE_TARGET)
  foreach(name IN ITEMS WORK_DIR SPEC KERNELS SLUGS CASES HELD_OUT TEMPLATE)
    _kopt_get(${target} ${name} ${name})
  endforeach()
  set(prerequisites kopt-models-${target})
  if(capture_target AND NOT CASES)
    set(CASES "${WORK_DIR}/capture.stamp")
    list(APPEND prerequisites kopt-capture-${target})
  endif()
  file(GLOB_RECURSE template_files "${templates}/host/*")
  if(TEMPLATE)
    file(GLOB_RECURSE own_files "${TEMPLATE}/*")
  endif()
  set(each)
  foreach(kernel slug IN ZIP_LISTS KERNELS SLUGS)
    set(stamp "${WORK_DIR}/${slug}/mep.stamp")
    add_custom_command(
      OUTPUT "${stamp}"
      COMMAND "${program}" mep --spec "${SPEC}" --kernel "${kernel}"
      COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
      DEPENDS "${WORK_DIR}/${slug}/extraction.json" "${SPEC}" "${program}" ${CASES} ${HELD_OUT} ${template_files} ${own_files}
      COMMENT "Making the MEP of ${kernel}"
      VERBATIM)
    add_custom_target(kopt-mep-${target}-${slug} DEPENDS "${stamp}")
    set_property(TARGET kopt-mep-${target}-${slug} PROPERTY FOLDER KernelOpt)
    add_dependencies(kopt-mep-${target}-${slug} ${prerequisites})
    list(APPEND each kopt-mep-${target}-${slug})
  endforeach()
  _kopt_add_file_verb(${target} mep)
  add_dependencies(kopt-mep-${target} ${each})
endfunction()

# kopt-<verb>-<target>, which makes files, and kopt-<verb>, which makes those of all targets.
function(_kopt_add_file_verb target verb)
  add_custom_target(kopt-${verb}-${target} DEPENDS ${ARGN})
  _kopt_add_to_all_targets(${target} ${verb})
endfunction()

# kopt-<verb>, which builds kopt-<verb>-<target> for all targets.
function(_kopt_add_to_all_targets target verb)
  if(NOT TARGET kopt-${verb})
    add_custom_target(kopt-${verb})
  endif()
  add_dependencies(kopt-${verb} kopt-${verb}-${target})
  set_property(TARGET kopt-${verb}-${target} kopt-${verb} PROPERTY FOLDER KernelOpt)
endfunction()

# kopt-<verb>-<target>, which runs kopt on the terminal, and kopt-<verb>, which runs it once for the specs of all targets.
function(_kopt_add_console_verb target verb comment)
  get_property(program GLOBAL PROPERTY KOPT_PROGRAM)
  _kopt_get(${target} SPEC spec)
  add_custom_target(
    kopt-${verb}-${target}
    COMMAND "${program}" ${verb} --spec "${spec}"
    COMMENT "${comment}"
    USES_TERMINAL VERBATIM)
  if(NOT TARGET kopt-${verb})
    add_custom_target(
      kopt-${verb}
      COMMAND "${program}" ${verb} "$<GENEX_EVAL:$<TARGET_PROPERTY:kopt-${verb},KOPT_SPEC_ARGUMENTS>>"
      COMMENT "Running kopt ${verb} for all targets"
      COMMAND_EXPAND_LISTS USES_TERMINAL VERBATIM)
  endif()
  set_property(TARGET kopt-${verb} APPEND PROPERTY KOPT_SPEC_ARGUMENTS --spec "${spec}")
  set_property(TARGET kopt-${verb}-${target} kopt-${verb} PROPERTY FOLDER KernelOpt)
endfunction()

# Lets both targets of a console verb wait for other targets.
function(_kopt_needs target verb)
  add_dependencies(kopt-${verb}-${target} ${ARGN})
  add_dependencies(kopt-${verb} ${ARGN})
endfunction()

# In place of a verb that needs kopt-source, where there is none, or that runs kernels, which a cross build cannot: says so when
# it is built.
function(_kopt_add_unavailable target verb)
  set(reason "this KernelOpt was built without kopt-source. Install libclang-22-dev llvm-22-dev and rebuild it.")
  if(CMAKE_CROSSCOMPILING)
    set(reason "this build is for another system (${CMAKE_SYSTEM_NAME} ${CMAKE_SYSTEM_PROCESSOR}), and kernels are tuned where \
they run. Run kopt-tune in a build on that system and commit what it accepts: this build uses it.")
  endif()
  foreach(name IN ITEMS kopt-${verb}-${target} kopt-${verb})
    if(NOT TARGET ${name})
      add_custom_target(
        ${name}
        COMMAND "${CMAKE_COMMAND}" -E echo "${name}: ${reason}"
        COMMAND "${CMAKE_COMMAND}" -E false
        VERBATIM)
      set_property(TARGET ${name} PROPERTY FOLDER KernelOpt)
    endif()
  endforeach()
endfunction()
