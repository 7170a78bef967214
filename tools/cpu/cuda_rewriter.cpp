#include "cpu/cuda_rewriter.hpp"

#include "cpu/shared_declaration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

namespace kernelloop {

namespace {

using Token = PreprocessedToken;
using Kind = PreprocessedToken::Kind;

struct Edit {
  std::size_t offset = 0;
  std::size_t length = 0;
  std::string text;
};

struct Scope {
  enum class Kind { namespace_scope, linkage_c, linkage_other, other };
  Kind kind = Kind::other;
  std::string name;  // of a namespace; "a::b" for both at once, empty for none
};

struct Kernel {
  std::string name;
  std::string max_threads;  // an expression
  std::size_t body = 0;     // index of its opening brace
};

bool is_bounds(const Token& token) {
  return token.is("__launch_bounds__") || token.is("__maxnreg__") || token.is("__block_size__");
}

class Rewriter {
 public:
  Rewriter(std::string_view text, const PreprocessedText& source, std::string_view key)
      : text_(text), source_(source), tokens_(source.tokens), key_(key) {}

  RewrittenSource run() {
    reads_afresh_ = reads_afresh();
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const Token& token = tokens_[i];
      if (token.kind == Kind::punctuation) {
        if (token.is("{")) open_brace(i);
        if (token.is("}")) close_brace(token);
      } else if (token.kind == Kind::identifier) {
        i = word(i);
      }
    }
    result_.text = apply() + module();
    return std::move(result_);
  }

 private:
  // Returns the index of the last token that was dealt with.
  std::size_t word(std::size_t i) {
    const Token& token = tokens_[i];
    if (token.is("__global__")) {
      edits_.push_back({token.offset, token.text.size(), ""});
      if (auto kernel = kernel_at(i)) pending_ = std::move(kernel);
    } else if (is_bounds(token)) {
      const std::size_t end = after_parentheses(i + 1);
      erase(i, end);
      return end - 1;
    } else if (token.is("__noinline__")) {
      // Within __attribute__((...)) it is the compiler's own word.
      const bool own = i > 0 && (tokens_[i - 1].is("(") || tokens_[i - 1].is(","));
      if (!own) edits_.push_back({token.offset, token.text.size(), "__attribute__((noinline))"});
    } else if (token.is("__constant__")) {
      edits_.push_back({token.offset, token.text.size(), constant_attribute(i)});
    } else if (token.is("__shared__")) {
      return shared(i);
    } else if (reads_afresh_ && (token.is("while") || token.is("for") || token.is("do"))) {
      count_turns(i);
    }
    return i;
  }

  // Whether a loop could wait for what another thread writes, by a read alone.
  [[nodiscard]] bool reads_afresh() const {
    static constexpr std::array<std::string_view, 6> k_words{
        "volatile", "__ldcg", "__ldcv", "__ldlu", "__atomic_load", "__atomic_load_n"};
    return std::any_of(tokens_.begin(), tokens_.end(), [](const Token& token) {
      return std::find(k_words.begin(), k_words.end(), token.text) != k_words.end();
    });
  }

  // The thread that waits must let others run. The statement with its own else takes none from an
  // if around the loop; behind a `while (...)` that ends with a semicolon there may be no
  // statement.
  void count_turns(std::size_t loop) {
    static constexpr std::string_view k_turn = "::kernelloop_cpu::loop_turn()";
    std::size_t body = loop + 1;
    if (!tokens_[loop].is("do")) body = after_parentheses(loop + 1);
    if (body == loop + 1 && !tokens_[loop].is("do")) return;
    if (body >= tokens_.size()) return;  // a syntax error; the compiler will say so
    if (tokens_[loop].is("while") && tokens_[body].is(";")) {
      edits_.push_back({tokens_[loop + 1].offset + 1, 0, fmt::format("{} && (", k_turn)});
      edits_.push_back({tokens_[body - 1].offset, 0, ")"});
    } else {
      edits_.push_back({tokens_[body - 1].offset + tokens_[body - 1].text.size(), 0,
                        fmt::format(" if (!{}) {{}} else ", k_turn)});
    }
  }

  // Constants stand where the loader makes memory read-only once it is done: a store faults, as on
  // a GPU. A section of its own for each name, since a compiler lets none hold both what is const
  // and what is not; the linker joins them.
  [[nodiscard]] std::string constant_attribute(std::size_t at) const {
    const DeclarationRange range = declaration_around(tokens_, at);
    if (range.end >= tokens_.size()) return "";  // a syntax error; the compiler will say so
    const std::string name = declared_name(
        std::span<const Token>(tokens_.data() + range.begin, range.end - range.begin));
    if (name.empty()) return "";
    return fmt::format("__attribute__((section(\".data.rel.ro.{}\")))", name);
  }

  void open_brace(std::size_t i) {
    scopes_.push_back(scope_at(i));
    if (pending_ && pending_->body == i) open_kernel_depth_ = scopes_.size();
  }

