// Stands in for CUDA's header of this name when a kernel is built for the CPU device.
#pragma once

#include "cuda_runtime.h"
