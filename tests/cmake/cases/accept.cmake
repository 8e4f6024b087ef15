# An accepted record takes effect on the next plain build, and so does taking it away; only what changed is built; the user's
# edits arrive.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
start(simple)
set(store ${source}/kopt/app)
configure(-D CALL=ON)
build()
application_prints("31 2 7")

# The first acceptance. kernels.cpp checks that per-source properties, set after the call, are still there, and includes
# "local.h" of its own folder.
accept(${store}/ns.foo src/kernels.cpp "#define VARIANT 1000")
build()
application_prints("1031 2 7")
if(output MATCHES "main.cpp.o|plain.cpp.o")
  message(FATAL_ERROR "More than the swapped source was compiled:\n${output}")
endif()
run(PRINTS "no work to do" COMMAND ninja -C ${build})

# Order and originals in the spec; the generated source compiled, the original not.
file(READ ${build}/kopt/app/spec.json spec)
string(JSON generated GET "${spec}" swapped ${source}/src/kernels.cpp)
string(JSON second GET "${spec}" sources 1)
expect_equal("second source" "${second}" "${source}/src/kernels.cpp")
run(PRINTS "${generated}" LACKS "-c ${source}/src/kernels.cpp" "-x c++" COMMAND ninja -C ${build} -t commands app)
set(order "main.cpp.o [^ ]*kernels-[0-9a-f]+.cpp.o [^ ]*other/kernels.cpp.o [^ ]*plain.cpp.o [^ ]*kopt_runtime.cpp.o")
if(NOT output MATCHES "${order}")
  message(FATAL_ERROR "The order of the target's objects changed:\n${output}")
endif()

# Edits: of a header beside the original, of the original, of the variant.
file(WRITE ${source}/src/local.h "constexpr int local = 2;\n")
build()
application_prints("1032 2 7")
file(READ ${source}/src/kernels.cpp text)
string(REPLACE "n * scale" "n * scale * 2" text "${text}")
file(WRITE ${source}/src/kernels.cpp "${text}")
build()
application_prints("1062 2 7")
accept(${store}/ns.foo src/kernels.cpp "#define VARIANT 2000")
build()
application_prints("2062 2 7")

# A second kernel in another source of the same name.
accept(${store}/bar-int-double other/kernels.cpp "static int unused_here;")
build()
application_prints("2062 2 7")
file(READ ${build}/kopt/app/spec.json spec)
string(JSON count LENGTH "${spec}" swapped)
expect_equal("number of swapped sources" ${count} 2)

# Records that cannot be used: one warning, the original is built.
accept(${store}/bar-int-double src/gone.cpp "")
run(PRINTS "which is not a source of app" "run kopt-tune-app" COMMAND ninja -C ${build})
file(GLOB variant ${store}/ns.foo/*/variant.cpp)
file(REMOVE ${variant})
run(PRINTS "is missing" "Restore the file" COMMAND ninja -C ${build})
application_prints("62 2 7")
file(REMOVE_RECURSE ${store})
run(LACKS "Warning" COMMAND ninja -C ${build})
application_prints("62 2 7")
run(LACKS "kopt" COMMAND ninja -C ${build} -t commands app)

# A unity build keeps the generated source apart.
accept(${store}/ns.foo src/kernels.cpp "#define VARIANT 1000")
file(REMOVE_RECURSE ${build})
configure(-D CALL=ON -D CMAKE_UNITY_BUILD=ON)
build()
application_prints("1062 2 7")
run(PRINTS "-c ${build}/kopt/app/src/kernels-" COMMAND ninja -C ${build} -t commands app)
build(kopt-probed-app)
run(PRINTS "62 2 7" COMMAND ${build}/kopt/app/capture/app 3)