  void close_brace(const Token& token) {
    if (pending_ && open_kernel_depth_ == scopes_.size() && open_kernel_depth_ != 0) {
      edits_.push_back({token.offset + 1, 0, entry(*pending_)});
      pending_.reset();
      open_kernel_depth_ = 0;
    }
    if (!scopes_.empty()) scopes_.pop_back();
  }

  [[nodiscard]] Scope scope_at(std::size_t brace) const {
    if (brace >= 2 && tokens_[brace - 1].kind == Kind::string && tokens_[brace - 2].is("extern")) {
      return {tokens_[brace - 1].is("\"C\"") ? Scope::Kind::linkage_c : Scope::Kind::linkage_other,
              ""};
    }
    std::string name;
    for (std::size_t i = brace; i > 0; --i) {
      const Token& token = tokens_[i - 1];
      if (token.is("namespace")) return {Scope::Kind::namespace_scope, name};
      if (token.kind != Kind::identifier && !token.is("::")) break;
      if (!token.is("inline")) name.insert(0, token.text);
    }
    return {};
  }

  [[nodiscard]] bool in_namespace_scope() const {
    return std::none_of(scopes_.begin(), scopes_.end(),
                        [](const Scope& scope) { return scope.kind == Scope::Kind::other; });
  }

  // "::a::b::" within the namespaces a and b; what stands in a nameless one is found without.
  [[nodiscard]] std::string qualification() const {
    std::string result = "::";
    for (const Scope& scope : scopes_) {
      if (!scope.name.empty()) result += scope.name + "::";
    }
    return result;
  }

  // The index after the parentheses that open at `open`; `open` itself when there are none.
  [[nodiscard]] std::size_t after_parentheses(std::size_t open) const {
    if (open >= tokens_.size() || !tokens_[open].is("(")) return open;
    int depth = 0;
    for (std::size_t i = open; i < tokens_.size(); ++i) {
      if (tokens_[i].is("(")) ++depth;
      if (tokens_[i].is(")") && --depth == 0) return i + 1;
    }
    return tokens_.size();
  }

  // Blanks the tokens from `begin` to before `end`, keeping line breaks between them.
  void erase(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      edits_.push_back({tokens_[i].offset, tokens_[i].text.size(), ""});
    }
  }

