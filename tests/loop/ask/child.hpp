// The propose step as a child in a process group of its own, which can be killed as a whole.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace kernelloop {

class Child {
 public:
  // Output and errors go to `log`.
  Child(const std::vector<std::string>& arguments,
        const std::map<std::string, std::string>& variables, const std::string& log);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void kill_group();       // SIGKILL, and waits for the child
  void interrupt_group();  // SIGINT, as Ctrl-C sends it
  int wait();              // exit code, or 128 + signal

 private:
  pid_t pid_ = -1;
  int status_ = 0;
};

// What a step needs to reach the stub at `url`; the key is an obvious fake.
std::map<std::string, std::string> stub_variables(const std::string& url);

}  // namespace kernelloop
