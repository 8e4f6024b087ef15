add_executable(
  kopt_capture_test ${CMAKE_CURRENT_LIST_DIR}/capture_cases_test.cpp ${CMAKE_CURRENT_LIST_DIR}/capture_memory_test.cpp
                    ${CMAKE_CURRENT_LIST_DIR}/capture_probe_test.cpp ${CMAKE_CURRENT_LIST_DIR}/capture_recording_test.cpp)
target_include_directories(kopt_capture_test PRIVATE ${CMAKE_CURRENT_LIST_DIR})
target_compile_definitions(
  kopt_capture_test PRIVATE KOPT_TEST_CXX="${CMAKE_CXX_COMPILER}" KOPT_TEST_RUNTIME="${PROJECT_SOURCE_DIR}/templates/runtime/kopt_capture.cpp")
target_link_libraries(kopt_capture_test PRIVATE kopt_mep GTest::gtest_main GTest::gmock)
# The tests of each of these share one compiled application, so they run as one.
gtest_discover_tests(kopt_capture_test TEST_FILTER -Probe.*:Memory.*)
foreach(suite IN ITEMS Probe Memory)
  add_test(NAME ${suite} COMMAND kopt_capture_test --gtest_filter=${suite}.*)
endforeach()
