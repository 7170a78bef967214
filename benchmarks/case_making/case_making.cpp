// What making the cases of a ladder takes: the same threads, memory and reference calls as in a
// verification on a GPU, with nobody who runs a kernel.
#include "support/json.hpp"
#include "support/stopwatch.hpp"
#include "verify/case_queue.hpp"
#include "verify/compiled_version.hpp"
#include "verify/rung.hpp"
#include "verify/seed_source.hpp"

#include <fmt/format.h>

#include <sys/resource.h>

#include <cstdio>
#include <exception>
#include <string>

namespace {

using namespace kernelloop;

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// Of this process and of the children that it waited for.
struct Usage {
  double user = 0.0;
  double system = 0.0;
  long faults = 0;

  static Usage now() {
    Usage sum;
    for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
      rusage used{};
      ::getrusage(who, &used);
      sum.user += seconds(used.ru_utime);
      sum.system += seconds(used.ru_stime);
      sum.faults += used.ru_minflt;
    }
    return sum;
  }
};

void make(const char* rung, const OpSpec& spec, const ReferenceLibrary& reference,
          std::vector<CasePlan> cases) {
  const std::size_t count = cases.size();
  std::size_t bytes = 0;
  for (const CasePlan& plan : cases) {
    bytes += bytes_of(slots_of(spec, resolve_axes(spec, plan.variables)));
  }
  const Usage before = Usage::now();
  double wall = 0.0;
  {
    const ScopedSeconds timed(wall);
    CaseQueue queue(spec, reference, std::move(cases), true);
    std::unique_ptr<CaseData> data;
    for (std::size_t i = 0; i < count; ++i) data = queue.take(std::move(data));
  }
  const Usage after = Usage::now();
  fmt::print("{:12} {:4} cases {:8.1f} MB  {:6.2f} s  user {:6.2f}  system {:6.2f}  faults {}\n",
             rung, count, static_cast<double>(bytes) * 1e-6, wall, after.user - before.user,
             after.system - before.system, after.faults - before.faults);
}

int run(const char* spec_file, const char* library, const char* compiled) {
  const OpSpec spec = parse_op_spec(read_json(spec_file));
  const ReferenceLibrary reference(library);
  const CompiledVersion version = load_compiled_version(compiled, spec, "cuda");
  SeedSource seeds;
  const RungContext context{spec, "cuda", seeds, reference, &version.plan, version.numbers};
  std::vector<CasePlan> all;
  for (const Rung& rung : ladder()) {
    if (rung.cases == nullptr || rung.on_request) continue;
    std::vector<CasePlan> cases = rung.cases(context);
    all.insert(all.end(), cases.begin(), cases.end());
    make(rung.name, spec, reference, std::move(cases));
  }
  make("all", spec, reference, std::move(all));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: case_making <op.json> <reference.so> <compile.json>\n");
    return 2;
  }
  try {
    return run(argv[1], argv[2], argv[3]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "case_making: {}\n", error.what());
    return 1;
  }
}
