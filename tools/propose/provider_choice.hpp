// Which provider answers, given what the op asks for and what is set up here.
#pragma once

#include "config/op_config.hpp"
#include "propose/user_config.hpp"

#include <string>

namespace kernelloop {

// One of anthropic, openai, openai-chat, command, replay, manual. `auto` is the first that is
// configured in this order. Throws Error(provider) when the one asked for is not configured: what
// to set, and where.
std::string choose_provider(const OpConfig& config, const UserConfig& user);

// The provider of a version that nobody was asked for (tuned_version.hpp).
inline constexpr const char* k_nobody = "none";

// Whether asking costs money, and hence goes through a courier.
bool is_paid(const std::string& provider);

// Whether it can be given tools to read with; a program has its own, a person needs none.
bool takes_tools(const std::string& provider);

}  // namespace kernelloop
