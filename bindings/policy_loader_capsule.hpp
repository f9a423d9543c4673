#pragma once

namespace cospot {

/// The name of the capsule in which the module cospot._core hands its PolicyLoader to the program
/// that hosts Python; the caller owns the loader. Both are of one version (PythonHostVersion).
inline constexpr const char* kPolicyLoaderCapsule = "cospot.PolicyLoader";

}  // namespace cospot
