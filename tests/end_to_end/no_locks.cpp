// Preloaded into kopt by faults_test.sh: a file system without locks.
#include <cerrno>
#include <cstdarg>
#include <dlfcn.h>
#include <fcntl.h>

namespace {

int without_locks(const char *name, int file, int command, void *argument) {
  if (command == F_SETLK || command == F_SETLKW || command == F_GETLK || command == F_OFD_SETLK) {
    errno = ENOLCK;
    return -1;
  }
  return reinterpret_cast<int (*)(int, int, void *)>(::dlsym(RTLD_NEXT, name))(file, command, argument);
}

} // namespace

extern "C" {

int fcntl(int file, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void *const argument = va_arg(arguments, void *);
  va_end(arguments);
  return without_locks("fcntl", file, command, argument);
}

int fcntl64(int file, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void *const argument = va_arg(arguments, void *);
  va_end(arguments);
  return without_locks("fcntl64", file, command, argument);
}

int flock(int, int) {
  errno = ENOLCK;
  return -1;
}
}
