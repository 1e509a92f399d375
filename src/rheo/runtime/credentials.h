// The credentials that a program uses when its code names none.
#ifndef RHEO_RUNTIME_CREDENTIALS_H_
#define RHEO_RUNTIME_CREDENTIALS_H_

#include "rheo/service/credentials.h"

namespace rheo::runtime {

// The environment variable that names a folder made by `rheo credentials`.
inline constexpr char kCredentialsVariable[] = "RHEO_CREDENTIALS";

// `given`, unless it is empty: then those of the folder that RHEO_CREDENTIALS names, if it is set.
service::Credentials OrFromEnvironment(service::Credentials given);

}  // namespace rheo::runtime

#endif  // RHEO_RUNTIME_CREDENTIALS_H_
