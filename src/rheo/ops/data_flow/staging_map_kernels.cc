// Staging maps as ops: MapStage, MapUnstage, MapUnstageNoKey, MapPeek, MapSize, MapIncompleteSize,
// MapClear, and the same with Ordered before. Both keep their keys in order.
#include <utility>

#include "rheo/ops/common/kernel_factories.h"
#include "rheo/ops/data_flow/blocking.h"
#include "rheo/ops/data_flow/kernels.h"
#include "rheo/ops/data_flow/staging_attrs.h"
#include "rheo/ops/data_flow/staging_map.h"

namespace rheo::ops {
namespace {

using kernel::AsyncKernel;
using kernel::KernelContext;
using kernel::KernelInit;

using MapPtr = std::shared_ptr<StagingMap>;

StatusOr<int64_t> ReadKey(const KernelContext& c) {
  const Tensor& key = c.input(0);
  if (key.num_elements() != 1) {
    return InvalidArgument("key must be a scalar, but has shape {}", key.shape().ToString());
  }
  return key.scalar<int64_t>();
}

StatusOr<Positions> ReadPositions(const KernelContext& c, int i, size_t num_components) {
  const Tensor& tensor = c.input(i);
  if (tensor.rank() != 1) {
    return InvalidArgument("indices must be a vector, but have shape {}",
                           tensor.shape().ToString());
  }
  Positions positions;
  for (const int32_t position : tensor.flat<int32_t>()) {
    if (position < 0 || static_cast<size_t>(position) >= num_components) {
      return InvalidArgument("index '{}' is out of range: there are {} dtypes", position,
                             num_components);
    }
    if (!positions.empty() && position <= positions.back()) {
      return InvalidArgument("Indices are not strictly ordered");
    }
    positions.push_back(position);
  }
  return positions;
}

class MapStageKernel final : public AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(StagingAttrs attrs, ReadStagingAttrs(init));
    return std::make_unique<MapStageKernel>(std::move(attrs));
  }
  explicit MapStageKernel(StagingAttrs attrs) : attrs_(std::move(attrs)) {}

  void ComputeAsync(KernelContext& c, DoneCallback done) override {
    Status status = Start(c, done);
    if (!status.ok()) std::move(done)(std::move(status));
  }

 private:
  // Takes `done` unless it fails.
  Status Start(KernelContext& c, DoneCallback& done) {
    RHEO_ASSIGN_OR_RETURN(const MapPtr map, FindStaging<StagingMap>(attrs_, c));
    RHEO_ASSIGN_OR_RETURN(const int64_t key, ReadKey(c));
    RHEO_ASSIGN_OR_RETURN(Positions positions, ReadPositions(c, 1, attrs_.dtypes.size()));
    if (static_cast<int>(positions.size()) != c.num_inputs() - 2) {
      return InvalidArgument("{} indices for {} values", positions.size(), c.num_inputs() - 2);
    }
    Tuple values;
    for (size_t i = 0; i < positions.size(); ++i) {
      const DType dtype = attrs_.dtypes[static_cast<size_t>(positions[i])];
      values.push_back(c.TakeInput(static_cast<int>(i) + 2));
      if (values.back().dtype() == dtype) continue;
      return InvalidArgument("value {} is {}, not {}", i, DTypeName(values.back().dtype()),
                             DTypeName(dtype));
    }
    map->Put(CallOf(c, attrs_.node), key, std::move(positions), std::move(values),
             attrs_.dtypes.size(), std::move(done));
    return OkStatus();
  }

  const StagingAttrs attrs_;
};

enum class Get { kTake, kTakeAny, kPeek };

template <Get get>
class MapGetKernel final : public AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(StagingAttrs attrs, ReadStagingAttrs(init));
    return std::make_unique<MapGetKernel>(std::move(attrs));
  }
  explicit MapGetKernel(StagingAttrs attrs) : attrs_(std::move(attrs)) {}

  void ComputeAsync(KernelContext& c, DoneCallback done) override {
    Status status = Start(c, done);
    if (!status.ok()) std::move(done)(std::move(status));
  }

 private:
  // Takes `done` unless it fails.
  Status Start(KernelContext& c, DoneCallback& done) {
    RHEO_ASSIGN_OR_RETURN(const MapPtr map, FindStaging<StagingMap>(attrs_, c));
    // An attr gives the dtypes of the outputs here; the tuple knows how many it has.
    constexpr int kIndices = get == Get::kTakeAny ? 0 : 1;
    RHEO_ASSIGN_OR_RETURN(Positions positions, ReadPositions(c, kIndices, INT32_MAX));
    auto set_outputs = [&c](StatusOr<StagingMap::Keyed> keyed) -> Status {
      RHEO_RETURN_IF_ERROR(keyed.status());
      if (get == Get::kTakeAny) c.set_output(0, Tensor::Scalar<int64_t>(keyed->key));
      return SetStaged(c, get == Get::kTakeAny ? 1 : 0, std::move(keyed->tuple));
    };
    kernel::OpCall call = CallOf(c, attrs_.node);
    if constexpr (get == Get::kTakeAny) {
      map->TakeAny(std::move(call), std::move(positions),
                   [set_outputs, done = std::move(done)](auto keyed) mutable {
                     std::move(done)(set_outputs(std::move(keyed)));
                   });
    } else {
      RHEO_ASSIGN_OR_RETURN(const int64_t key, ReadKey(c));
      constexpr auto kMethod = get == Get::kTake ? &StagingMap::Take : &StagingMap::Peek;
      ((*map).*kMethod)(std::move(call), key, std::move(positions),
                        [set_outputs, done = std::move(done)](auto keyed) mutable {
                          std::move(done)(set_outputs(std::move(keyed)));
                        });
    }
    return OkStatus();
  }

  const StagingAttrs attrs_;
};

Status MapSize(const StagingAttrs& attrs, KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const MapPtr map, FindStaging<StagingMap>(attrs, c));
  c.set_output(0, Tensor::Scalar<int32_t>(static_cast<int32_t>(map->size())));
  return OkStatus();
}

Status MapIncompleteSize(const StagingAttrs& attrs, KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const MapPtr map, FindStaging<StagingMap>(attrs, c));
  c.set_output(0, Tensor::Scalar<int32_t>(static_cast<int32_t>(map->incomplete_size())));
  return OkStatus();
}

Status MapClear(const StagingAttrs& attrs, KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const MapPtr map, FindStaging<StagingMap>(attrs, c));
  map->Clear();
  return OkStatus();
}

}  // namespace

void AddStagingMapKernels(TableKernels& kernels) {
  for (const std::string prefix : {"", "Ordered"}) {
    kernels.Add(prefix + "MapStage", kernel::ClassKernel<MapStageKernel>());
    kernels.Add(prefix + "MapUnstage", kernel::ClassKernel<MapGetKernel<Get::kTake>>());
    kernels.Add(prefix + "MapUnstageNoKey", kernel::ClassKernel<MapGetKernel<Get::kTakeAny>>());
    kernels.Add(prefix + "MapPeek", kernel::ClassKernel<MapGetKernel<Get::kPeek>>());
    kernels.Add(prefix + "MapSize", AttrKernel(&ReadStagingAttrs, &MapSize));
    kernels.Add(prefix + "MapIncompleteSize", AttrKernel(&ReadStagingAttrs, &MapIncompleteSize));
    kernels.Add(prefix + "MapClear", AttrKernel(&ReadStagingAttrs, &MapClear));
  }
}

}  // namespace rheo::ops
