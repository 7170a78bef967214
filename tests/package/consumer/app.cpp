#include <softmax.h>

#include <cstdio>

int main() { std::puts(softmax_version()); }
