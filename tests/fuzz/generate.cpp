// kopt-fuzz: writes random kernels, their models and programs that check what the rules make of them into a folder. The
// folder's own `check` compiles and runs the programs; it needs only a compiler, and may run elsewhere.
#include "core/process.h"
#include "program.h"
#include "propose/rules/rules.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iostream>
#include <set>
#include <sys/wait.h>
#include <unistd.h>

namespace kopt::fuzz {
namespace {

struct Order {
  std::uint64_t seed = 1;
  int count = 80, batch = 40, each = 8, jobs = 1; // each: kernels of one program
  std::string kopt_source, output;
};

// The kernels of one source, in a folder of their own.
class Batch {
public:
  Batch(const Order &order, int number) : order_(order), number_(number) {
    folder_ = fs::absolute(order.output) / fmt::format("batch-{:04}", number);
  }

  // The file that says that the batch is complete is written last.
  Result<void> write() {
    if (disk_.exists(folder_ / "kernels.tsv")) return {};
    const int first = number_ * order_.batch, last = std::min(order_.count, first + order_.batch);
    for (int k = first; k < last; ++k)
      samples_.push_back(make_sample(order_.seed + static_cast<std::uint64_t>(k),
                                     fmt::format("k{}", order_.seed + static_cast<std::uint64_t>(k))));
    KOPT_CHECK(extract());
    std::vector<Subject> subjects;
    for (const Sample &sample : samples_) KOPT_CHECK(propose(sample, subjects));
    for (std::size_t begin = 0; begin < subjects.size(); begin += static_cast<std::size_t>(order_.each)) {
      const auto end = std::min(subjects.size(), begin + static_cast<std::size_t>(order_.each));
      const std::vector<Subject> some(subjects.begin() + static_cast<long>(begin), subjects.begin() + static_cast<long>(end));
      KOPT_TRY(text, program_of(some));
      KOPT_CHECK(disk_.write(folder_ / fmt::format("program-{}.cpp", begin), text));
    }
    return disk_.write(folder_ / "kernels.tsv", table_);
  }

private:
  const Order &order_;
  int number_;
  fs::path folder_;
  RealDisk disk_;
  std::vector<Sample> samples_;
  std::string table_;

  Result<void> extract() {
    std::string source = "#include <algorithm>\n#include <cmath>\n#include <cstddef>\n";
    Json names = Json::array();
    for (const Sample &sample : samples_) {
      // Types and helpers have one name in all samples: each stands in a namespace of its own.
      const std::string open = sample.scope.empty() ? "" : "namespace heat {\n", close = sample.scope.empty() ? "" : "}\n";
      source += fmt::format("\nnamespace s{} {{\n{}{}{}{}}}\n", sample.seed, sample.prefix, open, sample.text, close);
      names.push_back(kernel_name(sample));
    }
    KOPT_CHECK(disk_.write(folder_ / "kernels.cpp", source));
    const std::string commands = (folder_ / "compile_commands.json").string(), here = folder_.string();
    KOPT_CHECK(disk_.write(
        commands, Json::array({{{"directory", here},
                                {"file", here + "/kernels.cpp"},
                                {"command", "/usr/bin/c++ -O2 -std=c++17" + std::string(number_ % 4 == 3 ? " -fopenmp" : "") +
                                                " -c kernels.cpp -o kernels.o"}}})
                      .dump()));
    Json spec = new_document("kopt-spec", 1);
    spec.update({{"target", "fuzz"},
                 {"type", "EXECUTABLE"},
                 {"configuration", "Release"},
                 {"platform", "host"},
                 {"directory", here},
                 {"source_root", here},
                 {"build_root", here},
                 {"work_dir", here + "/models"},
                 {"variants_dir", here},
                 {"compile_commands", commands},
                 {"compiler", "/usr/bin/c++"},
                 {"compiler_id", "GNU"},
                 {"sources", Json::array({here + "/kernels.cpp"})},
                 {"kernels", names}});
    KOPT_CHECK(disk_.write(folder_ / "spec.json", spec.dump()));
    Command command;
    command.words = {order_.kopt_source, "extract", "--spec", (folder_ / "spec.json").string()};
    RealProcesses processes;
    KOPT_TRY(outcome, processes.run(command));
    if (!outcome.errors.empty()) std::cerr << outcome.errors; // kernels that it refuses are counted as without a schedule
    return {};
  }

