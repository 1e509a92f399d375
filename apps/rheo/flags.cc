#include "flags.h"

#include <fmt/format.h>
#include <getopt.h>

#include <charconv>
#include <cstdio>

namespace rheo::app {
namespace {

std::string KnownFlags(const std::vector<Flag>& flags) {
  std::string text;
  for (const Flag& flag : flags) text += (text.empty() ? "--" : ", --") + flag.name;
  return text;
}

Status Set(const Flag& flag, const char* value) {
  if (flag.on != nullptr) {
    *flag.on = true;
    return OkStatus();
  }
  const std::string_view text(value);
  if (flag.text != nullptr) {
    *flag.text = text;
    return OkStatus();
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *flag.number);
  if (error != std::errc() || end != text.data() + text.size()) {
    return InvalidArgument("--{} takes a number, not '{}'", flag.name, text);
  }
  return OkStatus();
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
  fmt::print(stderr, "rheo {}: {}\n", command, Message(status));
  return kWrongCall;
}

}  // namespace rheo::app
