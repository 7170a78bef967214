// Stands in for CUDA's header of this name when a kernel is built for the CPU device.
#pragma once

#include "../device/atomics.hpp"
#include "../device/integer.hpp"
#include "../device/math.hpp"
#include "../device/memory.hpp"
#include "../device/qualifiers.hpp"
#include "../device/rounding.hpp"
#include "../device/simd.hpp"
#include "../device/synchronization.hpp"
#include "../device/vector_types.hpp"
#include "../device/warp_functions.hpp"
#include "../runtime/kernel_entry.hpp"
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
// As nvcc has it: known without being asked for.
#include "assert.h"
