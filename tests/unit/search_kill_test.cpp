// A search is killed at every single write to its journal, before it and in the middle of it, and on a disk that is full from
// there on. The same search, begun again, must come to the evaluations that an undisturbed one comes to: none twice, none lost.
#include "core/clock.h"
#include "search/journal.h"
#include "search/journaled_evaluator.h"
#include "search/sweep.h"
#include "search_fixture.h"

#include <cerrno>
#include <csignal>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sqlite3.h>
#include <sys/wait.h>

namespace kopt {
namespace {

enum class Harm { Kill, Tear, Full };

// SQLite asks the system for everything through a table that tests may change; these count its writes.
long writes = 0, harmed_write = -1;
Harm harm = Harm::Kill;

// Whether this write may be made; otherwise errno says why not.
bool may_write(long file, const void *bytes, std::size_t size, long offset) {
  if (writes++ < harmed_write || harmed_write < 0) return true;
  if (harm == Harm::Full) {
    errno = ENOSPC;
    return false;
  }
  if (harm == Harm::Tear) (void)!::pwrite(static_cast<int>(file), bytes, size / 2, offset);
  ::raise(SIGKILL);
  return false;
}

ssize_t counting_pwrite(int file, const void *bytes, std::size_t size, off_t offset) {
  return may_write(file, bytes, size, offset) ? ::pwrite(file, bytes, size, offset) : -1;
}
int counting_ftruncate(int file, off_t size) { return may_write(file, "", 0, 0) ? ::ftruncate(file, size) : -1; }

void count_writes() {
  sqlite3_vfs *system = sqlite3_vfs_find(nullptr);
  for (const char *name : {"pwrite", "pwrite64"})
    system->xSetSystemCall(system, name, reinterpret_cast<sqlite3_syscall_ptr>(counting_pwrite));
  system->xSetSystemCall(system, "ftruncate", reinterpret_cast<sqlite3_syscall_ptr>(counting_ftruncate));
}

void forget_writes() {
  sqlite3_vfs *system = sqlite3_vfs_find(nullptr);
  system->xSetSystemCall(system, nullptr, nullptr);
}

class KillTest : public fixture::JournalFolder {
protected:
  std::vector<Proposal> proposals = {fixture::proposal("1.5", {{"TILE", {"16", "32", "64"}}}), fixture::proposal("wrong"),
                                     fixture::proposal("1.2"), fixture::proposal("0.7")};

  // A whole command over two kernels; its first error.
  std::optional<Error> command() {
    FakeClock clock;
    auto journal = Journal::open_or_replace(file);
    if (!journal) return journal.error();
    if (!journal->notes().empty()) return Error{journal->notes().front(), "", ""};
    for (const std::string kernel : {"foo", "bar"}) {
      const auto run = journal->start_run(kernel, "key", "date");
      if (!run) return run.error();
      std::vector<Variant> planned;
      for (const Proposal &proposal : with_defaults(proposals)) planned.push_back(proposal.variant);
      if (const auto done = journal->plan(run->id, planned, "date"); !done) return done.error();
      fixture::LawEvaluator law;
      JournaledEvaluator journaled(law, *journal, run->id, clock, nullptr);
      Budget budget(clock, 60, 8);
      const auto result = Sweep(journaled, budget, [](const Trial &) {}).run(proposals);
      if (result.stopped) return result.stopped;
    }
    return std::nullopt;
  }

  // Runs the command in a process of its own, which ends at the write of this number; whether it came to its end.
  bool harmed_command(long number, Harm how) {
    const pid_t child = ::fork();
    if (child == 0) {
      count_writes();
      harmed_write = number, harm = how, writes = 0;
      const auto trouble = command();
      ::_exit(!trouble ? 0 : trouble->remedy.empty() ? 2 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (how != Harm::Full) {
      EXPECT_TRUE(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == 0) << status;
    } else {
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) <= 1) << "a full disk is a message with a remedy";
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  // Every evaluation that has a verdict, as text, in order; each once.
  std::vector<std::string> evaluations() {
    std::vector<std::string> found;
    for (const JournalEntry &entry : Journal::open(file)->all())
      found.push_back(fmt::format("{} {} {} {}", entry.kernel, entry.variant, static_cast<int>(entry.thoroughness),
                                  Json(entry.verdict).dump()));
    std::sort(found.begin(), found.end());
    return found;
  }
  void begin_anew() {
    fs::remove_all(folder);
    fs::create_directories(folder);
  }

  void harm_every_write(Harm how) {
    ASSERT_FALSE(command());
    const auto undisturbed = evaluations();
    ASSERT_GT(undisturbed.size(), 10U);
    long number = 0;
    for (bool ended = false; !ended; ++number) {
      begin_anew();
      ended = harmed_command(number, how);
      if (ended) break;
      (void)harmed_command(2 * number / 3, how); // and once more on the way
      const auto trouble = command();
      ASSERT_FALSE(trouble) << trouble->message();
      ASSERT_TRUE(evaluations() == undisturbed) << "after harm at write " << number << ": " << evaluations().size()
                                                << " evaluations instead of " << undisturbed.size();
    }
    EXPECT_GT(number, 40) << "the writes were not seen";
    forget_writes();
  }
};

TEST_F(KillTest, KilledBeforeEachWrite) { harm_every_write(Harm::Kill); }
TEST_F(KillTest, KilledInTheMiddleOfEachWrite) { harm_every_write(Harm::Tear); }
TEST_F(KillTest, ADiskThatIsFullFromEachWriteOn) { harm_every_write(Harm::Full); }

} // namespace
} // namespace kopt
