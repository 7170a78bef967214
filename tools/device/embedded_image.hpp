// Kernels that nvcc built, as bytes of this program.
#pragma once

// Declares `extern "C" const char symbol[]`, which holds the file `path` and a zero byte. At
// namespace scope, outside any namespace, in one source only.
#define KERNELLOOP_EMBED_IMAGE(symbol, path) \
  asm(".pushsection .rodata\n"               \
      ".balign 64\n"                         \
      ".global " #symbol "\n" #symbol        \
      ":\n"                                  \
      ".incbin \"" path                      \
      "\"\n"                                 \
      ".byte 0\n"                            \
      ".popsection\n");                      \
  extern "C" const char symbol[]
