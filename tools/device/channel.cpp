#include "device/channel.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace kernelloop {
namespace {

constexpr std::size_t k_max_descriptors = 8;
// Far above any message of ours: samples and plans are some hundred KiB.
constexpr std::uint32_t k_max_message = 64u << 20;

std::optional<std::uint32_t> length_of(const std::string& received) {
  std::uint32_t length = 0;
  if (received.size() < sizeof length) return std::nullopt;
  std::memcpy(&length, received.data(), sizeof length);
  return length;
}

// Whether a whole message stands at the front of what was received.
bool whole(const std::string& received) {
  const std::optional<std::uint32_t> length = length_of(received);
  return length && received.size() >= sizeof *length + *length;
}

bool wait_writable(int descriptor, Deadline deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
                        deadline - std::chrono::steady_clock::now())
                        .count();
  pollfd watched{descriptor, POLLOUT, 0};
  return left > 0 && ::poll(&watched, 1, static_cast<int>(std::min<long long>(left, 1000000))) > 0;
}

}  // namespace

bool Channel::send(std::string_view text, const std::vector<int>& descriptors, Deadline deadline) {
  const auto length = static_cast<std::uint32_t>(text.size());
  std::string all(sizeof length, '\0');
  std::memcpy(all.data(), &length, sizeof length);
  all += text;

  alignas(cmsghdr) std::array<char, CMSG_SPACE(k_max_descriptors * sizeof(int))> control{};
  std::string_view pending = all;
  bool first = true;
  while (!pending.empty()) {
    iovec part{const_cast<char*>(pending.data()), pending.size()};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    if (first && !descriptors.empty()) {
      const std::size_t bytes = descriptors.size() * sizeof(int);
      header.msg_control = control.data();
      header.msg_controllen = CMSG_SPACE(bytes);
      cmsghdr* rights = CMSG_FIRSTHDR(&header);
      rights->cmsg_level = SOL_SOCKET;
      rights->cmsg_type = SCM_RIGHTS;
      rights->cmsg_len = CMSG_LEN(bytes);
      std::memcpy(CMSG_DATA(rights), descriptors.data(), bytes);
    }
    const ssize_t sent = ::sendmsg(socket_.get(), &header, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN && wait_writable(socket_.get(), deadline)) continue;
      return false;
    }
    first = false;
    pending.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

Channel::Progress Channel::read_some() {
  // Two messages may arrive in one piece: the second must not wait for a third.
  if (whole(received_)) return Progress::message;
  std::array<char, 65536> buffer{};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(k_max_descriptors * sizeof(int))> control{};
  iovec part{buffer.data(), buffer.size()};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  ssize_t got = 0;
  do {
    got = ::recvmsg(socket_.get(), &header, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return Progress::closed;
  for (cmsghdr* entry = CMSG_FIRSTHDR(&header); entry != nullptr;
       entry = CMSG_NXTHDR(&header, entry)) {
    if (entry->cmsg_level != SOL_SOCKET || entry->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (entry->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int value = -1;
      std::memcpy(&value, CMSG_DATA(entry) + i * sizeof value, sizeof value);
      descriptors_.emplace_back(value);
    }
  }
  received_.append(buffer.data(), static_cast<std::size_t>(got));
  const std::optional<std::uint32_t> length = length_of(received_);
  if (!length) return Progress::more;
  if (*length > k_max_message) return Progress::closed;  // not one of our messages
  return whole(received_) ? Progress::message : Progress::more;
}

Message Channel::take() {
  const std::uint32_t length = length_of(received_).value_or(0);
  Message message;
  message.text = received_.substr(sizeof length, length);
  message.descriptors = std::move(descriptors_);
  descriptors_.clear();
  received_.erase(0, sizeof length + length);
  return message;
}

}  // namespace kernelloop
