add_executable(kopt_core_test
  unit/core_bounded_test.cpp unit/core_case_test.cpp unit/core_disk_test.cpp unit/core_expression_test.cpp unit/core_extent_test.cpp unit/core_extraction_result_test.cpp unit/core_feature_test.cpp unit/core_json_test.cpp unit/core_lock_test.cpp unit/core_options_test.cpp unit/core_plan_test.cpp
  unit/core_polynomial_test.cpp unit/core_process_test.cpp unit/core_record_test.cpp unit/core_slug_test.cpp)
target_link_libraries(kopt_core_test PRIVATE kopt_core GTest::gtest_main GTest::gmock)
gtest_discover_tests(kopt_core_test)
