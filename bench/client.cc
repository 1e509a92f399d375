// The C++ client as a subject of bench/run, beside the raw transports it stands on: a bare gRPC
// call of a step's size, and a copy over TCP.

#include <fmt/core.h>

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "bare_call.h"
#include "child.h"
#include "cluster_steps.h"
#include "rheo/wire/codec.h"
#include "subject.h"
#include "tcp_copy.h"

namespace rheo::bench {
namespace {

constexpr char kBareServer[] = "bare_server";
constexpr char kTcpServer[] = "tcp_server";

// What a prepared step that does nothing sends and gets back.
std::string NullStepRequest() {
  service::RunCallableRequest request;
  request.session = SessionHandle("0123456789abcdef");
  request.handle = 1;
  request.request_id = RequestId(0x7123456789abcdef);
  std::string bytes;
  for (const auto& slice : wire::Encode(request).slices) bytes += slice.bytes();
  return bytes;
}

size_t NullStepAnswerBytes() { return wire::Encode(service::RunCallableResponse()).size(); }

class Client {
 public:
  Client(int bare_port, int tcp_port) : bare_(bare_port, NullStepRequest()), tcp_port_(tcp_port) {}

  StatusOr<double> Null(const Arguments& args) {
    RHEO_ASSIGN_OR_RETURN(const NullSteps* steps, StepsOf(args));
    RHEO_ASSIGN_OR_RETURN(const int64_t count, CountAt(args, 1));
    return SecondsEach(count, [&] { return steps->OnMaster(); });
  }
  StatusOr<double> OtherTask(const Arguments& args) {
    RHEO_ASSIGN_OR_RETURN(const NullSteps* steps, StepsOf(args));
    RHEO_ASSIGN_OR_RETURN(const int64_t count, CountAt(args, 1));
    return SecondsEach(count, [&] { return steps->OnOther(); });
  }
  StatusOr<double> Bare(const Arguments& args) {
    RHEO_ASSIGN_OR_RETURN(const int64_t count, CountAt(args, 0));
    return SecondsEach(count, [&] { return bare_.Call(); });
  }
  StatusOr<double> Tcp(const Arguments& args) {
    RHEO_ASSIGN_OR_RETURN(const int64_t num_bytes, CountAt(args, 0));
    RHEO_ASSIGN_OR_RETURN(const int64_t count, CountAt(args, 1));
    if (!tcp_) {
      RHEO_ASSIGN_OR_RETURN(TcpSender sender, TcpSender::Connect(tcp_port_));
      tcp_.emplace(std::move(sender));
    }
    RHEO_RETURN_IF_ERROR(tcp_->Send(num_bytes));  // touches the memory
    const auto seconds = SecondsEach(count, [&] { return tcp_->Send(num_bytes); });
    tcp_->Forget();
    return seconds;
  }

 private:
  StatusOr<const NullSteps*> StepsOf(const Arguments& args) {
    RHEO_ASSIGN_OR_RETURN(const std::string target, TextAt(args, 0));
    std::unique_ptr<NullSteps>& steps = null_steps_[target];
    if (steps == nullptr) {
      RHEO_ASSIGN_OR_RETURN(steps, NullSteps::Open(target));
    }
    return steps.get();
  }

  BareCaller bare_;
  const int tcp_port_;
  std::optional<TcpSender> tcp_;
  std::map<std::string, std::unique_ptr<NullSteps>> null_steps_;  // by target
};

// `transfer TARGET BYTES COUNT`, `many TARGET BYTES VARIABLES COUNT`
StatusOr<double> Moved(const Arguments& args) {
  const bool is_many = args.size() > 3;
  RHEO_ASSIGN_OR_RETURN(const std::string target, TextAt(args, 0));
  RHEO_ASSIGN_OR_RETURN(const int64_t num_bytes, CountAt(args, 1));
  RHEO_ASSIGN_OR_RETURN(const int64_t num_variables, is_many ? CountAt(args, 2) : 1);
  RHEO_ASSIGN_OR_RETURN(const int64_t count, CountAt(args, is_many ? 3 : 2));
  RHEO_ASSIGN_OR_RETURN(const auto transfer, Transfer::Open(target, num_bytes, num_variables));
  RHEO_RETURN_IF_ERROR(transfer->Run());
  return SecondsEach(count, [&] { return transfer->Run(); });
}

// `feeds TARGET BYTES FEEDS COUNT`
StatusOr<double> Fed(const Arguments& args) {
  RHEO_ASSIGN_OR_RETURN(const std::string target, TextAt(args, 0));
  RHEO_ASSIGN_OR_RETURN(const int64_t num_bytes, CountAt(args, 1));
  RHEO_ASSIGN_OR_RETURN(const int64_t num_feeds, CountAt(args, 2));
  RHEO_ASSIGN_OR_RETURN(const int64_t count, CountAt(args, 3));
  RHEO_ASSIGN_OR_RETURN(const auto steps, FeedSteps::Open(target, num_bytes, num_feeds));
  RHEO_RETURN_IF_ERROR(steps->Run());
  return SecondsEach(count, [&] { return steps->Run(); });
}

StatusOr<double> Opened(const Arguments& args) {
  RHEO_ASSIGN_OR_RETURN(const std::string target, TextAt(args, 0));
  RHEO_ASSIGN_OR_RETURN(const int64_t count, CountAt(args, 1));
  return SecondsEach(count, [&] { return OpenRunClose(target); });
}

StatusOr<double> FirstStep(const Arguments& args) {
  RHEO_ASSIGN_OR_RETURN(const std::string target, TextAt(args, 0));
  RHEO_ASSIGN_OR_RETURN(const int64_t num_nodes, CountAt(args, 1));
  return FirstStepOfMesh(target == "local" ? "" : target, num_nodes);
}

void ServeRole(const std::string& role) {
  if (role == kTcpServer) ServeAsChild(ServeTcpSink);
  ServeAsChild([](const auto& report_port) { ServeBareCalls(NullStepAnswerBytes(), report_port); });
}

Status Main() {
  RHEO_ASSIGN_OR_RETURN(const int bare_port, StartChild(kBareServer));
  RHEO_ASSIGN_OR_RETURN(const int tcp_port, StartChild(kTcpServer));
  Client client(bare_port, tcp_port);
  const auto method = [&client](auto measure) {
    return [&client, measure](const Arguments& args) { return (client.*measure)(args); };
  };
  Serve({{"null", method(&Client::Null)},
         {"other_task", method(&Client::OtherTask)},
         {"bare", method(&Client::Bare)},
         {"tcp", method(&Client::Tcp)},
         {"transfer", Moved},
         {"many", Moved},
         {"feeds", Fed},
         {"open", Opened},
         {"first_step", FirstStep}});
  return OkStatus();
}

}  // namespace
}  // namespace rheo::bench

int main(int argc, char** argv) {
  if (argc > 1) rheo::bench::ServeRole(argv[1]);
  const rheo::Status status = rheo::bench::Main();
  if (!status.ok()) fmt::print(stderr, "bench_client: {}\n", rheo::Message(status));
  return status.ok() ? 0 : 1;
}
