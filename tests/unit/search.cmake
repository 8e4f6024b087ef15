add_executable(kopt_search_test unit/search_journal_test.cpp unit/search_sweep_test.cpp unit/search_tuning_test.cpp unit/report_table_test.cpp unit/report_progress_test.cpp)
target_link_libraries(kopt_search_test PRIVATE kopt_search kopt_report GTest::gtest_main GTest::gmock)
gtest_discover_tests(kopt_search_test)
