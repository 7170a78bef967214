// Stands in for libcuda.so.1 while cuTile describes arguments, on a machine without a driver: it can be
// initialised and has a version; whatever else would be asked of it fails.
#include <string.h>

static int fails(void) { return 100; /* CUDA_ERROR_NO_DEVICE */ }

static int initialise(unsigned flags) {
  (void)flags;
  return 0;
}

static int version(int* out) {
  *out = 13000;
  return 0;
}

int cuGetProcAddress_v2(const char* name, void** function, int wanted, unsigned long long flags,
                        int* status) {
  (void)wanted;
  (void)flags;
  *function = (void*)fails;
  if (strcmp(name, "cuInit") == 0) *function = (void*)initialise;
  if (strcmp(name, "cuDriverGetVersion") == 0) *function = (void*)version;
  if (status) *status = 0;
  return 0;
}
