#include "inspect/instruction_class.hpp"

#include "compile/text.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kernelloop {
namespace {

struct Rule {
  std::string_view prefix;  // of the opcode without modifiers; a final '$' means the whole of it
  std::string_view name;    // of the class
};

// First match wins.
constexpr Rule k_sass[] = {
    {"HGMMA", "tensor"},
    {"QGMMA", "tensor"},
    {"IGMMA", "tensor"},
    {"BGMMA", "tensor"},
    {"HMMA", "tensor"},
    {"QMMA", "tensor"},
    {"OMMA", "tensor"},
    {"IMMA", "tensor"},
    {"BMMA", "tensor"},
    {"DMMA", "tensor"},
    {"UTCHMMA", "tensor"},
    {"UTCQMMA", "tensor"},
    {"UTCIMMA", "tensor"},
    {"UTCOMMA", "tensor"},
    {"UTMA", "bulk copy"},
    {"UBLK", "bulk copy"},
    {"LDGSTS", "bulk copy"},
    {"LDGDEPBAR", "barrier/fence"},
    {"LDGMC", "global load"},
    {"LDG", "global load"},
    {"LD$", "global load"},
    {"STG", "global store"},
    {"ST$", "global store"},
    {"LDSM", "shared load"},
    {"LDS", "shared load"},
    {"STSM", "shared store"},
    {"STS", "shared store"},
    {"STAS", "shared store"},
    {"LDL", "local (spills)"},
    {"STL", "local (spills)"},
    {"ATOM", "atomic"},
    {"RED$", "atomic"},
    {"REDG", "atomic"},
    {"REDAS", "atomic"},
    {"SHFL", "shuffle/vote"},
    {"VOTE", "shuffle/vote"},
    {"REDUX", "shuffle/vote"},
    {"CREDUX", "shuffle/vote"},
    {"MATCH", "shuffle/vote"},
    {"MOVM", "shuffle/vote"},
    {"BAR", "barrier/fence"},
    {"B2R", "barrier/fence"},
    {"UCGABAR", "barrier/fence"},
    {"MEMBAR", "barrier/fence"},
    {"FENCE", "barrier/fence"},
    {"ERRBAR", "barrier/fence"},
    {"DEPBAR", "barrier/fence"},
    {"SYNCS", "barrier/fence"},
    {"WARPSYNC", "barrier/fence"},
    {"WARPGROUP", "barrier/fence"},
    {"ARRIVES", "barrier/fence"},
    {"CCTL", "barrier/fence"},
    {"NANOSLEEP", "barrier/fence"},
    {"MUFU", "special"},
    {"F2F", "conversion"},
    {"F2I", "conversion"},
    {"F2IP", "conversion"},
    {"I2F", "conversion"},
    {"I2I", "conversion"},
    {"F2FP", "conversion"},
    {"FRND", "conversion"},
    {"I2FP", "conversion"},
    {"FADD", "fp32"},
    {"FMUL", "fp32"},
    {"FFMA", "fp32"},
    {"FMNMX", "fp32"},
    {"FSETP", "fp32"},
    {"FSET", "fp32"},
    {"FSEL", "fp32"},
    {"FCHK", "fp32"},
    {"FSWZADD", "fp32"},
    {"HADD", "fp16/bf16"},
    {"HMUL", "fp16/bf16"},
    {"HFMA", "fp16/bf16"},
    {"HMNMX", "fp16/bf16"},
    {"HSET", "fp16/bf16"},
    {"DADD", "fp64"},
    {"DMUL", "fp64"},
    {"DFMA", "fp64"},
    {"DSETP", "fp64"},
    {"BRA", "branch"},
    {"BRX", "branch"},
    {"JMP", "branch"},
    {"JMX", "branch"},
    {"BSSY", "branch"},
    {"BSYNC", "branch"},
    {"BREAK", "branch"},
    {"BMOV", "branch"},
    {"BREV", "integer"},
    {"CALL", "branch"},
    {"RET", "branch"},
    {"EXIT", "branch"},
    {"YIELD", "branch"},
    {"IADD", "integer"},
    {"IMAD", "integer"},
    {"IMUL", "integer"},
    {"IDP", "integer"},
    {"IABS", "integer"},
    {"IMNMX", "integer"},
    {"ISETP", "integer"},
    {"ISCADD", "integer"},
    {"LEA", "integer"},
    {"LOP", "integer"},
    {"PLOP", "integer"},
    {"SHF", "integer"},
    {"SHL", "integer"},
    {"SHR", "integer"},
    {"VIADD", "integer"},
    {"VIMNMX", "integer"},
    {"VABSDIFF", "integer"},
    {"POPC", "integer"},
    {"FLO", "integer"},
    {"BMSK", "integer"},
    {"SGXT", "integer"},
    {"UIADD", "integer"},
    {"UIMAD", "integer"},
    {"UISETP", "integer"},
    {"ULEA", "integer"},
    {"ULOP", "integer"},
    {"UPLOP", "integer"},
    {"USHF", "integer"},
    {"USGXT", "integer"},
    {"UFLO", "integer"},
    {"UPOPC", "integer"},
    {"UBMSK", "integer"},
};

constexpr Rule k_ptx[] = {
    {"wgmma", "tensor"},
    {"mma$", "tensor"},
    {"wmma", "tensor"},
    {"tcgen05", "tensor"},
    {"cp", "bulk copy"},
    {"atom", "atomic"},
    {"red$", "atomic"},
    {"multimem", "atomic"},
    {"shfl", "shuffle/vote"},
    {"vote", "shuffle/vote"},
    {"activemask", "shuffle/vote"},
    {"redux", "shuffle/vote"},
    {"match", "shuffle/vote"},
    {"movmatrix", "shuffle/vote"},
    {"barrier", "barrier/fence"},
    {"bar$", "barrier/fence"},
    {"mbarrier", "barrier/fence"},
    {"membar", "barrier/fence"},
    {"fence", "barrier/fence"},
    {"griddepcontrol", "barrier/fence"},
    {"nanosleep", "barrier/fence"},
    {"ldmatrix", "shared load"},
    {"stmatrix", "shared store"},
    {"ex2", "special"},
    {"lg2", "special"},
    {"sin", "special"},
    {"cos", "special"},
    {"tanh", "special"},
    {"rcp", "special"},
    {"rsqrt", "special"},
    {"sqrt", "special"},
    {"cvt$", "conversion"},
    {"bra", "branch"},
    {"brx", "branch"},
    {"call", "branch"},
    {"ret", "branch"},
    {"exit", "branch"},
    {"mov", "move/other"},
    {"cvta", "move/other"},
    {"selp", "move/other"},
    {"prmt", "move/other"},
};

bool matches(std::string_view base, std::string_view prefix) {
  if (prefix.back() != '$') return starts_with(base, prefix);
  prefix.remove_suffix(1);
  return base == prefix;
}

std::size_t index_of(std::string_view name) {
  const auto found = std::find_if(k_instruction_classes.begin(), k_instruction_classes.end(),
                                  [&](const InstructionClass& one) { return one.name == name; });
  return static_cast<std::size_t>(std::distance(k_instruction_classes.begin(), found));
}

// A modifier as a whole: "f16x2" in "fma.rn.f16x2".
bool has(std::string_view opcode, std::string_view modifier) {
  while (!opcode.empty()) {
    const std::size_t dot = opcode.find('.');
    if (opcode.substr(0, dot) == modifier) return true;
    if (dot == std::string_view::npos) break;
    opcode.remove_prefix(dot + 1);
  }
  return false;
}

std::string_view ptx_access(std::string_view opcode, bool load) {
  if (has(opcode, "shared") || contains(opcode, ".shared::")) {
    return load ? "shared load" : "shared store";
  }
  if (has(opcode, "local")) return "local (spills)";
  if (has(opcode, "param") || has(opcode, "const")) return "move/other";
  return load ? "global load" : "global store";
}

// Arithmetic of PTX is told apart by its type.
std::string_view ptx_arithmetic(std::string_view opcode) {
  if (has(opcode, "f32") || has(opcode, "f32x2")) return "fp32";
  if (has(opcode, "f16") || has(opcode, "f16x2") || has(opcode, "bf16") || has(opcode, "bf16x2")) {
    return "fp16/bf16";
  }
  if (has(opcode, "f64")) return "fp64";
  for (const std::string_view type :
       {"s16", "u16", "s32", "u32", "s64", "u64", "b16", "b32", "b64", "pred"}) {
    if (has(opcode, type)) return "integer";
  }
  return "move/other";
}

}  // namespace

