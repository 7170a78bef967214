#include "propose/chat_stream.hpp"

#include "support/json_members.hpp"

namespace kernelloop {

std::string chat_text(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  std::string text;
  if (!content.is_array()) return text;
  for (const Json& part : content) {
    if (text_member(part, "type") == "text") text += text_member(part, "text");
  }
  return text;
}

void ChatStream::take(const Json& chunk) {
  if (const std::string model = text_member(chunk, "model"); !model.empty()) model_ = model;
  if (member(chunk, "usage").is_object()) usage_ = chunk["usage"];  // the last one counts
  if (member(chunk, "prompt_filter_results").is_array()) {
    filter_results_ = chunk["prompt_filter_results"];
  }
  const Json& choices = list_member(chunk, "choices");
  if (choices.empty() || !choices.front().is_object()) return;
  has_choice_ = true;
  take_delta(member(choices.front(), "delta"));
  const std::string reason = text_member(choices.front(), "finish_reason");
  if (!reason.empty()) finish_reason_ = reason;
}

void ChatStream::take_delta(const Json& delta) {
  if (!delta.is_object()) return;
  for (const auto& [name, value] : delta.items()) {
    if (name == "tool_calls") {
      if (!value.is_array()) continue;
      for (const Json& part : value) take_call(part);
    } else if (name == "role") {
      message_["role"] = value;
    } else if (name == "content" && value.is_array()) {
      message_["content"] = text_member(message_, "content") + chat_text(value);
    } else if (value.is_string()) {
      message_[name] = text_member(message_, name.c_str()) + value.get<std::string>();
    } else if (value.is_array() && member(message_, name.c_str()).is_array()) {
      for (const Json& item : value) message_[name].push_back(item);
    } else if (!value.is_null() || !message_.contains(name)) {
      message_[name] = value;
    }
  }
}

// A known id is that call; a new id is a new call, whatever its index, for some servers send index
// 0 for all; without an id the index counts, else the call under way.
Json& ChatStream::call_for(const Json& part) {
  const std::string id = text_member(part, "id");
  if (!id.empty()) {
    for (Json& call : calls_) {
      if (text_member(call, "id") == id) return call;
    }
  } else if (!calls_.empty()) {
    const auto index = count_member(part, "index");
    if (index) {
      for (auto call = calls_.rbegin(); call != calls_.rend(); ++call) {
        if (count_member(*call, "index") == index) return *call;
      }
    } else {
      return calls_.back();
    }
  }
  Json call = Json::object();
  if (const auto index = count_member(part, "index")) call["index"] = *index;
  calls_.push_back(std::move(call));
  arguments_.emplace_back();
  return calls_.back();
}

void ChatStream::take_call(const Json& part) {
  if (!part.is_object()) return;
  Json& call = call_for(part);
  std::string& arguments = arguments_[static_cast<std::size_t>(&call - calls_.data())];
  for (const auto& [name, value] : part.items()) {
    if (name != "function" && name != "index" && !value.is_null()) call[name] = value;
  }
  const Json& function = member(part, "function");
  if (const std::string name = text_member(function, "name"); !name.empty()) {
    call["function"]["name"] = name;
  }
  const Json& piece = member(function, "arguments");
  if (piece.is_string()) arguments += piece.get<std::string>();
  if (piece.is_object()) arguments = piece.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool ChatStream::is_whole() const {
  if (!finish_reason_.empty()) return true;
  if (!has_choice_) return ended_ && filter_results_.is_array();
  return ended_ && (!text_member(message_, "content").empty() || !calls_.empty());
}

Json ChatStream::completion() const {
  Json message = message_;
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    Json call = calls_[i];
    call.erase("index");
    call["function"]["arguments"] = arguments_[i];
    message["tool_calls"].push_back(std::move(call));
  }
  Json result = {{"model", model_}, {"usage", usage_}, {"choices", Json::array()}};
  if (filter_results_.is_array()) result["prompt_filter_results"] = filter_results_;
  if (has_choice_) {
    result["choices"].push_back({{"message", message}, {"finish_reason", finish_reason_}});
  }
  return result;
}

}  // namespace kernelloop
