add_executable(
  kopt_capture_test ${CMAKE_CURRENT_LIST_DIR}/capture_cases_test.cpp ${CMAKE_CURRENT_LIST_DIR}/capture_probe_test.cpp
                    ${CMAKE_CURRENT_LIST_DIR}/capture_recording_test.cpp)
target_include_directories(kopt_capture_test PRIVATE ${CMAKE_CURRENT_LIST_DIR})
target_compile_definitions(
  kopt_capture_test PRIVATE KOPT_TEST_CXX="${CMAKE_CXX_COMPILER}" KOPT_TEST_RUNTIME="${PROJECT_SOURCE_DIR}/templates/runtime/kopt_capture.cpp")
target_link_libraries(kopt_capture_test PRIVATE kopt_mep GTest::gtest_main GTest::gmock)
# The Probe tests share one compiled application, so they run as one.
gtest_discover_tests(kopt_capture_test TEST_FILTER -Probe.*)
add_test(NAME Probe COMMAND kopt_capture_test --gtest_filter=Probe.*)
