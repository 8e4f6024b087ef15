add_executable(
  kopt_mep_test
  ${CMAKE_CURRENT_LIST_DIR}/mep_dispatch_test.cpp ${CMAKE_CURRENT_LIST_DIR}/mep_edit_test.cpp ${CMAKE_CURRENT_LIST_DIR}/mep_header_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/mep_instantiation_test.cpp ${CMAKE_CURRENT_LIST_DIR}/mep_mep_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/mep_sizing_test.cpp ${CMAKE_CURRENT_LIST_DIR}/mep_source_test.cpp ${CMAKE_CURRENT_LIST_DIR}/mep_workload_test.cpp)
target_include_directories(kopt_mep_test PRIVATE ${CMAKE_CURRENT_LIST_DIR})
target_link_libraries(kopt_mep_test PRIVATE kopt_mep GTest::gtest_main GTest::gmock ${CMAKE_DL_LIBS})
target_compile_definitions(kopt_mep_test PRIVATE KOPT_MODELS="${CMAKE_CURRENT_LIST_DIR}/../models")
gtest_discover_tests(kopt_mep_test)
