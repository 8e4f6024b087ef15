add_executable(kopt_platform_test ${CMAKE_CURRENT_LIST_DIR}/platform_host_test.cpp)
target_link_libraries(kopt_platform_test PRIVATE kopt_platform GTest::gtest_main GTest::gmock)
gtest_discover_tests(kopt_platform_test)
