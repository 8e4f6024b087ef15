# The package and the tools agree on slugs, on the names of options and on the architecture's name.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
set(CMAKE_PREFIX_PATH ${PACKAGE})
set(KOPT_PROGRAM ${stand_in})
find_package(KernelOpt REQUIRED)
set(kernels
    foo
    ns::foo
    ::foo
    "foo<float,256>"
    "a::b<c::d, e>::f"
    "bar(int, double*)"
    "Class::operator()(int) const"
    "operator+=(const V &, const V &)"
    "x...y"
    "a - b"
    "a::::b"
    "a:b:::c"
    "f(std::vector<double> const&)  "
    "under_score_"
    "größe")
set(expected)
foreach(kernel IN LISTS kernels)
  _kopt_slug(slug "${kernel}")
  string(APPEND expected "${slug}\n")
endforeach()
get_property(options GLOBAL PROPERTY KOPT_OPTIONS)
foreach(option IN LISTS options)
  string(APPEND expected "${option}\n")
endforeach()
run(COMMAND ${FACTS} ${kernels})
expect_equal("slugs and options of CMake and of kopt" "${expected}" "${output}")

cmake_host_system_information(RESULT CMAKE_SYSTEM_PROCESSOR QUERY OS_PLATFORM)
_kopt_arch(arch)
run(COMMAND uname -m)
expect_equal("architectures" "${arch}\n" "${output}")
