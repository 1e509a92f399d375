#include "rheo/rpc/method_table.h"

namespace rheo::rpc {

Handler AnswerUnimplemented(std::string text) {
  return [text = std::move(text)](grpc::ByteBuffer, const service::Call&, Respond respond) {
    respond({Unimplemented("{}", text)});
  };
}

}  // namespace rheo::rpc
