# Several calls for a target add kernels; names that would share a folder get a hash; what the store holds for no kernel is
# said.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK})
file(WRITE ${source}/main.cpp "int main() {}\n")

# kernels_are(<text of the calls> <slug>...): the slugs in the spec, in the order of the calls; ${calls} may be in other words.
function(kernels_are calls)
  file(WRITE ${source}/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\nproject(kernels LANGUAGES CXX)\n\
enable_testing()\nfind_package(KernelOpt REQUIRED)\nadd_executable(app main.cpp)\n${calls}\n")
  configure()
  file(READ ${build}/kopt/app/spec.json spec)
  string(JSON count LENGTH "${spec}" slugs)
  set(slugs)
  math(EXPR last "${count} - 1")
  foreach(i RANGE ${last})
    string(JSON slug GET "${spec}" slugs ${i})
    list(APPEND slugs ${slug})
  endforeach()
  expect_equal("slugs and what is expected" "${slugs}" "${ARGN}")
endfunction()

kernels_are([[
kopt_optimize_target(app KERNELS foo MIN_SPEEDUP 2)
kopt_optimize_target(app KERNELS ns::bar "foo(int)" MIN_SPEEDUP 2)]] foo ns.bar foo-int)
run(PRINTS kopt.app.foo.fresh kopt.app.ns.bar.fresh "Total Tests: 15" COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${build} -N)

# The hash is of the name alone: neither the order nor what else there is changes it.
kernels_are([[kopt_optimize_target(app KERNELS "foo(int)" foo<int> bar)]] foo-int-0a8c55df foo-int-25448962 bar)
kernels_are([[
kopt_optimize_target(app KERNELS bar foo<int>)
kopt_optimize_target(app KERNELS "foo(int)")]] bar foo-int-25448962 foo-int-0a8c55df)
# Generated code makes the same identifier of these.
kernels_are([[kopt_optimize_target(app KERNELS a::b a_b)]] a.b-7288d573 a_b-eb2980a5)
build(kopt-extract-app)
if(NOT EXISTS ${build}/kopt/app/a.b-7288d573/model.json)
  message(FATAL_ERROR "a::b was not extracted into the folder of its slug")
endif()

accept(${source}/kopt/app/foo-int main.cpp "")
configure(PRINTS "app: ${source}/kopt/app/foo-int is of no kernel in KERNELS and not built")
