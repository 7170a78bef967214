// A fiber: a stack that can be left and entered again. One per CUDA thread.
//
// x86-64 and aarch64 have a switch of a dozen instructions; other processors fall back to ucontext.
// Only what a called function must preserve is saved: the compiler has already saved the rest.
#pragma once

#include <stddef.h>
#include <stdint.h>

#if !defined(__x86_64__) && !defined(__aarch64__)
#define KERNELLOOP_CPU_UCONTEXT 1
#endif

#if defined(KERNELLOOP_CPU_UCONTEXT)

#include <ucontext.h>

namespace kernelloop_cpu {

struct Fiber {
  ucontext_t context;
};

inline void prime(Fiber& fiber, char* bottom, size_t bytes, void (*entry)()) {
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = bottom;
  fiber.context.uc_stack.ss_size = bytes;
  fiber.context.uc_link = nullptr;
  makecontext(&fiber.context, entry, 0);
}

inline void switch_fiber(Fiber& from, Fiber& to) { swapcontext(&from.context, &to.context); }

}  // namespace kernelloop_cpu

#else

// Saves the registers on the stack, stores the stack pointer to *save and goes on at `load`.
extern "C" __attribute__((visibility("hidden"))) void kernelloop_cpu_switch(void** save,
                                                                            void* load);
#if defined(__x86_64__)
__asm__(
    ".text\n"
    ".p2align 4\n"
    ".type kernelloop_cpu_switch, @function\n"
    "kernelloop_cpu_switch:\n"
    "  pushq %rbp\n"
    "  pushq %rbx\n"
    "  pushq %r12\n"
    "  pushq %r13\n"
    "  pushq %r14\n"
    "  pushq %r15\n"
    "  movq %rsp, (%rdi)\n"
    "  movq %rsi, %rsp\n"
    "  popq %r15\n"
    "  popq %r14\n"
    "  popq %r13\n"
    "  popq %r12\n"
    "  popq %rbx\n"
    "  popq %rbp\n"
    "  retq\n"
    ".size kernelloop_cpu_switch, .-kernelloop_cpu_switch\n");
#else
__asm__(
    ".text\n"
    ".p2align 4\n"
    ".type kernelloop_cpu_switch, %function\n"
    "kernelloop_cpu_switch:\n"
    "  sub sp, sp, #160\n"
    "  stp x19, x20, [sp, #0]\n"
    "  stp x21, x22, [sp, #16]\n"
    "  stp x23, x24, [sp, #32]\n"
    "  stp x25, x26, [sp, #48]\n"
    "  stp x27, x28, [sp, #64]\n"
    "  stp x29, x30, [sp, #80]\n"
    "  stp d8, d9, [sp, #96]\n"
    "  stp d10, d11, [sp, #112]\n"
    "  stp d12, d13, [sp, #128]\n"
    "  stp d14, d15, [sp, #144]\n"
    "  mov x9, sp\n"
    "  str x9, [x0]\n"
    "  mov sp, x1\n"
    "  ldp x19, x20, [sp, #0]\n"
    "  ldp x21, x22, [sp, #16]\n"
    "  ldp x23, x24, [sp, #32]\n"
    "  ldp x25, x26, [sp, #48]\n"
    "  ldp x27, x28, [sp, #64]\n"
    "  ldp x29, x30, [sp, #80]\n"
    "  ldp d8, d9, [sp, #96]\n"
    "  ldp d10, d11, [sp, #112]\n"
    "  ldp d12, d13, [sp, #128]\n"
    "  ldp d14, d15, [sp, #144]\n"
    "  add sp, sp, #160\n"
    "  ret\n"
    ".size kernelloop_cpu_switch, .-kernelloop_cpu_switch\n");
#endif

namespace kernelloop_cpu {

struct Fiber {
  void* stack_pointer;
};

// Makes the next switch to `fiber` call `entry`, which must never return.
inline void prime(Fiber& fiber, char* bottom, size_t bytes, void (*entry)()) {
  void** top = reinterpret_cast<void**>((reinterpret_cast<uintptr_t>(bottom) + bytes) &
                                        ~static_cast<uintptr_t>(15));
#if defined(__x86_64__)
  // As if `entry` had been called: the return address is off by 8 from a multiple of 16.
  *--top = nullptr;
  *--top = reinterpret_cast<void*>(entry);
  for (int i = 0; i < 6; ++i) *--top = nullptr;
#else
  top -= 20;
  for (int i = 0; i < 20; ++i) top[i] = nullptr;
  top[11] = reinterpret_cast<void*>(entry);  // x30, where `ret` goes
#endif
  fiber.stack_pointer = top;
}

inline void switch_fiber(Fiber& from, Fiber& to) {
  kernelloop_cpu_switch(&from.stack_pointer, to.stack_pointer);
}

}  // namespace kernelloop_cpu

#endif