std::size_t class_of(Listing::Language language, std::string_view opcode) {
  const std::string_view base = opcode.substr(0, opcode.find('.'));
  if (language == Listing::Language::sass) {
    // These only move: IMAD.MOV is how a register is copied on the pipe that has room.
    if (starts_with(opcode, "IMAD.MOV")) return index_of("move/other");
    for (const Rule& rule : k_sass) {
      if (matches(base, rule.prefix)) return index_of(rule.name);
    }
    return index_of("move/other");
  }
  if (base == "ld" || base == "ldu") return index_of(ptx_access(opcode, true));
  if (base == "st") return index_of(ptx_access(opcode, false));
  if (base == "div" && has(opcode, "approx")) return index_of("special");
  for (const Rule& rule : k_ptx) {
    if (matches(base, rule.prefix)) return index_of(rule.name);
  }
  return index_of(ptx_arithmetic(opcode));
}

std::size_t class_of(Listing::Language language, const CodeInstruction& one) {
  const bool sets_constant = language == Listing::Language::sass &&
                             starts_with(one.opcode, "HFMA2") && contains(one.text, "-RZ, RZ,");
  return sets_constant ? index_of("move/other") : class_of(language, one.opcode);
}

int access_bytes(Listing::Language language, std::string_view opcode) {
  const std::string_view name = k_instruction_classes[class_of(language, opcode)].name;
  if (name != "global load" && name != "global store" && name != "shared load" &&
      name != "shared store" && name != "local (spills)") {
    return 0;
  }
  if (language == Listing::Language::sass) {
    for (const auto& [text, bytes] : {std::pair<std::string_view, int>{"256", 32},
                                      {"128", 16},
                                      {"64", 8},
                                      {"U16", 2},
                                      {"S16", 2},
                                      {"U8", 1},
                                      {"S8", 1}}) {
      if (has(opcode, text)) return bytes;
    }
    return 4;
  }
  const int lanes = has(opcode, "v8") ? 8 : has(opcode, "v4") ? 4 : has(opcode, "v2") ? 2 : 1;
  for (const auto& [types, bytes] :
       {std::pair<std::string_view, int>{"64", 8}, {"32", 4}, {"16", 2}, {"8", 1}}) {
    const std::size_t dot = opcode.rfind('.');
    const std::string_view type = dot == std::string_view::npos ? "" : opcode.substr(dot + 1);
    if (type.size() > types.size() && type.substr(type.size() - types.size()) == types) {
      return lanes * bytes;
    }
  }
  return lanes * 4;
}

}  // namespace kernelloop
