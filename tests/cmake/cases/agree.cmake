# The package and the tools agree on slugs, on the names of options and on the architecture's name.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK})
file(WRITE ${WORK}/kernels "\
foo
ns::foo
::foo
foo<float,256>
a::b<c::d, e>::f
bar(int, double*)
Class::operator()(int) const
operator+=(const V &, const V &)
x...y
a - b
a::::b
a:b:::c
f(std::vector<double> const&)  
under_score_
größe
")
file(WRITE ${source}/CMakeLists.txt [[
cmake_minimum_required(VERSION 3.25)
project(agree LANGUAGES CXX)
find_package(KernelOpt REQUIRED)
file(STRINGS ${CMAKE_SOURCE_DIR}/../kernels kernels ENCODING UTF-8)
foreach(kernel IN LISTS kernels)
  _kopt_slug(slug "${kernel}")
  list(APPEND facts "${slug}")
endforeach()
get_property(options GLOBAL PROPERTY KOPT_OPTIONS)
_kopt_arch(arch)
list(JOIN facts "\n" facts)
list(JOIN options "\n" options)
file(WRITE ${CMAKE_BINARY_DIR}/facts "${facts}\n${options}\n")
file(WRITE ${CMAKE_BINARY_DIR}/arch "${arch}\n")
]])
configure()
file(STRINGS ${WORK}/kernels kernels ENCODING UTF-8)
run(COMMAND ${FACTS} ${kernels})
file(READ ${build}/facts facts)
expect_equal("slugs and options of CMake and of kopt" "${facts}" "${output}")
run(COMMAND uname -m)
file(READ ${build}/arch arch)
expect_equal("architectures" "${arch}" "${output}")
