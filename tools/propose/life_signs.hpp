// Whether bytes of a response show that the model is alive, or only that a server or a proxy keeps
// the connection open: comments, blank lines, pings.
#pragma once

#include <string>
#include <string_view>

namespace kernelloop {

class LifeSigns {
 public:
  // True when these bytes bring something that no keep-alive brings. Cut anywhere.
  bool feed(std::string_view bytes);

 private:
  std::string line_;  // the beginning of the line under way
  bool counted_ = false;
};

}  // namespace kernelloop
