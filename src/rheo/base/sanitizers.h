// Which sanitizer this build is checked by, if any.
#ifndef RHEO_BASE_SANITIZERS_H_
#define RHEO_BASE_SANITIZERS_H_

#if defined(__SANITIZE_ADDRESS__)
#define RHEO_ADDRESS_SANITIZER 1
#elif defined(__SANITIZE_THREAD__)
#define RHEO_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RHEO_ADDRESS_SANITIZER 1
#elif __has_feature(thread_sanitizer)
#define RHEO_THREAD_SANITIZER 1
#endif
#endif

namespace rheo {

// How many times as long as usual a test may wait for something in this build.
#if defined(RHEO_ADDRESS_SANITIZER) || defined(RHEO_THREAD_SANITIZER)
inline constexpr int kSlowdown = 8;
#else
inline constexpr int kSlowdown = 1;
#endif

}  // namespace rheo

#endif  // RHEO_BASE_SANITIZERS_H_
