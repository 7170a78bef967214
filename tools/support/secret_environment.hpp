// Secrets in the environment: which variables they are, and how a process gets rid of them.
#pragma once

#include <string_view>

namespace kernelloop {

// Whether an environment variable's name suggests a secret (…KEY…, …TOKEN…, …SECRET…, …).
bool is_secret_name(std::string_view name);

// Removes such variables from this process, their values from its memory too, so that neither what
// it starts nor who looks at /proc/PID/environ sees them. For programs that need no key, at the
// very beginning: no other thread may use the environment meanwhile.
void forget_secrets();

}  // namespace kernelloop
