#include "device/system_call_filter.hpp"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#ifndef CLONE_THREAD
#define CLONE_THREAD 0x00010000
#endif

namespace kernelloop {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t k_architecture = AUDIT_ARCH_X86_64;
constexpr std::uint32_t k_foreign_calls = 0x40000000;  // numbers of the x32 interface begin here
#elif defined(__aarch64__)
constexpr std::uint32_t k_architecture = AUDIT_ARCH_AARCH64;
constexpr std::uint32_t k_foreign_calls = 0xffffffff;
#endif

// A program for the kernel's filter machine. It has a fixed size, since the heap may not be what it
// was once a candidate's library has been loaded.
class Program {
 public:
  void load(std::size_t offset) {
    add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset), 0, 0);
  }
  void load_number() { load(offsetof(seccomp_data, nr)); }
  // Its lower half: all that we compare is small.
  void load_argument(std::size_t index) {
    load(offsetof(seccomp_data, args) + index * sizeof(std::uint64_t));
  }
  void give(std::uint32_t what) { add(BPF_RET | BPF_K, what, 0, 0); }
  void refuse(int error = EPERM) {
    give(SECCOMP_RET_ERRNO | (static_cast<std::uint32_t>(error) & SECCOMP_RET_DATA));
  }
  // Goes on with the next `count` instructions only if the loaded word fulfils it.
  void if_equal(std::uint32_t value, std::uint8_t count) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count);
  }
  void unless_equal(std::uint32_t value, std::uint8_t count) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value, count, 0);
  }
  void unless_any_bit(std::uint32_t bits, std::uint8_t count) {
    add(BPF_JMP | BPF_JSET | BPF_K, bits, count, 0);
  }
  void if_at_least(std::uint32_t value, std::uint8_t count) {
    add(BPF_JMP | BPF_JGE | BPF_K, value, 0, count);
  }

  void forbid(long number, int error = EPERM) {
    if_equal(static_cast<std::uint32_t>(number), 1);
    refuse(error);
  }
  // Only with this value as an argument; the word that is loaded afterwards is the number again.
  void allow_only(long number, std::size_t argument, std::uint32_t value) {
    if_equal(static_cast<std::uint32_t>(number), 4);
    load_argument(argument);
    unless_equal(value, 1);
    refuse();
    give(SECCOMP_RET_ALLOW);
  }

  [[nodiscard]] sock_fprog get() {
    return {static_cast<unsigned short>(size_), instructions_.data()};
  }

 private:
  void add(std::uint16_t code, std::uint32_t operand, std::uint8_t yes, std::uint8_t no) {
    instructions_.at(size_++) = {code, yes, no, operand};
  }

  std::array<sock_filter, 160> instructions_{};
  std::size_t size_ = 0;
};

// What reaches into other processes, or into the kernel.
constexpr std::array k_forbidden{SYS_ptrace,
                                 SYS_process_vm_readv,
                                 SYS_process_vm_writev,
                                 SYS_kcmp,
                                 SYS_pidfd_open,
                                 SYS_pidfd_getfd,
                                 SYS_pidfd_send_signal,
                                 SYS_tkill,
                                 SYS_mount,
                                 SYS_umount2,
                                 SYS_pivot_root,
                                 SYS_chroot,
                                 SYS_open_tree,
                                 SYS_move_mount,
                                 SYS_fsopen,
                                 SYS_fsmount,
                                 SYS_unshare,
                                 SYS_setns,
                                 SYS_keyctl,
                                 SYS_add_key,
                                 SYS_request_key,
                                 SYS_bpf,
                                 SYS_perf_event_open,
                                 SYS_userfaultfd,
                                 SYS_io_uring_setup,
                                 SYS_io_uring_enter,
                                 SYS_io_uring_register,
                                 SYS_init_module,
                                 SYS_finit_module,
                                 SYS_delete_module,
                                 SYS_kexec_load,
                                 SYS_reboot,
                                 SYS_swapon,
                                 SYS_swapoff,
                                 SYS_acct,
                                 SYS_quotactl,
                                 SYS_open_by_handle_at};

void forbid_programs(Program& program) {
#ifdef SYS_fork
  program.forbid(SYS_fork);
  program.forbid(SYS_vfork);
#endif
  program.forbid(SYS_execve);
  program.forbid(SYS_execveat);
  // Its flags are in memory, which a filter does not see; libraries then use clone().
  program.forbid(SYS_clone3, ENOSYS);
  program.if_equal(SYS_clone, 4);
  program.load_argument(0);
  program.unless_any_bit(CLONE_THREAD, 1);
  program.refuse();
  program.give(SECCOMP_RET_ALLOW);
}

}  // namespace

bool forbid_system_calls(OtherPrograms programs) noexcept {
#if defined(__x86_64__) || defined(__aarch64__)
  Program program;
  program.load(offsetof(seccomp_data, arch));
  program.unless_equal(k_architecture, 1);
  program.refuse();
  program.load_number();
  program.if_at_least(k_foreign_calls, 1);
  program.refuse();
  for (const long number : k_forbidden) program.forbid(number);
  const auto self = static_cast<std::uint32_t>(::getpid());
  for (const long number : {SYS_kill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo}) {
    program.allow_only(number, 0, self);
  }
  program.allow_only(SYS_prlimit64, 0, 0);
  program.allow_only(SYS_socket, 0, AF_UNIX);
  if (programs == OtherPrograms::forbidden) forbid_programs(program);
  program.give(SECCOMP_RET_ALLOW);
  const sock_fprog filter = program.get();
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  // Threads of the driver are there already.
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0;
#else
  static_cast<void>(programs);
  return false;
#endif
}

}  // namespace kernelloop
