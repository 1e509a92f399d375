// Build graphs and run them: scopes, operations, variables, gradients, sessions.
//
//   #include <rheo/client.h>
//   using namespace rheo;
//
//   Scope g = Scope::NewRoot();
//   Output x = ops::Placeholder(g.WithName("x"), DType::kFloat, {.shape = {-1, 64}});
//   Variable w(g.WithName("w"), ops::Fill(g, {64, 10}, 0.0f));
//   Output logits = ops::MatMul(g, x, w);
//   StatusOr<Session> session = Session::Create(g, {.target = ""});  // or "grpc://host:port"
//   session->Run({.targets = {InitializeVariables(g)}});
//   StatusOr<std::vector<Tensor>> out = session->Run({.feeds = {{x, batch}}, .fetches = {logits}});
#ifndef RHEO_CLIENT_H_
#define RHEO_CLIENT_H_

#include <utility>

#include "rheo/builder/operators.h"
#include "rheo/builder/ops.h"
#include "rheo/builder/scope.h"
#include "rheo/client/gradients.h"
#include "rheo/client/session.h"
#include "rheo/client/variable.h"
#include "rheo/runtime/connect.h"
#include "rheo/runtime/registries.h"
#include "rheo/tensor/tensor.h"

namespace rheo {

namespace ops {
using namespace builder::ops;  // NOLINT(google-build-using-namespace)
}  // namespace ops

using builder::Input;
using builder::Operation;
using builder::Output;
using client::Feed;
using client::Gradients;
using client::InitializeVariables;
using client::RunArgs;
using client::TrainableVariables;
using client::Variable;
using client::VariableKind;
using client::VariableOptions;
using client::Variables;
using service::Credentials;
using session::Callable;
using session::RunOptions;
using session::SessionOptions;

// builder::Scope over the built-in operations and their gradients.
class Scope : public builder::Scope {
 public:
  static Scope NewRoot() {
    return Scope(client::NewRoot(runtime::BuiltIn().ops, runtime::BuiltIn().gradients));
  }
  Scope(builder::Scope scope)  // NOLINT(google-explicit-constructor)
      : builder::Scope(std::move(scope)) {}
};

// client::Session by target: "" is a cluster of one task inside this process, "grpc://host:port"
// the master there.
class Session : public client::Session {
 public:
  static StatusOr<Session> Create(const builder::Scope& scope, SessionOptions options = {}) {
    RHEO_ASSIGN_OR_RETURN(auto master,
                          runtime::Connect(options.target, options.config, options.credentials));
    RHEO_ASSIGN_OR_RETURN(client::Session session,
                          client::Session::Create(std::move(master), scope, std::move(options)));
    return Session(std::move(session));
  }

 private:
  explicit Session(client::Session session) : client::Session(std::move(session)) {}
};

}  // namespace rheo

#endif  // RHEO_CLIENT_H_
