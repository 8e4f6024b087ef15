add_executable(kopt_evaluate_runner ${CMAKE_CURRENT_LIST_DIR}/evaluate_runner.cpp)
target_link_libraries(kopt_evaluate_runner PRIVATE kopt_evaluate)

add_library(kopt_evaluate_fixture INTERFACE)
target_include_directories(kopt_evaluate_fixture INTERFACE ${CMAKE_CURRENT_LIST_DIR})
target_compile_definitions(
  kopt_evaluate_fixture
  INTERFACE KOPT_TEST_CXX="${CMAKE_CXX_COMPILER}" KOPT_TEST_RUNNER="$<TARGET_FILE:kopt_evaluate_runner>"
            KOPT_TEST_EXPLOITS="${CMAKE_CURRENT_LIST_DIR}/../exploits")
target_link_libraries(kopt_evaluate_fixture INTERFACE kopt_evaluate kopt_mep GTest::gtest_main GTest::gmock)

# In one process, so that the original is compiled and learnt once.
add_executable(kopt_evaluate_exploits_test ${CMAKE_CURRENT_LIST_DIR}/evaluate_exploits_test.cpp)
target_link_libraries(kopt_evaluate_exploits_test PRIVATE kopt_evaluate_fixture)
add_dependencies(kopt_evaluate_exploits_test kopt_evaluate_runner)
add_test(NAME evaluate.exploits COMMAND kopt_evaluate_exploits_test)

add_executable(
  kopt_evaluate_test
  ${CMAKE_CURRENT_LIST_DIR}/evaluate_arena_test.cpp ${CMAKE_CURRENT_LIST_DIR}/evaluate_comparison_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/evaluate_inspection_test.cpp ${CMAKE_CURRENT_LIST_DIR}/evaluate_judge_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/evaluate_openmp_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/evaluate_precision_test.cpp ${CMAKE_CURRENT_LIST_DIR}/evaluate_sizes_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/evaluate_statistics_test.cpp)
target_link_libraries(kopt_evaluate_test PRIVATE kopt_evaluate_fixture)
add_dependencies(kopt_evaluate_test kopt_evaluate_runner)
gtest_discover_tests(kopt_evaluate_test)