  // The kernel whose __global__ stands at `at`, when it is extern "C" and defined here.
  [[nodiscard]] std::optional<Kernel> kernel_at(std::size_t at) const {
    std::size_t begin = at;
    while (begin > 0 && !tokens_[begin - 1].is(";") && !tokens_[begin - 1].is("{") &&
           !tokens_[begin - 1].is("}")) {
      --begin;
    }
    Scope::Kind linkage = Scope::Kind::other;
    for (const Scope& scope : scopes_) {
      if (scope.kind == Scope::Kind::linkage_c || scope.kind == Scope::Kind::linkage_other) {
        linkage = scope.kind;
      }
    }
    for (std::size_t i = begin; i < at; ++i) {
      if (tokens_[i].is("template")) return std::nullopt;
      if (tokens_[i].is("extern") && tokens_[i + 1].kind == Kind::string) {
        linkage = tokens_[i + 1].is("\"C\"") ? Scope::Kind::linkage_c : Scope::Kind::linkage_other;
      }
    }
    if (linkage != Scope::Kind::linkage_c) return std::nullopt;

    Kernel kernel;
    kernel.max_threads = "1024";
    for (std::size_t i = begin; i < tokens_.size(); ++i) {
      const Token& token = tokens_[i];
      if (token.is(";") || token.is("{")) return std::nullopt;
      if (token.kind != Kind::identifier || i + 1 >= tokens_.size() || !tokens_[i + 1].is("(")) {
        continue;
      }
      const std::size_t after = after_parentheses(i + 1);
      if (is_bounds(token) || token.is("__attribute__") || token.is("alignas")) {
        if (token.is("__launch_bounds__")) kernel.max_threads = first_argument(i + 1, after);
        i = after - 1;
        continue;
      }
      kernel.name = token.text;
      kernel.body = after;
      while (kernel.body < tokens_.size() && !tokens_[kernel.body].is("{")) {
        if (tokens_[kernel.body].is(";")) return std::nullopt;
        ++kernel.body;
      }
      return kernel;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::string first_argument(std::size_t open, std::size_t end) const {
    std::string text;
    int depth = 0;
    for (std::size_t i = open + 1; i + 1 < end; ++i) {
      if (tokens_[i].is("(")) ++depth;
      if (tokens_[i].is(")")) --depth;
      if (depth == 0 && tokens_[i].is(",")) break;
      text += fmt::format("{}{}", text.empty() ? "" : " ", tokens_[i].text);
    }
    return text;
  }

  std::size_t shared(std::size_t at) {
    const DeclarationRange range = declaration_around(tokens_, at);
    if (range.end >= tokens_.size()) return at;  // a syntax error; the compiler will say so
    const std::span<const Token> declaration(tokens_.data() + range.begin, range.end - range.begin);
    const SharedRewrite rewrite{shared_count_, source_.files[tokens_[at].file], tokens_[at].line,
                                in_namespace_scope()};
    std::size_t used = 0;
    std::string replacement = rewrite_shared(declaration, rewrite, used);
    if (replacement.empty()) return at;
    for (std::size_t n = shared_count_; n < shared_count_ + used; ++n) {
      const std::string name = fmt::format("kernelloop_shared_{}_register", n);
      if (replacement.find(name) != std::string::npos) {
        registrations_ += fmt::format("  {}{}();\n", qualification(), name);
      }
    }
    shared_count_ += used;
    // What came before the __shared__ may have been edited already.
    const std::size_t from = tokens_[range.begin].offset;
    std::erase_if(edits_, [from](const Edit& edit) { return edit.offset >= from; });
    edits_.push_back({from, tokens_[range.begin].text.size(), std::move(replacement)});
    erase(range.begin + 1, range.end);
    return range.end;
  }

  std::string entry(const Kernel& kernel) {
    const std::size_t number = result_.kernels.size();
    result_.kernels.push_back(kernel.name);
    return fmt::format(
        " extern \"C\" {{"
        " extern const ::kernelloop_cpu::Signature<decltype(&{0})>::Record "
        "kernelloop_cpu_record_{1};"
        " __attribute__((used)) constinit const ::kernelloop_cpu::Signature<decltype(&{0})>::Record"
        " kernelloop_cpu_record_{1} = ::kernelloop_cpu::Signature<decltype(&{0})>::record(\"{2}\", "
        "{3});"
        " extern const ::KernelLoopCpuKernel kernelloop_cpu_about_{1};"
        " constinit const ::KernelLoopCpuKernel kernelloop_cpu_about_{1} ="
        " ::kernelloop_cpu::describe<decltype(&{0})>(\"{0}\");"
        " extern const ::kernelloop_cpu::Kernel kernelloop_cpu_kernel_{1};"
        " constinit const ::kernelloop_cpu::Kernel kernelloop_cpu_kernel_{1} ="
        " {{\"{0}\", &::kernelloop_cpu::Signature<decltype(&{0})>::call<&{0}>, {3}}}; }}",
        kernel.name, number, record_marker(key_, number), kernel.max_threads);
  }

  // The exported symbol, after everything else.
  [[nodiscard]] std::string module() const {
    std::string declared;
    std::string kernels;
    std::string about;
    for (std::size_t i = 0; i < result_.kernels.size(); ++i) {
      declared += fmt::format(
          "extern const ::KernelLoopCpuKernel kernelloop_cpu_about_{0};\n"
          "extern const ::kernelloop_cpu::Kernel kernelloop_cpu_kernel_{0};\n",
          i);
      about += fmt::format("kernelloop_cpu_about_{}, ", i);
      kernels += fmt::format("&kernelloop_cpu_kernel_{}, ", i);
    }
    return fmt::format(
        "\n# 1 \"<kernelloop>\"\n"
        "extern \"C\" {{\n{0}}}\n"
        "namespace kernelloop_cpu {{\n"
        "static KernelLoopCpuStatus launch_by_number(const KernelLoopCpuLaunch* launch,\n"
        "                                            char* message, size_t size) {{\n"
        "{4}"
        "  static const Kernel* const kernels[] = {{{1}nullptr}};\n"
        "  return launch_one_of(kernels, {3}, *launch, message, size);\n"
        "}}\n"
        "}}\n"
        "extern \"C\" __attribute__((visibility(\"default\")))\n"
        "const ::KernelLoopCpuModule* kernelloop_cpu_module(void) {{\n"
        "  static const ::KernelLoopCpuKernel about[] = {{{2}{{}}}};\n"
        "  static const ::KernelLoopCpuModule module = {{::kernelloop_cpu::k_abi_version, {3}, "
        "about,\n"
        "      ::kernelloop_cpu::launch_by_number}};\n"
        "  return &module;\n"
        "}}\n",
        declared, kernels, about, result_.kernels.size(), registrations_);
  }

  std::string apply() {
    std::stable_sort(edits_.begin(), edits_.end(),
                     [](const Edit& a, const Edit& b) { return a.offset < b.offset; });
    std::string result;
    result.reserve(text_.size() + 4096);
    std::size_t at = 0;
    for (const Edit& edit : edits_) {
      result += text_.substr(at, edit.offset - at);
      result += edit.text;
      at = edit.offset + edit.length;
    }
    result += text_.substr(at);
    return result;
  }

  std::string_view text_;
  const PreprocessedText& source_;
  const std::vector<Token>& tokens_;
  std::string_view key_;
  std::vector<Edit> edits_;
  std::vector<Scope> scopes_;
  std::optional<Kernel> pending_;
  std::size_t open_kernel_depth_ = 0;  // scopes within the body of the pending kernel, or 0
  bool reads_afresh_ = false;
  std::size_t shared_count_ = 0;
  std::string registrations_;  // calls, for shared variables outside of functions
  RewrittenSource result_;
};

}  // namespace

std::string record_marker(std::string_view key, std::size_t kernel) {
  return fmt::format("{}:{:05}", key, kernel);
}

RewrittenSource rewrite_cuda(std::string_view text, const PreprocessedText& tokens,
                             std::string_view key) {
  return Rewriter(text, tokens, key).run();
}

}  // namespace kernelloop
