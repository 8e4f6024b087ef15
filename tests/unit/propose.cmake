add_executable(kopt_rules_test
  ${CMAKE_CURRENT_LIST_DIR}/rules_bands_test.cpp ${CMAKE_CURRENT_LIST_DIR}/rules_contraction_test.cpp ${CMAKE_CURRENT_LIST_DIR}/rules_formula_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/rules_delinearize_test.cpp ${CMAKE_CURRENT_LIST_DIR}/rules_dependence_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/rules_parallel_test.cpp ${CMAKE_CURRENT_LIST_DIR}/rules_privatize_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/rules_refusals_test.cpp ${CMAKE_CURRENT_LIST_DIR}/rules_reschedule_test.cpp ${CMAKE_CURRENT_LIST_DIR}/rules_harness.cpp
  ${CMAKE_CURRENT_LIST_DIR}/rules_variants_test.cpp)
target_include_directories(kopt_rules_test PRIVATE ${CMAKE_CURRENT_LIST_DIR})
target_link_libraries(kopt_rules_test PRIVATE kopt_propose GTest::gtest_main GTest::gmock)
target_compile_definitions(kopt_rules_test PRIVATE KOPT_MODELS="${CMAKE_CURRENT_LIST_DIR}/../models")
gtest_discover_tests(kopt_rules_test)
