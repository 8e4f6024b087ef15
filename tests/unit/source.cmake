if(NOT TARGET kopt_source)
  return()
endif()
add_executable(kopt_source_test ${CMAKE_CURRENT_LIST_DIR}/source_closure_test.cpp ${CMAKE_CURRENT_LIST_DIR}/source_command_test.cpp
                                ${CMAKE_CURRENT_LIST_DIR}/source_fixture.cpp ${CMAKE_CURRENT_LIST_DIR}/source_toolchain_test.cpp
                                ${CMAKE_CURRENT_LIST_DIR}/source_word_index_test.cpp)
target_link_libraries(kopt_source_test PRIVATE kopt_source GTest::gtest_main GTest::gmock)
target_compile_definitions(kopt_source_test PRIVATE KOPT_SOURCE_CASES="${CMAKE_CURRENT_LIST_DIR}/../source")
gtest_discover_tests(kopt_source_test)
