// What a trace says, in figures and in few lines.
#pragma once

#include "support/json.hpp"

#include "trace/decode.hpp"

#include <string>
#include <vector>

namespace kernelloop {

struct ScopeDigest {
  std::string name;
  std::size_t count = 0;
  double share = 0;       // of the lifetimes of the warps of its role
  double self_share = 0;  // the same without the scopes inside
  double median_ns = 0;   // of one span
  std::size_t cut = 0;
};

// Warps that carry the same marks: loaders and consumers of a specialised kernel are two roles.
struct RoleDigest {
  std::vector<std::int64_t> warps;  // their numbers in a block
  std::vector<ScopeDigest> scopes;  // by share, without the kernel's own
  double gap_share = 0;             // of their lifetime, in no scope but the kernel's own
};

struct LaunchDigest {
  std::string kernel;
  std::int64_t blocks = 0;
  std::int64_t traced_blocks = 0;    // whose begin was recorded
  std::int64_t marked_blocks = 0;    // of these, whose marks were recorded: roles are of them
  bool every_life = true;            // all blocks record begin and end; else the marked ones only
  std::int64_t first_marked = 0;     // marks are recorded of so many blocks at the front
  std::int64_t marked_distance = 1;  // and of one in so many others
  std::size_t multiprocessors = 0;
  double span_ns = 0;      // from the first begin to the last end
  double lifetime_ns = 0;  // of a block, median
  double lifetime_p95_ns = 0;
  double ramp_ns = 0;            // until every multiprocessor has begun its first block
  double tail_ns = 0;            // from when the median multiprocessor has ended until the last has
  double idle_share = 0;         // of multiprocessors x span, in which no traced block was alive
  double imbalance = 0;          // busiest multiprocessor / mean, by time with a block alive
  std::size_t least_blocks = 0;  // on one multiprocessor
  std::size_t most_blocks = 0;
  std::vector<RoleDigest> roles;  // by their first warp
  std::size_t dropped = 0;
  std::size_t malformed = 0;
  std::size_t unmatched = 0;
  std::size_t unplaced = 0;
};

LaunchDigest digest_of(const LaunchTrace& trace);
Json to_json(const LaunchDigest& digest);
// At most about twenty lines for one launch.
std::string digest_text(const LaunchDigest& digest);

}  // namespace kernelloop
