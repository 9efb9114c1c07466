#pragma once
// Which of many like events are looked at.

namespace maslin::base {

/// Gives true for one call in sixteen: by chance, so that no program's period hides anything.
bool one_in_sixteen() noexcept;
/// The same for one in 32.
bool one_in_thirty_two() noexcept;
/// Gives a number from 0 to 31 by chance.
unsigned up_to_31() noexcept;

}  // namespace maslin::base
