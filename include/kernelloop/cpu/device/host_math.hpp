// The host's <math.h>, and with it what <cmath> says of the plain functions.
//
// Without the special functions of C++17 (std::riemann_zeta and the like): no GPU has them, and
// libstdc++'s take longer to read than all else that the build of a kernel reads.
#pragma once

#include <cstddef>  // libstdc++'s settings
#ifdef __GLIBCXX__
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#endif
#include <math.h>
