find_program(compiler NAMES c++ g++ REQUIRED)
set(CMAKE_CXX_COMPILER ${compiler})
set(CMAKE_CXX_FLAGS_INIT -DFROM_TOOLCHAIN=1)
