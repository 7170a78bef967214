// What servers say when there is no answer, brought into one form.
#pragma once

#include "propose/provider.hpp"
#include "propose/transport.hpp"

#include <string>
#include <string_view>

namespace kernelloop {

Failure failure(Failure::Kind kind, std::string message, bool retryable = false);

// Any status that is not 2xx.
Failure failure_of_status(const HttpResponse& response);

// An error object, whatever its shape; `status` is 0 where it came with a 2xx or in a stream.
Failure failure_of_error(const Json& error, int status);

// Whether the error says that the content is not wanted: a refusal, not a failure.
bool is_content_refusal(const Json& error);

// The first of an unknown text, on one line.
std::string excerpt(std::string_view text);

}  // namespace kernelloop
