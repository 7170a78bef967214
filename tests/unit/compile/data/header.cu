#include <vector>
#define USE(x) ((x) + missing_name)
struct NoCopy {
  NoCopy() = default;
  NoCopy(const NoCopy&) = delete;
};
static void fill() {
  std::vector<NoCopy> v;
  NoCopy c;
  v.push_back(c);
}
extern "C" __global__ void k(float* y, int n) {
  y[0] = USE(n);
