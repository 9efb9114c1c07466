#include "checkout.hpp"

std::filesystem::path checkout() { return MASLIN_CHECKOUT; }
