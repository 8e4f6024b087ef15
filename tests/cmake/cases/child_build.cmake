# KernelOpt's real sources as a part of a project: kopt is built for an accepted variant, kopt-source to extract.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
set(tools)
unset(ENV{CCACHE_DISABLE})
start(subproject)
find_program(ccache ccache)
set(launcher)
if(ccache) # what the tests' own build has compiled is not compiled again
  set(launcher "-DCMAKE_CXX_COMPILER_LAUNCHER=${ccache}")
endif()
file(WRITE ${WORK}/settings.cmake "set(KOPT_TOOLS_ARGUMENTS \"-DKOPT_WERROR=ON;${launcher}\" CACHE STRING \"\")\n")
accept(${source}/kopt/app/twice kernels.cpp "")
configure(-C ${WORK}/settings.cmake -D HOW=add_subdirectory -D KERNELOPT=${root})
run(PRINTS "warning: kopt builds the original of" COMMAND ninja -C ${build}) # the record is none
application_prints("6")
build(kopt-extract)
file(READ ${build}/kopt/app/twice/model.json model)
string(JSON name GET "${model}" kernel name)
expect_equal("the kernel's name in the model and what is expected" "${name}" twice)
