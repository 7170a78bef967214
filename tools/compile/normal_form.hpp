// When two sources are the same version: all but their comments and layout is equal.
#pragma once

#include <string>

namespace kernelloop {

struct Language;

// The launch plan without its layout, then the code without comments, spliced lines and the white
// space that separates nothing. Literals and the lines of the preprocessor stay what they are.
// Doubtful white space stays, and a source that can see its own layout (`__LINE__`, a macro with
// `#`) is its own normal form: two sources may be called different that are not, never the same.
std::string normal_form(const std::string& source);

// SHA-256 of the normal form. Of a language whose layout means something (any but CUDA C++) that is
// the source itself.
std::string normal_hash(const std::string& source, const Language& language);

}  // namespace kernelloop
