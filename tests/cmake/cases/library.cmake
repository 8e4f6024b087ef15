# A static library whose application is another target, with the call in the library's directory, in a later one, and in the one
# above.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

function(library_works where)
  message(STATUS "call in ${where}")
  file(REMOVE_RECURSE ${build} ${source}/lib/kopt)
  configure(-D WHERE=${where})
  # The probed object of the library takes the place of the archive's member, and has the library's own flags and generated
  # header.
  run(LACKS "warning" COMMAND ninja -C ${build} kopt-tune)
  run(PRINTS kopt_probed COMMAND nm ${build}/kopt/kernels/capture/app)
  run(PRINTS "7" COMMAND ${build}/kopt/kernels/capture/app 3)
  build()
  application_prints("7")
  run(PRINTS "no work to do" COMMAND ninja -C ${build})
  accept(${source}/lib/kopt/kernels/twice "${source}/lib/twice.cpp" "#define VARIANT 100")
  build()
  application_prints("107")
  run(LACKS "-c ${source}/lib/twice.cpp" COMMAND ninja -C ${build} -t commands app)
  run(PRINTS "no work to do" COMMAND ninja -C ${build})
  build(kopt-probed-kernels)
  run(PRINTS "7" LACKS "107" COMMAND ${build}/kopt/kernels/capture/app 3) # captures what the original does
  file(REMOVE_RECURSE ${source}/lib/kopt)
  build()
  application_prints("7")
endfunction()

start(library)
library_works(lib)
library_works(program)
library_works(top)

# An application that links what only its own directory knows can be captured from there, and the call elsewhere says so.
file(REMOVE_RECURSE ${build})
configure(-D WHERE=program -D LOCAL_LIBRARY=ON)
build(kopt-probed-kernels)
file(REMOVE_RECURSE ${build})
configure(-D WHERE=top -D LOCAL_LIBRARY=ON PRINTS "no capture, since Threads::Threads is known only in ${source}/program")
build(kopt-tune)
