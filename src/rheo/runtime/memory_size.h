// How much memory this process may use.
#ifndef RHEO_RUNTIME_MEMORY_SIZE_H_
#define RHEO_RUNTIME_MEMORY_SIZE_H_

#include <cstdint>

namespace rheo::runtime {

// In bytes: the machine's memory, or less where the container has a limit.
int64_t UsableMemory();

}  // namespace rheo::runtime

#endif  // RHEO_RUNTIME_MEMORY_SIZE_H_
