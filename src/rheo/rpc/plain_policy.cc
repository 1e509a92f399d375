#include "rheo/rpc/plain_policy.h"

namespace rheo::rpc {

StatusOr<PlainPolicy> PlainPolicy::Parse(std::string_view text) {
  PlainPolicy policy;
  policy.text = std::string(text);
  if (text == "none") return policy;
  while (true) {
    const size_t comma = text.find(',');
    const std::string_view piece = text.substr(0, comma);
    if (piece == "any") {
      policy.any = true;
    } else if (piece == "loopback") {
      policy.loopback = true;
    } else if (piece == "cluster") {
      policy.cluster = true;
    } else if (StatusOr<AddressRange> range = AddressRange::Parse(piece); range.ok()) {
      policy.ranges.push_back(*range);
    } else {
      return InvalidArgument(
          "'{}' says not from where plain calls are taken; use none, any, or a list of loopback, "
          "cluster, addresses and ranges like 10.0.0.0/8",
          piece);
    }
    if (comma == std::string_view::npos) return policy;
    text.remove_prefix(comma + 1);
  }
}

PlainPolicy PlainPolicy::Default(bool has_credentials) {
  PlainPolicy policy;
  policy.loopback = policy.cluster = !has_credentials;
  policy.text = has_credentials ? "none" : "loopback,cluster";
  return policy;
}

std::string PlainPolicy::Describe() const {
  if (any) return "everywhere";
  if (text == "none") return "nowhere";
  std::string description;
  std::string_view rest = text;
  while (true) {
    const size_t comma = rest.find(',');
    const std::string_view piece = rest.substr(0, comma);
    description += piece == "cluster" ? "the cluster's hosts" : std::string(piece);
    if (comma == std::string_view::npos) return description;
    rest.remove_prefix(comma + 1);
    description += rest.find(',') == std::string_view::npos ? " and " : ", ";
  }
}

}  // namespace rheo::rpc
