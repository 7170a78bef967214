// Stands in for CUDA's header of this name when a kernel is built for the CPU device.
#pragma once

#include "../device/fp8.hpp"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
