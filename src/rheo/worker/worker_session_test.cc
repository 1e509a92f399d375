#include "rheo/worker/worker_session.h"

#include <gtest/gtest.h>

#include "rheo/worker/registered_graph.h"

namespace rheo::worker {
namespace {

// The graphs hold their session: one that came too late would hold it for ever.
TEST(WorkerSessionTest, ADeletedSessionTakesNoGraph) {
  auto session = std::make_shared<WorkerSession>(WorkerSession::Options{.handle = "s"});
  const std::weak_ptr<WorkerSession> weak = session;
  const auto graph_of_session = [&] {
    auto graph = std::make_shared<RegisteredGraph>();
    graph->session = session;
    return graph;
  };
  EXPECT_TRUE(session->AddGraph("1", graph_of_session()));
  session->DropGraphs();
  EXPECT_FALSE(session->AddGraph("2", graph_of_session()));
  EXPECT_EQ(session->num_graphs(), 0);
  session.reset();
  EXPECT_TRUE(weak.expired());
}

}  // namespace
}  // namespace rheo::worker
