add_executable(kopt_verb_test unit/kopt_verb_test.cpp)
target_link_libraries(kopt_verb_test PRIVATE kopt_verbs GTest::gtest_main)
gtest_discover_tests(kopt_verb_test)
