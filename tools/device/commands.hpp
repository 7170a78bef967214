// The subcommands of kernelloop-device, one file each. Their callbacks do the work and throw Error.
#pragma once

namespace CLI {
class App;
}

namespace kernelloop {

void add_worker_command(CLI::App& app);   // internal: the process that loads candidates' code
void add_bundle_commands(CLI::App& app);  // bundle, run, collect
void add_info_command(CLI::App& app);
void add_list_command(CLI::App& app);
void add_verify_command(CLI::App& app);
void add_reference_command(CLI::App& app);
void add_oracle_command(CLI::App& app);
void add_baselines_command(CLI::App& app);
void add_bench_command(CLI::App& app);
void add_compare_command(CLI::App& app);
void add_ceilings_command(CLI::App& app);
void add_trace_command(CLI::App& app);
void add_counters_command(CLI::App& app);
void add_profile_command(CLI::App& app);

}  // namespace kernelloop
