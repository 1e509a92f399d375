// Constants of the scaled exponential linear unit (Klambauer et al., Self-Normalizing Neural
// Networks, 2017).
#ifndef RHEO_OPS_NN_ACTIVATION_H_
#define RHEO_OPS_NN_ACTIVATION_H_

namespace rheo::ops {

inline constexpr double kSeluScale = 1.0507009873554804934193349852946;
inline constexpr double kSeluScaleAlpha = 1.7580993408473768599402175208123;

}  // namespace rheo::ops

#endif  // RHEO_OPS_NN_ACTIVATION_H_
