// Large values between a ps, a worker and the client.
#include <numeric>

#include "case_test.h"

namespace rheo::cluster_test {
namespace {

class LargeTensors : public CaseTest, public testing::WithParamInterface<Shape> {};

// Sums wrap around, so that they do not depend on the order.
int32_t Checksum(const Tensor& tensor) {
  const auto values = tensor.flat<int32_t>();
  return static_cast<int32_t>(std::accumulate(values.begin(), values.end(), uint32_t{0}));
}

TEST_P(LargeTensors, Server19_TravelWhole) {
  Cluster& cluster = Make({.ps = 1});
  Scope g = Scope::NewRoot();
  const Scope ps = g.WithDevice(Device("ps"));
  const Scope worker = g.WithDevice(Device("worker"));
  Tensor shape(DType::kInt64, {GetParam().rank()});
  for (int i = 0; i < GetParam().rank(); ++i) shape.mutable_flat<int64_t>()[i] = GetParam().dim(i);
  const Variable v(
      ps.WithName("v"),
      ops::RandomUniformInt(ps, shape, ops::Const(ps, Tensor::Scalar<int32_t>(-1'000'000)),
                            ops::Const(ps, Tensor::Scalar<int32_t>(1'000'000))));
  const Operation init = InitializeVariables(g);
  const Output read = v.Read(ps);
  const auto sum = [](const Scope& where, const Output& value) {
    return ops::Sum(where, ops::Reshape(where, value, {-1}), {0});
  };
  const Output sum_on_ps = sum(ps, read);
  const Output sum_on_worker = sum(worker, ops::Identity(worker, read));
  const Output fed = ops::Placeholder(g.WithName("fed"), DType::kInt32);
  const Output sum_of_fed = sum(ps, fed);
  StatusOr<Session> session = Session::Create(g, {.target = cluster.Target()});
  ASSERT_TRUE(session.ok()) << session.status();
  const Status ran = session->Run({.targets = {init}}).status();
  ASSERT_TRUE(ran.ok()) << ran;
  const auto sums = session->Run({.fetches = {sum_on_ps, sum_on_worker}});
  ASSERT_TRUE(sums.ok()) << sums.status();
  EXPECT_EQ(sums->at(0), sums->at(1));
  const auto fetched = session->Run({.fetches = {read}});
  ASSERT_TRUE(fetched.ok()) << fetched.status();
  EXPECT_EQ(Tensor::Scalar(Checksum(fetched->at(0))), sums->at(0));
  const auto back = session->Run({.feeds = {{fed, fetched->at(0)}}, .fetches = {sum_of_fed}});
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->at(0), sums->at(0));
}

INSTANTIATE_TEST_SUITE_P(Sizes, LargeTensors,
                         testing::Values(Shape{1'250'000}, Shape{83'888, 200}, Shape{250'000'000}));

}  // namespace
}  // namespace rheo::cluster_test
