// Tests only: the recorded messages of tests/golden/wire.
#ifndef RHEO_WIRE_GOLDEN_H_
#define RHEO_WIRE_GOLDEN_H_

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace rheo::wire {

struct Golden {
  std::string file;     // "RunStep_fetch.req.pb"
  std::string message;  // "RunStepRequest"
  std::string bytes;
};

inline std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

inline std::string GoldenDir() {
  const char* const root = std::getenv("RHEO_SOURCE_DIR");
  return std::string(root == nullptr ? "." : root) + "/tests/golden/wire/";
}

inline std::string GoldenBytes(const std::string& file) { return ReadFile(GoldenDir() + file); }

inline std::vector<Golden> AllGolden() {
  std::vector<Golden> all;
  std::istringstream table(GoldenBytes("messages.tsv"));
  for (std::string line; std::getline(table, line);) {
    const size_t tab = line.find('\t');
    if (line.starts_with('#') || tab == std::string::npos) continue;
    const std::string file = line.substr(0, tab);
    all.push_back({file, line.substr(tab + 1), GoldenBytes(file)});
  }
  return all;
}

}  // namespace rheo::wire

#endif  // RHEO_WIRE_GOLDEN_H_
