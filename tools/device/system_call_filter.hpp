// Forbids this process the system calls that no worker needs, but a bad candidate may want.
#pragma once

namespace kernelloop {

enum class OtherPrograms { forbidden, allowed };

// From here on all threads of this process get EPERM for what reaches other processes (signals,
// ptrace, their memory), other machines (sockets but those of AF_UNIX) or the kernel's inner parts
// (mounts, namespaces, bpf, keys, modules), and for new processes and programs unless those are
// allowed. Threads stay possible, and so do the calls of the GPU's driver. Not to be undone. False,
// and no change, where the kernel has no such filters.
bool forbid_system_calls(OtherPrograms programs) noexcept;

}  // namespace kernelloop
