// TCP sockets of the tests.
#ifndef RHEO_TESTS_CLUSTER_SOCKETS_H_
#define RHEO_TESTS_CLUSTER_SOCKETS_H_

#include <string>

namespace rheo::cluster_test {

// A socket that listens on "127.0.0.1:port"; fails the test if it cannot.
int ListenOn(const std::string& address);
// A socket that is connected to "127.0.0.1:port", or -1.
int ConnectTo(const std::string& address);
// A connection, or -1 when none came within a tenth of a second.
int AcceptSoon(int listener);
// Whether bytes, or the end of the stream, are there within a tenth of a second.
bool ReadableSoon(int socket);

}  // namespace rheo::cluster_test

#endif  // RHEO_TESTS_CLUSTER_SOCKETS_H_
