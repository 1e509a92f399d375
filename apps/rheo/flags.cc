#include "flags.h"

#include <fmt/format.h>
#include <getopt.h>

#include <charconv>

#include "rheo/base/stderr.h"

namespace rheo::app {
namespace {

std::string KnownFlags(const std::vector<Flag>& flags) {
  std::string text;
  for (const Flag& flag : flags) text += (text.empty() ? "--" : ", --") + flag.name;
  return text;
}

template <typename Number>
bool ParseNumber(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// "64K" is 65536.
bool ParseBytes(std::string_view text, int64_t& bytes) {
  constexpr std::string_view kUnits = "KMG";
  int shift = 0;
  if (const size_t unit = text.empty() ? std::string_view::npos : kUnits.find(text.back());
      unit != std::string_view::npos) {
    shift = 10 * (static_cast<int>(unit) + 1);
    text.remove_suffix(1);
  }
  if (!ParseNumber(text, bytes) || bytes < 0 || bytes > (INT64_MAX >> shift)) return false;
  bytes <<= shift;
  return true;
}

bool IsWithin(const Flag& flag, double number) {
  return number >= flag.at_least && number <= flag.at_most;  // not so for a NaN
}

std::string Range(const Flag& flag) {
  if (flag.at_most == INT32_MAX) return fmt::format("of at least {}", flag.at_least);
  return fmt::format("from {} to {}", flag.at_least, flag.at_most);
}

Status Set(const Flag& flag, const char* value) {
  if (flag.on != nullptr) {
    *flag.on = true;
    return OkStatus();
  }
  const std::string_view text(value);
  if (text.empty()) return InvalidArgument("--{} needs a value, not ''", flag.name);
  if (flag.text != nullptr) {
    *flag.text = text;
    return OkStatus();
  }
  if (flag.bytes != nullptr) {
    if (ParseBytes(text, *flag.bytes)) return OkStatus();
    return InvalidArgument("--{} takes a number of bytes, like 1000, 64K, 256M or 2G, not '{}'",
                           flag.name, text);
  }
  if (flag.real != nullptr) {
    if (ParseNumber(text, *flag.real) && IsWithin(flag, *flag.real)) return OkStatus();
    return InvalidArgument("--{} takes a number {}, not '{}'", flag.name, Range(flag), text);
  }
  if (flag.count != nullptr) {
    if (ParseNumber(text, *flag.count) && *flag.count >= 0) return OkStatus();
    return InvalidArgument("--{} takes a number of at least 0, not '{}'", flag.name, text);
  }
  if (ParseNumber(text, *flag.number) && IsWithin(flag, *flag.number)) return OkStatus();
  return InvalidArgument("--{} takes a whole number {}, not '{}'", flag.name, Range(flag), text);
}

}  // namespace

StatusOr<std::vector<std::string>> ParseFlags(const std::vector<std::string>& args,
                                              const std::vector<Flag>& flags) {
  std::vector<option> options;
  for (const Flag& flag : flags) {
    options.push_back({.name = flag.name.c_str(),
                       .has_arg = flag.on != nullptr ? no_argument : required_argument});
  }
  options.push_back({});
  // getopt_long wants an argv that it may reorder; "+" stops at the first argument that is no flag.
  std::vector<std::string> copies = args;
  std::vector<char*> argv{const_cast<char*>("rheo")};
  for (std::string& copy : copies) argv.push_back(copy.data());
  argv.push_back(nullptr);
  const int argc = static_cast<int>(argv.size()) - 1;
  optind = 0;
  opterr = 0;
  while (true) {
    const int at = optind == 0 ? 1 : optind;
    int index = -1;
    const int code = getopt_long(argc, argv.data(), "+:", options.data(), &index);
    if (code == -1) break;
    const char* const given = at < argc ? argv[static_cast<size_t>(at)] : "";
    if (code == ':') return InvalidArgument("{} needs a value", given);
    if (code != 0 || index < 0) {
      return InvalidArgument("there is no flag '{}'; the flags are: {}", given, KnownFlags(flags));
    }
    RHEO_RETURN_IF_ERROR(Set(flags[static_cast<size_t>(index)], optarg));
  }
  return std::vector<std::string>(argv.begin() + optind, argv.begin() + argc);
}

int WrongCall(std::string_view command, const Status& status) {
  PrintToStderr("rheo {}: {}\n", command, Message(status));
  return kWrongCall;
}

}  // namespace rheo::app
