#include "busy.cuh"
