// The subcommands of `kernelloop`: one file each, <name>_command.cpp. Each adds its options to the
// app; its callback does the work and throws Error.
#pragma once

#include <CLI/App.hpp>

namespace kernelloop {

// Steps of the build graph (docs/formats.md).
void add_spec_command(CLI::App& app);
void add_propose_command(CLI::App& app);
void add_courier_command(CLI::App& app);
void add_compile_command(CLI::App& app);
void add_learn_command(CLI::App& app);

// What comes of it.
void add_adopt_command(CLI::App& app);
void add_fleet_command(CLI::App& app);
void add_library_command(CLI::App& app);
void add_provenance_command(CLI::App& app);
void add_check_command(CLI::App& app);

// For people.
void add_report_command(CLI::App& app);
void add_context_command(CLI::App& app);
void add_devices_command(CLI::App& app);
void add_doctor_command(CLI::App& app);
void add_guide_command(CLI::App& app);
void add_inspect_command(CLI::App& app);
void add_resume_command(CLI::App& app);
void add_steer_command(CLI::App& app);
void add_toolchain_command(CLI::App& app);
void add_status_command(CLI::App& app);
void add_watch_command(CLI::App& app);
void add_why_command(CLI::App& app);
void add_cost_command(CLI::App& app);

}  // namespace kernelloop
