// The bodies of complete answers, as each dialect writes them.
#pragma once

#include <string>

namespace kernelloop {

// `path` tells the dialect. With `reads` the answer ends with a call of the tool "look".
std::string stream_body(const std::string& path, const std::string& text,
                        const std::string& reads = {});
std::string json_body(const std::string& path, const std::string& text,
                      const std::string& reads = {});

// Whether a request asks for a stream: each dialect answers with one JSON object unless told to.
bool wants_stream(const std::string& request_body);

// An error in the middle of a stream, as an event.
std::string error_event(const std::string& path);

// `bytes` as a gzip file.
std::string gzipped(const std::string& bytes);

}  // namespace kernelloop
