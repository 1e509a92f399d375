// A client in a process of its own, with an environment of its own.
//
//   cluster_client step TARGET    one step over ps 0, printed with its value
#include <cstdio>
#include <string_view>

#include "rheo/client.h"

namespace {

using namespace rheo;  // NOLINT(google-build-using-namespace)

Status Step(const char* target) {
  const Scope g = Scope::NewRoot();
  const Output x = ops::Placeholder(Scope(g.WithName("x")), DType::kFloat);
  const Output y = ops::Add(g.WithDevice("/job:ps/task:0"), x, 1.0f);
  RHEO_ASSIGN_OR_RETURN(const Session session, Session::Create(g, {.target = target}));
  RHEO_ASSIGN_OR_RETURN(const std::vector<Tensor> out,
                        session.Run({.feeds = {{x, 2.0f}}, .fetches = {y}}));
  std::printf("value %g\n", out[0].scalar<float>());
  return session.Close();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 || std::string_view(argv[1]) != "step") return 2;
  const Status status = Step(argv[2]);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
