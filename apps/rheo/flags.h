// Flags of the subcommands, over getopt_long: "--name value" or "--name=value".
//
// (absl::flags ends the process with code 1 on an unknown flag; a wrong call has code 2 here.)
#ifndef RHEO_APPS_RHEO_FLAGS_H_
#define RHEO_APPS_RHEO_FLAGS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "rheo/base/status.h"

namespace rheo::app {

struct Flag {
  std::string name;
  std::string* text = nullptr;  // exactly one of these is set
  int* number = nullptr;
  int64_t* count = nullptr;
  int64_t* bytes = nullptr;  // a number, or one with K, M or G behind it
  double* real = nullptr;
  bool* on = nullptr;  // takes no value
  // What a number or a real may be.
  double at_least = 0;
  double at_most = INT32_MAX;
};

// Sets the flags of `args` (without the program and the subcommand) and returns what follows them,
// a "--" between left out. INVALID_ARGUMENT with one line that names the flag and the known ones.
// An empty value is an error, too: what a variable of a script did not hold is no choice.
StatusOr<std::vector<std::string>> ParseFlags(const std::vector<std::string>& args,
                                              const std::vector<Flag>& flags);

// The exit codes of the command.
inline constexpr int kDone = 0;
inline constexpr int kJobFailed = 1;
inline constexpr int kWrongCall = 2;

// Subcommands: `args` is what follows the subcommand's name; the result is the exit code.
int Serve(const std::vector<std::string>& args);
int Launch(const std::vector<std::string>& args);
int ShowStatus(const std::vector<std::string>& args);
int MakeCredentials(const std::vector<std::string>& args);

// Prints "rheo <command>: <text>" and gives kWrongCall.
int WrongCall(std::string_view command, const Status& status);

}  // namespace rheo::app

#endif  // RHEO_APPS_RHEO_FLAGS_H_
