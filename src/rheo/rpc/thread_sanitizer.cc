#include "rheo/rpc/thread_sanitizer.h"

#include "rheo/base/sanitizers.h"

#ifdef RHEO_THREAD_SANITIZER
extern "C" {
void __tsan_acquire(void* address);
void __tsan_release(void* address);
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
}

namespace rheo::rpc {

void Publish(void* object) { __tsan_release(object); }
void Receive(void* object) { __tsan_acquire(object); }

GrpcSection::GrpcSection() {
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
}
GrpcSection::~GrpcSection() {
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}

}  // namespace rheo::rpc

#else

namespace rheo::rpc {

void Publish(void*) {}
void Receive(void*) {}
GrpcSection::GrpcSection() = default;
GrpcSection::~GrpcSection() = default;

}  // namespace rheo::rpc

#endif
