# Five tests for each kernel, labelled, skipped where kopt says so; timing runs alone.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
start(simple)
configure(-D CALL=ON)
set(slug kopt.app.bar-int-double)
run(PRINTS "Total Tests: 10" "kopt.app.ns.foo.fresh" ${slug}.fresh ${slug}.build ${slug}.correct ${slug}.faster ${slug}.app
    COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${build} -N -L kopt)
run(PRINTS "kopt.app.ns.foo.faster (Skipped)" "100% tests passed" "fresh of ns::foo" "fresh of bar(int, double*)"
    COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${build} -L kopt -V)
run(COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${build} --show-only=json-v1)
foreach(i RANGE 9)
  string(JSON name GET "${output}" tests ${i} name)
  string(JSON properties GET "${output}" tests ${i} properties)
  if(name MATCHES "[.](faster|app)$" AND NOT properties MATCHES "RUN_SERIAL")
    message(FATAL_ERROR "${name} measures time and does not run alone: ${properties}")
  endif()
endforeach()
