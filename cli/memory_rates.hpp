#pragma once
// What a program's lines move to and from memory, by how much slower they are when other cores use it, too.

#include <map>
#include <string>
#include <vector>

#include "recorded.hpp"

/// By a line's name, seconds or bytes a second.
using by_line = std::map<std::string, double>;

/// Gives the seconds that the bodies of each task, loop, kernel and phase computed, what they called apart.
by_line line_seconds(const recorded& program);

/// Gives how many bytes a second the bodies of a line move where one worker runs them alone, for lines that were slower
/// in every round beside copies of the program on all other CPUs, `cpus` in all. Those wait for memory, so all CPUs
/// together move what they can, `bandwidth` bytes a second, in equal shares. Lines that took less than a millisecond
/// say nothing. `alone`, `beside`: a run in each round.
by_line memory_rates(const std::vector<by_line>& alone, const std::vector<by_line>& beside, int cpus, double bandwidth);
