#pragma once

#include <filesystem>

/// The folder of the checkout that the tests were built from. (Not from __FILE__, which some builds make relative.)
std::filesystem::path checkout();
