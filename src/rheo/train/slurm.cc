#include "rheo/train/slurm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstdlib>
#include <initializer_list>
#include <utility>

namespace rheo::train {
namespace {

// More would be a mistake in the text, not a cluster.
constexpr int kMaxExpanded = 100'000;

StatusOr<int> ParseNumber(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) {
    return InvalidArgument("'{}' is no number", text);
  }
  return number;
}

// The pieces between commas that stand in no brackets.
StatusOr<std::vector<std::string_view>> SplitOutside(std::string_view text) {
  std::vector<std::string_view> pieces;
  size_t start = 0;
  bool inside = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[' || text[i] == ']') {
      if ((text[i] == '[') == inside) return InvalidArgument("brackets do not match");
      inside = !inside;
    } else if (text[i] == ',' && !inside) {
      pieces.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  if (inside) return InvalidArgument("brackets do not match");
  pieces.push_back(text.substr(start));
  return pieces;
}

// "1-3" or "07": numbers of the width that the first one has.
StatusOr<std::vector<std::string>> ExpandRange(std::string_view range) {
  const size_t dash = range.find('-');
  const std::string_view first_text = range.substr(0, dash);
  RHEO_ASSIGN_OR_RETURN(const int first, ParseNumber(first_text));
  int last = first;
  if (dash != std::string_view::npos) {
    RHEO_ASSIGN_OR_RETURN(last, ParseNumber(range.substr(dash + 1)));
  }
  if (last < first || last - first >= kMaxExpanded) {
    return InvalidArgument("'{}' is no range", range);
  }
  std::vector<std::string> numbers;
  for (int i = first; i <= last; ++i)
    numbers.push_back(fmt::format("{:0{}}", i, first_text.size()));
  return numbers;
}

// Appends what `piece` stands for, which begins after `prefix` and may have several brackets.
Status Expand(std::string prefix, std::string_view piece, std::vector<std::string>& hosts) {
  const size_t open = piece.find('[');
  prefix += piece.substr(0, open);
  if (open == std::string_view::npos) {
    if (prefix.empty()) return InvalidArgument("a name is empty");
    if (hosts.size() >= kMaxExpanded) return InvalidArgument("too many names");
    hosts.push_back(std::move(prefix));
    return OkStatus();
  }
  const size_t close = piece.find(']', open);
  RHEO_ASSIGN_OR_RETURN(const std::vector<std::string_view> ranges,
                        SplitOutside(piece.substr(open + 1, close - open - 1)));
  for (const std::string_view range : ranges) {
    RHEO_ASSIGN_OR_RETURN(const std::vector<std::string> numbers, ExpandRange(range));
    for (const std::string& number : numbers) {
      RHEO_RETURN_IF_ERROR(Expand(prefix + number, piece.substr(close + 1), hosts));
    }
  }
  return OkStatus();
}

struct SlurmVariable {
  std::string name;
  std::string value;
};

// The first of the variables that is set.
StatusOr<SlurmVariable> FirstOf(const ReadVariable& read,
                                std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (std::optional<std::string> value = read(name))
      return SlurmVariable{name, *std::move(value)};
  }
  return InvalidArgument("this is no process of a Slurm job: none of {} is set",
                         fmt::join(names, ", "));
}

Status Explain(const SlurmVariable& variable, const Status& status) {
  return Prefix(status, fmt::format("{}='{}': ", variable.name, variable.value));
}

// The addresses of all processes, in the order of their ranks.
StatusOr<std::vector<std::string>> Addresses(const SlurmVariable& nodes,
                                             const SlurmVariable& counts, int first_port) {
  const StatusOr<std::vector<std::string>> hosts = ExpandHostList(nodes.value);
  if (!hosts.ok()) return Explain(nodes, hosts.status());
  const StatusOr<std::vector<int>> per_node = ExpandCounts(counts.value);
  if (!per_node.ok()) return Explain(counts, per_node.status());
  if (hosts->size() != per_node->size()) {
    return InvalidArgument("{}='{}' has {} nodes and {}='{}' numbers of {}", nodes.name,
                           nodes.value, hosts->size(), counts.name, counts.value, per_node->size());
  }
  std::vector<std::string> addresses;
  for (size_t i = 0; i < hosts->size(); ++i) {
    for (int local = 0; local < (*per_node)[i]; ++local) {
      addresses.push_back(fmt::format("{}:{}", (*hosts)[i], first_port + local));
    }
  }
  return addresses;
}

struct Job {
  std::string name;
  size_t num_tasks = 0;
};

