#include "rheo/collective/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace rheo::collective {
namespace {

constexpr int64_t kAlignment = 64;
// Pieces above this size are a reason for another ring.
constexpr int64_t kLargePiece = int64_t{4} << 20;

int64_t DivideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

std::vector<int> ChooseOffsets(const Group& group, int max_rings, int64_t num_bytes) {
  const int tasks = static_cast<int>(group.MembersOfTasks().size());
  const int in_task = std::max(1, group.size() / tasks);
  const int64_t limit = std::max<int64_t>(1, max_rings) * in_task;
  int count = 1;
  while (count < limit && num_bytes / (int64_t{group.size()} * count) > kLargePiece) ++count;
  const int stride = std::max(1, in_task / count);
  std::vector<int> offsets;
  for (int i = 0; i < count; ++i) offsets.push_back(i % 2 == 1 ? -i * stride : i * stride);
  return offsets;
}

// Neighbours in a tree in which position p has the children 2p + 1 and 2p + 2; a source that is not
// at the root sends to the two topmost positions, and p has the children 2p + 2 and 2p + 3.
int SenderTo(int position, int source) {
  if (position == source) return -1;
  if (source == 0) return (position - 1) / 2;
  const int above = position / 2 - 1;
  return above < 0 ? source : above;
}

std::vector<int> ReceiversOf(int position, int source, int size) {
  std::vector<int> to;
  if (position == source && source != 0) {
    for (const int top : {0, 1}) {
      if (top < size && top != source) to.push_back(top);
    }
  }
  const int first = source == 0 ? 2 * position + 1 : 2 * position + 2;
  for (const int child : {first, first + 1}) {
    if (child < size && child != source) to.push_back(child);
  }
  return to;
}

TreePart MakePart(int tree, std::vector<int> ranks, int position, int source) {
  TreePart part{.tree = tree, .ranks = std::move(ranks), .position = position};
  part.from = SenderTo(position, source);
  part.to = ReceiversOf(position, source, static_cast<int>(part.ranks.size()));
  return part;
}

int PositionOf(const std::vector<int>& ranks, int rank) {
  const auto it = std::ranges::find(ranks, rank);
  return it == ranks.end() ? -1 : static_cast<int>(it - ranks.begin());
}

}  // namespace

std::vector<Piece> CutIntoPieces(int64_t num_elements, int64_t element_size, int count) {
  const int64_t even = DivideUp(num_elements, count) * element_size;
  const int64_t step = (even / kAlignment + 1) * kAlignment / element_size;
  std::vector<Piece> pieces;
  for (int i = 0; i < count; ++i) {
    const int64_t begin = std::min(num_elements, i * step);
    pieces.push_back({begin, std::min(step, num_elements - begin)});
  }
  return pieces;
}

Rings MakeRings(const Group& group, std::vector<int> offsets, int max_rings, int64_t num_bytes) {
  if (offsets.empty()) offsets = ChooseOffsets(group, max_rings, num_bytes);
  Rings rings;
  for (const int offset : offsets) {
    std::vector<int>& order = rings.order.emplace_back();
    int first = 0;
    for (const int count : group.MembersOfTasks()) {
      for (int i = 0; i < count; ++i) {
        const int at = static_cast<int>((i + std::abs(int64_t{offset})) % count);
        order.push_back(first + (offset < 0 ? count - 1 - at : at));
      }
      first += count;
    }
  }
  return rings;
}

std::vector<TreePart> TreesOf(const Group& group, int rank, int source_rank) {
  const std::vector<int> counts = group.MembersOfTasks();
  std::vector<TreePart> parts;
  // Between tasks: the source, and the first member of each other task.
  std::vector<int> heads;
  int source_task = 0;
  int first = 0;
  for (const int count : counts) {
    const bool has_source = source_rank >= first && source_rank < first + count;
    if (has_source) source_task = static_cast<int>(heads.size());
    heads.push_back(has_source ? source_rank : first);
    first += count;
  }
  const bool many_tasks = counts.size() > 1;
  if (const int position = PositionOf(heads, rank); many_tasks && position >= 0) {
    parts.push_back(MakePart(0, heads, position, source_task));
  }
  first = 0;
  for (size_t task = 0; task < counts.size(); ++task) {
    const int end = first + counts[task];
    if (rank >= first && rank < end) {
      std::vector<int> ranks;
      for (int i = first; i < end; ++i) ranks.push_back(i);
      parts.push_back(MakePart(static_cast<int>(task) + (many_tasks ? 1 : 0), ranks, rank - first,
                               heads[task] - first));
    }
    first = end;
  }
  return parts;
}

std::string RingKey(const std::string& instance, bool second_pass, int piece, int from_position) {
  return fmt::format("{}:{}:{}:{}", instance, second_pass ? 1 : 0, piece, from_position);
}

std::string TreeKey(const std::string& instance, int tree, int from_position, int to_position) {
  return fmt::format("{}:{}:{}:{}", instance, tree, from_position, to_position);
}

std::string MeetingKey(const std::string& instance, int from_rank, int to_rank) {
  return fmt::format("{}:meet:{}:{}", instance, from_rank, to_rank);
}

std::string_view InstanceOf(std::string_view key) {
  size_t end = 0;
  for (int i = 0; i < 4 && end != std::string_view::npos; ++i) {
    end = key.find(':', i == 0 ? 0 : end + 1);
  }
  return key.substr(0, end);
}

}  // namespace rheo::collective
