#pragma once
// What a recorded program's bodies move to and from memory: what they say (`ms::memory_traffic`), what was measured of
// their lines, or the data that tasks name.

#include <cstdint>
#include <string>
#include <vector>

#include "maslin/machine.hpp"
#include "memory_rates.hpp"
#include "recorded.hpp"

/// Gives the bytes a second that the first workers, so many, have from memory, at most what copy engines of local
/// stores and their buses move; 0 if the description does not say.
double bandwidth(const maslin::machine::machine_spec& machine, int workers);

/// Have workers local stores there?
bool has_stores(const maslin::machine::machine_spec& machine);

/// Does what bodies move count there? Not where accelerators have no local stores.
bool counts_traffic(const maslin::machine::machine_spec& machine);

/// Lets tasks that do not say what they move move what they name, each by itself, if it counts there and the data that
/// all name are more bytes together than the caches. Where workers have local stores what tasks name is copied: there
/// such tasks move nothing else, whatever they and their loops say.
void count_named_data(recorded& program, const maslin::machine::machine_spec& machine);

/// Lets the bodies of each line that do not say what they move move so many bytes a second while they compute.
void add_measured(recorded& program, const by_line& bytes_per_second);

/// Gives the bytes that all bodies move.
double bytes_moved(const recorded& program);

/// Gives the seconds that bodies computed which move something.
double seconds_of_moving(const recorded& program);

/// Gives the lines of loops of which no body moves anything, as far as is known.
std::vector<std::string> silent_loops(const recorded& program);

/// Gives a text that names them, and says what `else_by` does for them; empty if there are none.
std::string about_silent_loops(const recorded& program, const std::string& else_by);