StatusOr<std::vector<Job>> ParseJobs(std::string_view text, size_t num_tasks) {
  std::vector<Job> jobs;
  size_t left = num_tasks;
  RHEO_ASSIGN_OR_RETURN(const std::vector<std::string_view> pieces, SplitOutside(text));
  for (const std::string_view& piece : pieces) {
    const size_t colon = piece.find(':');
    size_t count = left;
    if (colon != std::string_view::npos) {
      RHEO_ASSIGN_OR_RETURN(const int given, ParseNumber(piece.substr(colon + 1)));
      count = static_cast<size_t>(given);
    } else if (&piece != &pieces.back()) {
      return InvalidArgument("jobs '{}': only the last one may be without a number", text);
    }
    if (count == 0 || count > left) {
      return InvalidArgument("jobs '{}' do not fit the {} processes that there are", text,
                             num_tasks);
    }
    jobs.push_back({std::string(piece.substr(0, colon)), count});
    left -= count;
  }
  if (left > 0) {
    return InvalidArgument("jobs '{}' leave {} of {} processes over", text, left, num_tasks);
  }
  return jobs;
}

}  // namespace

StatusOr<std::vector<std::string>> ExpandHostList(std::string_view text) {
  std::vector<std::string> hosts;
  RHEO_ASSIGN_OR_RETURN(const std::vector<std::string_view> pieces, SplitOutside(text));
  for (const std::string_view piece : pieces) RHEO_RETURN_IF_ERROR(Expand("", piece, hosts));
  return hosts;
}

StatusOr<std::vector<int>> ExpandCounts(std::string_view text) {
  std::vector<int> counts;
  RHEO_ASSIGN_OR_RETURN(const std::vector<std::string_view> pieces, SplitOutside(text));
  for (const std::string_view piece : pieces) {
    const size_t open = piece.find("(x");
    RHEO_ASSIGN_OR_RETURN(const int count, ParseNumber(piece.substr(0, open)));
    int times = 1;
    if (open != std::string_view::npos) {
      if (!piece.ends_with(')')) return InvalidArgument("'{}' has no ')'", piece);
      RHEO_ASSIGN_OR_RETURN(times, ParseNumber(piece.substr(open + 2, piece.size() - open - 3)));
    }
    if (times + counts.size() > kMaxExpanded) return InvalidArgument("too many nodes");
    counts.insert(counts.end(), static_cast<size_t>(times), count);
  }
  return counts;
}

StatusOr<Task> TaskFromSlurm(const SlurmOptions& options, const ReadVariable& read) {
  const bool in_step = read("SLURM_STEP_NODELIST").has_value();
  RHEO_ASSIGN_OR_RETURN(
      const SlurmVariable nodes,
      FirstOf(read, {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST", "SLURM_NODELIST"}));
  // A job's numbers say nothing about the nodes of a step.
  RHEO_ASSIGN_OR_RETURN(const SlurmVariable counts,
                        in_step ? FirstOf(read, {"SLURM_STEP_TASKS_PER_NODE"})
                                : FirstOf(read, {"SLURM_TASKS_PER_NODE"}));
  RHEO_ASSIGN_OR_RETURN(const SlurmVariable rank, FirstOf(read, {"SLURM_PROCID"}));
  RHEO_ASSIGN_OR_RETURN(const std::vector<std::string> addresses,
                        Addresses(nodes, counts, options.first_port));
  RHEO_ASSIGN_OR_RETURN(const std::vector<Job> jobs, ParseJobs(options.jobs, addresses.size()));
  const StatusOr<int> own = ParseNumber(rank.value);
  if (!own.ok()) return Explain(rank, own.status());

  service::ClusterSpec cluster;
  std::string own_job;
  int own_index = 0;
  size_t next = 0;
  for (const Job& job : jobs) {
    service::ClusterSpec::Tasks tasks;
    for (size_t i = 0; i < job.num_tasks; ++i, ++next) {
      if (next == static_cast<size_t>(*own)) {
        own_job = job.name;
        own_index = static_cast<int>(i);
      }
      tasks[static_cast<int>(i)] = addresses[next];
    }
    RHEO_RETURN_IF_ERROR(cluster.AddJob(job.name, std::move(tasks)));
  }
  if (own_job.empty()) {
    return Explain(rank, InvalidArgument("there are {} processes", addresses.size()));
  }
  return Task::Create(std::move(cluster), std::move(own_job), own_index);
}

StatusOr<Task> TaskFromSlurm(const SlurmOptions& options) {
  return TaskFromSlurm(options, [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
  });
}

}  // namespace rheo::train
