#pragma once

namespace unseen {

/// The phase that a program is.
constexpr const char* phase_name = "unseen";

}  // namespace unseen
