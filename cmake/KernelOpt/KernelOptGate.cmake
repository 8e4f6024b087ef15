# Gate: the tests made for each kernel. They exist where the calling directory has testing enabled, as all tests do.
#   kopt.<target>.<slug>.fresh    the accepted variant still belongs to the source as it is
#   kopt.<target>.<slug>.build    it compiles with the application's flags
#   kopt.<target>.<slug>.correct  it still computes what the original does
#   kopt.<target>.<slug>.faster   it is still faster
#   kopt.<target>.<slug>.app      the application prints the same with variants on and off
# A gate with nothing to check exits with 77 and is skipped. The tests belong to the directory of the target, or to the calling
# one if that is finished.
include_guard(GLOBAL)

function(_kopt_add_gate target)
  _kopt_gate_command(${target} command)
  foreach(name IN ITEMS SPEC KERNELS SLUGS)
    _kopt_get(${target} ${name} ${name})
  endforeach()
  set(checks fresh build correct faster app)
  if(CMAKE_CROSSCOMPILING) # all the others run code of the target system
    set(checks fresh)
  endif()
  foreach(kernel slug IN ZIP_LISTS KERNELS SLUGS)
    foreach(check IN LISTS checks)
      set(test kopt.${target}.${slug}.${check})
      add_test(NAME ${test} COMMAND ${command} gate ${check} --spec "${SPEC}" --kernel "${kernel}")
      set_tests_properties(${test} PROPERTIES LABELS kopt SKIP_RETURN_CODE 77)
      if(check MATCHES "^(faster|app)$") # timing runs alone
        set_tests_properties(${test} PROPERTIES RUN_SERIAL TRUE RESOURCE_LOCK kopt_timing)
      endif()
    endforeach()
  endforeach()
endfunction()

# kopt; where the build makes it only when a variant is accepted, behind a check that it is there.
function(_kopt_gate_command target result)
  get_property(program GLOBAL PROPERTY KOPT_PROGRAM)
  get_property(maker GLOBAL PROPERTY KOPT_PROGRAM_TARGET)
  set(command "${program}")
  if(maker)
    _kopt_get(${target} REQUIRED required)
    set(code 77)
    if(required)
      set(code 1)
    endif()
    string(
      CONCAT script #
             "[ -x \"$0\" ] && exec \"$0\" \"$@\"\n" #
             "echo \"kopt is not built (target ${maker}): it is when a variant is accepted\"\n" #
             "exit ${code}")
    set(command sh -c "${script}" "${program}")
  endif()
  set(${result} "${command}" PARENT_SCOPE)
endfunction()
