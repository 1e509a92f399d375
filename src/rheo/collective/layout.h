// Who sends what to whom: rings of reductions and trees of broadcasts. The numbers are
// TensorFlow's, so that its tasks and ours can be in one group (wire.md 21).
#ifndef RHEO_COLLECTIVE_LAYOUT_H_
#define RHEO_COLLECTIVE_LAYOUT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rheo/collective/group.h"

namespace rheo::collective {

// A part of a value, in elements.
struct Piece {
  int64_t begin = 0;
  int64_t size = 0;
};

// Cuts `num_elements` into `count` pieces that begin at multiples of 64 bytes; the last ones may be
// smaller, or empty.
std::vector<Piece> CutIntoPieces(int64_t num_elements, int64_t element_size, int count);

// The order in which the members of a group stand in a ring, and in how many rings.
struct Rings {
  // By ring: by position, the rank of the member that stands there.
  std::vector<std::vector<int>> order;
};
// `offsets` as the op's subdiv_offsets: where in its task each ring begins, negative in reverse
// order. When empty they are chosen: more rings for larger values, at most `max_rings` for each
// member of a task (0: 2).
Rings MakeRings(const Group& group, std::vector<int> offsets, int max_rings, int64_t num_bytes);

// One tree of a broadcast, as one of its members sees it. A broadcast between tasks is followed by
// one in each task.
struct TreePart {
  int tree = 0;            // number in the broadcast
  std::vector<int> ranks;  // of the members, by their position in the tree
  int position = 0;        // this member's
  int from = -1;           // position of whoever sends to this member; -1: it has the value
  std::vector<int> to;     // positions of those that it sends to
};
// In the order in which they run; only trees that `rank` is part of.
std::vector<TreePart> TreesOf(const Group& group, int rank, int source_rank);

// ---- Keys of pieces
std::string RingKey(const std::string& instance, bool second_pass, int piece, int from_position);
std::string TreeKey(const std::string& instance, int tree, int from_position, int to_position);
// Of what members without elements tell each other; TensorFlow's have no such thing.
std::string MeetingKey(const std::string& instance, int from_rank, int to_rank);
// The part of a key that all pieces of an instance have in common: its first four numbers.
std::string_view InstanceOf(std::string_view key);

}  // namespace rheo::collective

#endif  // RHEO_COLLECTIVE_LAYOUT_H_
