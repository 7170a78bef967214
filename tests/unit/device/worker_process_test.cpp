// What a worker says before it is asked.
#include "device/worker_process.hpp"

#include "support/files.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

namespace kernelloop {
namespace {

TEST(WorkerProcess, WhatItSaidBeforeItEndedIsReadThoughNothingCanBeSent) {
  const TemporaryDirectory work;
  const std::filesystem::path program = work.path() / "worker";
  // A message is its length, 4 bytes, and JSON; the channel is descriptor 3.
  write_file_atomic(program, "#!/bin/sh\nprintf '\\014\\000\\000\\000{\"device\":1}' >&3\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  WorkerStart start;
  start.program = program;
  start.device = "cpu";
  WorkerProcess worker(start);
  // Asked only after it ended; a slow machine merely makes the test pass the easier way.
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const Exchange exchange = worker.ask(Json{{"op", "describe"}}, {}, std::chrono::seconds(60));
  ASSERT_EQ(exchange.end, Exchange::End::replied) << exchange.how_it_died;
  EXPECT_EQ(exchange.reply, (Json{{"device", 1}}));
}

// Words on standard error wake the parent just before the reply is there; the race is tried often.
TEST(WorkerProcess, AReplyAtItsVeryEndIsRead) {
  const TemporaryDirectory work;
  const std::filesystem::path program = work.path() / "worker";
  write_file_atomic(program,
                    "#!/bin/sh\necho words >&2\nprintf '\\014\\000\\000\\000{\"device\":1}' >&3\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  WorkerStart start;
  start.program = program;
  start.device = "cpu";
  for (int i = 0; i < 100; ++i) {
    WorkerProcess worker(start);
    const Exchange exchange = worker.ask(Json{{"op", "describe"}}, {}, std::chrono::seconds(60));
    ASSERT_EQ(exchange.end, Exchange::End::replied) << "try " << i << ": " << exchange.how_it_died;
  }
}

}  // namespace
}  // namespace kernelloop
