# A package without kopt-source still builds accepted variants in and gates them; what needs extraction says what to install.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
start(simple)
set(absent -D KOPT_SOURCE_PROGRAM=${WORK}/absent)
configure(-D CALL=ON ${absent})
accept(${source}/kopt/app/ns.foo src/kernels.cpp "#define VARIANT 1000")
build()
application_prints("1031 2 7")
run(PRINTS "100% tests passed" COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${build} -L kopt)
run(FAILS PRINTS "kopt-tune: this KernelOpt was built without kopt-source. Install libclang-22-dev llvm-22-dev"
    COMMAND ninja -C ${build} kopt-tune)
build(kopt-validate)

# A cross build uses what was accepted for its system, and nothing else; it does not tune.
file(REMOVE_RECURSE ${build})
configure(-D CALL=ON -D CMAKE_SYSTEM_NAME=Linux -D CMAKE_SYSTEM_PROCESSOR=far)
build()
application_prints("31 2 7")
execute_process(COMMAND uname -m OUTPUT_VARIABLE arch OUTPUT_STRIP_TRAILING_WHITESPACE)
file(COPY ${source}/kopt/app/ns.foo/${arch}/ DESTINATION ${source}/kopt/app/ns.foo/far)
build()
application_prints("1031 2 7")
run(FAILS PRINTS "kopt-tune: this build is for another system (Linux far)" "Run kopt-tune in a build on that system"
    COMMAND ninja -C ${build} kopt-tune)
