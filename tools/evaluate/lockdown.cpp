#include "evaluate/lockdown.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <initializer_list>
#include <linux/landlock.h>
#include <memory>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kopt::lockdown {

namespace {

void limit(__rlimit_resource resource, rlim_t value) {
  const rlimit both{value, value};
  setrlimit(resource, &both);
}

// The kernel's newer structure; Debian 12's headers know only the first member.
struct LandlockRules {
  std::uint64_t files, network, scope;
};
constexpr std::uint64_t network_rights = 3; // bind and connect, version 4
constexpr std::uint64_t scope_rights = 3;   // abstract sockets and signals, version 6

std::uint64_t writing_rights(int version) {
  std::uint64_t rights = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                         LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |
                         LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                         LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
  if (version >= 2) rights |= 1ULL << 13; // refer: link and rename across folders
  if (version >= 3) rights |= 1ULL << 14; // truncate
  return rights;
}

using Filter = std::unique_ptr<void, decltype(&seccomp_release)>;

Filter new_filter(std::uint32_t action, bool all_threads) {
  Filter filter{seccomp_init(action), seccomp_release};
  if (filter && all_threads && seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_TSYNC, 1) != 0) filter.reset();
  return filter;
}

bool deny(const Filter &filter, std::initializer_list<int> calls) {
  for (const int call : calls)
    if (seccomp_rule_add(filter.get(), SCMP_ACT_TRAP, call, 0) != 0) return false;
  return true;
}

bool allow(const Filter &filter, std::initializer_list<int> calls) {
  for (const int call : calls)
    if (seccomp_rule_add(filter.get(), SCMP_ACT_ALLOW, call, 0) != 0) return false;
  return true;
}

bool deny_opening_for_writing(const Filter &filter) {
  for (const unsigned flag : {O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND}) {
    const scmp_arg_cmp in_openat{2, SCMP_CMP_MASKED_EQ, flag, flag}, in_open{1, SCMP_CMP_MASKED_EQ, flag, flag};
    if (seccomp_rule_add_array(filter.get(), SCMP_ACT_TRAP, SCMP_SYS(openat), 1, &in_openat) != 0) return false;
    if (seccomp_rule_add_array(filter.get(), SCMP_ACT_TRAP, SCMP_SYS(open), 1, &in_open) != 0) return false;
  }
  return true;
}

} // namespace

void limit_resources(std::uint64_t address_space) {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_MSGQUEUE, 0);
  limit(RLIMIT_AS, address_space);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

int restrict_files() {
  const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return 0;
  LandlockRules rules{writing_rights(static_cast<int>(version)), version >= 4 ? network_rights : 0,
                      version >= 6 ? scope_rights : 0};
  const std::size_t size = version >= 6 ? sizeof rules : version >= 4 ? 2 * sizeof(std::uint64_t) : sizeof(std::uint64_t);
  const long ruleset = syscall(SYS_landlock_create_ruleset, &rules, size, 0);
  if (ruleset < 0) return 0;
  const long done = syscall(SYS_landlock_restrict_self, ruleset, 0);
  close(static_cast<int>(ruleset));
  return done == 0 ? static_cast<int>(version) : 0;
}

bool restrict_calls_for_loading(bool all_threads) {
  const Filter filter = new_filter(SCMP_ACT_ALLOW, all_threads);
  return filter &&
         deny(filter,
              {SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(fork), SCMP_SYS(vfork), SCMP_SYS(clone), SCMP_SYS(clone3)}) &&
         deny(filter, {SCMP_SYS(socket), SCMP_SYS(socketpair), SCMP_SYS(connect), SCMP_SYS(bind), SCMP_SYS(io_uring_setup)}) &&
         deny(filter,
              {SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev), SCMP_SYS(bpf), SCMP_SYS(kill)}) &&
         deny(filter, {SCMP_SYS(openat2), SCMP_SYS(creat), SCMP_SYS(unlink), SCMP_SYS(unlinkat), SCMP_SYS(rename)}) &&
         deny(filter, {SCMP_SYS(renameat), SCMP_SYS(renameat2), SCMP_SYS(mkdir), SCMP_SYS(mkdirat), SCMP_SYS(mount)}) &&
         deny_opening_for_writing(filter) && seccomp_load(filter.get()) == 0;
}

bool restrict_calls_for_running(int request_file, int record_file, bool all_threads) {
  const Filter filter = new_filter(SCMP_ACT_TRAP, all_threads);
  if (!filter) return false;
  // omp_get_num_procs()
  if (all_threads && !allow(filter, {SCMP_SYS(sched_getaffinity), SCMP_SYS(sched_yield)})) return false;
  const scmp_arg_cmp from_requests{0, SCMP_CMP_EQ, static_cast<scmp_datum_t>(request_file), 0};
  const scmp_arg_cmp to_records{0, SCMP_CMP_EQ, static_cast<scmp_datum_t>(record_file), 0};
  const scmp_arg_cmp anonymous[] = {{2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0},
                                    {3, SCMP_CMP_MASKED_EQ, MAP_ANONYMOUS, MAP_ANONYMOUS}};
  return allow(filter, {SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(brk), SCMP_SYS(madvise), SCMP_SYS(futex)}) &&
         allow(filter, {SCMP_SYS(clock_gettime), SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(rt_sigreturn)}) &&
         seccomp_rule_add_array(filter.get(), SCMP_ACT_ALLOW, SCMP_SYS(read), 1, &from_requests) == 0 &&
         seccomp_rule_add_array(filter.get(), SCMP_ACT_ALLOW, SCMP_SYS(write), 1, &to_records) == 0 &&
         seccomp_rule_add_array(filter.get(), SCMP_ACT_ALLOW, SCMP_SYS(mmap), 2, anonymous) == 0 &&
         seccomp_load(filter.get()) == 0;
}

std::string system_call_name(int number) {
  char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number);
  std::string text = name ? name : "number " + std::to_string(number);
  std::free(name);
  return text;
}

} // namespace kopt::lockdown
