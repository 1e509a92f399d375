#include "rheo/rpc/memory_reader.h"

#include <string.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace rheo::rpc {
namespace {

// The kernel copies at most 2 GiB in one call.
constexpr size_t kMaxPiece = size_t{256} << 20;

Status ReadProcess(int64_t process, uint64_t address, size_t num_bytes, char* to) {
  while (num_bytes > 0) {
    const size_t piece = std::min(num_bytes, kMaxPiece);
    const iovec local{to, piece};
    const iovec remote{reinterpret_cast<void*>(address), piece};
    const ssize_t read =
        process_vm_readv(static_cast<pid_t>(process), &local, 1, &remote, 1, /*flags=*/0);
    if (read <= 0) {
      return Unavailable("cannot read the memory of process {}: {}", process,
                         read == 0 ? "nothing there" : strerror(errno));
    }
    to += read;
    address += static_cast<uint64_t>(read);
    num_bytes -= static_cast<size_t>(read);
  }
  return OkStatus();
}

std::string FindMemoryHost() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  std::error_code error;
  const std::filesystem::path processes = std::filesystem::read_symlink("/proc/self/ns/pid", error);
  if (boot.empty() || error) return "";
  return fmt::format("{} {} {}", boot, processes.string(), geteuid());
}

}  // namespace

const std::string& MemoryHost() {
  static const std::string host = FindMemoryHost();
  return host;
}

std::string NewMark() {
  std::string mark(kMarkBytes, '\0');
  if (getrandom(mark.data(), mark.size(), /*flags=*/0) != static_cast<ssize_t>(mark.size())) {
    return "";
  }
  return mark;
}

StatusOr<Tensor> ReadOffered(const wire::MemoryOffer& offer, const std::string& mark) {
  const size_t num_bytes = static_cast<size_t>(offer.shape.num_elements()) * DTypeSize(offer.dtype);
  // Before anything of that size is allocated: is it there?
  char last = 0;
  if (num_bytes > 0) {
    RHEO_RETURN_IF_ERROR(ReadProcess(offer.process, offer.address + num_bytes - 1, 1, &last));
  }
  RHEO_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Create(HostAllocator(), offer.dtype, offer.shape));
  RHEO_RETURN_IF_ERROR(ReadProcess(offer.process, offer.address, num_bytes,
                                   static_cast<char*>(tensor.mutable_data())));
  // Last: a mark that still stands says that the value stood as long.
  std::string found(kMarkBytes, '\0');
  RHEO_RETURN_IF_ERROR(ReadProcess(offer.process, offer.mark_address, found.size(), found.data()));
  if (mark.size() != kMarkBytes || found != mark) {
    return Unavailable("process {} no longer offers the value", offer.process);
  }
  return tensor;
}

}  // namespace rheo::rpc
