/* kernelloop:plan
{ "launches": [ { "kernel": "k", "grid": ["rows"], "block": [256], "args": ["x", "y", "factor", "cols"] } ] }
*/
extern "C" __global__ void k(const float* x, float* y, float f, int n) { y[0] = f * x[0]; }
