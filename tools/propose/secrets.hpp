// Keys must not leave the process that uses them: not in a recording, not in a message.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

// A key that is set on this machine.
struct LiveSecret {
  std::string name;   // of the environment variable
  std::string value;  // never shown
};

// The environment's variables that look like secrets by name and by value (long enough, no path).
std::vector<LiveSecret> live_secrets();

// Adds a value that comes from elsewhere, when it is one that could be told from other text (long
// enough, no path).
void add_secret(std::vector<LiveSecret>& secrets, const std::string& name,
                const std::string& value);

// What in `text` looks like a secret, as words that may be shown ("the value of OPENAI_API_KEY",
// "a private key (PEM)"); empty when nothing does. Live values are found as they are, in base64 at
// any alignment, and URL-encoded.
std::string find_secret(std::string_view text, const std::vector<LiveSecret>& live);

// Throws Error(provider) when `text`, which is called `what`, holds a secret.
void refuse_secrets(std::string_view text, const std::vector<LiveSecret>& live,
                    const std::string& what);

// `text` with every occurrence of `value` replaced; as it is for a value that is too short to be
// told from other text.
std::string without_value(std::string text, const std::string& value);

}  // namespace kernelloop
