// What fmt's library holds, for a program that shall not need it on every host: distributions ship
// that library in its shared form only. In a file of its own, without FMT_HEADER_ONLY, the header
// of definitions makes ordinary functions.
#include <fmt/format-inl.h>

namespace fmt::detail {

// Declared as templates whose bodies stand in that header.
template dragonbox::decimal_fp<float> dragonbox::to_decimal<float>(float) noexcept;
template dragonbox::decimal_fp<double> dragonbox::to_decimal<double>(double) noexcept;
template thousands_sep_result<char> thousands_sep_impl<char>(locale_ref);
template char decimal_point_impl<char>(locale_ref);

}  // namespace fmt::detail
