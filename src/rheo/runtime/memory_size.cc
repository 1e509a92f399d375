#include "rheo/runtime/memory_size.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace rheo::runtime {

int64_t UsableMemory() {
  const int64_t machine = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  // "max" where there is none; the second is that of older systems.
  for (const char* path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    int64_t limit = 0;
    if (std::ifstream(path) >> limit && limit > 0) return std::min(machine, limit);
  }
  return machine;
}

}  // namespace rheo::runtime