  static std::string kernel_name(const Sample &sample) {
    return fmt::format("s{}::{}{}", sample.seed, sample.scope, sample.name);
  }

  static bool needs_features(const Proposal &proposal) { return proposal.variant.plan.find("cpu(") != std::string::npos; }

  Result<void> propose(const Sample &sample, std::vector<Subject> &subjects) {
    std::string slug = kernel_name(sample);
    for (auto at = slug.find("::"); at != std::string::npos; at = slug.find("::")) slug.replace(at, 2, ".");
    const auto row = [&](const std::string &kind, const std::set<std::string> &patterns, const std::string &why) {
      std::string reason = why;
      std::replace(reason.begin(), reason.end(), '\n', ' ');
      table_ += fmt::format("{}\t{}\t{}\t{}\n", sample.name, kind, fmt::join(patterns, ", "), reason);
    };
    const auto model = read_model(disk_, folder_ / "models" / slug / "model.json");
    if (!model) {
      row("refused", {}, model.error().what);
      return {};
    }
    auto proposals = Rules().propose(*model, 0);
    if (!proposals) return tl::unexpected(proposals.error());
    std::set<std::string> patterns;
    bool structural = false;
    for (const Proposal &proposal : proposals->proposals) {
      patterns.insert(proposal.variant.patterns.begin(), proposal.variant.patterns.end());
      structural = structural || is_structural(proposal);
    }
    const std::string why =
        proposals->refusals.empty() ? "" : proposals->refusals.back().technique + ": " + proposals->refusals.back().reason;
    row(structural ? "structural" : proposals->proposals.empty() ? "none" : "keywords", patterns, why);
    // Wider vectors double the candidates: every fourth kernel is enough.
    if (sample.seed % 4 != 1)
      std::erase_if(proposals->proposals, [](const Proposal &proposal) { return needs_features(proposal); });
    if (!proposals->proposals.empty()) subjects.push_back({sample, *model, proposals->proposals});
    return {};
  }
};

// Batches by turns, each job in a process of its own.
int generate(const Order &order) {
  const int batches = (order.count + order.batch - 1) / order.batch;
  RealDisk disk;
  for (const char *file : {"harness.h", "check"})
    if (auto text = disk.read(fs::path(KOPT_FUZZ_SOURCES) / file); !text || !disk.write(fs::path(order.output) / file, *text)) {
      std::cerr << "kopt-fuzz: cannot put " << file << " into " << order.output << "\n";
      return 1;
    }
  fs::permissions(fs::path(order.output) / "check", fs::perms::owner_exec, fs::perm_options::add);
  std::vector<pid_t> children;
  for (int job = 0; job < order.jobs; ++job) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    for (int number = job; number < batches; number += order.jobs)
      if (auto written = Batch(order, number).write(); !written) {
        std::cerr << fmt::format("kopt-fuzz: batch {}: {}\n", number, written.error().message());
        _exit(1);
      }
    _exit(0);
  }
  int failed = 0;
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) failed = 1;
  }
  if (!failed)
    std::cout << fmt::format("{} kernels in {} batches; check them with {}/check\n", order.count, batches, order.output);
  return failed;
}

} // namespace
} // namespace kopt::fuzz

int main(int argc, char **argv) {
  kopt::fuzz::Order order;
  CLI::App app("Writes random kernels, and programs that check what the rules make of them");
  app.add_option("--seed", order.seed, "of the first kernel; the others follow");
  app.add_option("--count", order.count, "kernels");
  app.add_option("--batch", order.batch, "kernels of one source");
  app.add_option("--each", order.each, "kernels of one program");
  app.add_option("--jobs", order.jobs, "processes");
  app.add_option("--kopt-source", order.kopt_source, "the program kopt-source")->required();
  app.add_option("--output", order.output, "folder; batches already there are left alone")->required();
  CLI11_PARSE(app, argc, argv);
  return kopt::fuzz::generate(order);
}
