#pragma once
// A search that has begun, as text: what a run that was stopped goes on from.

#include "phylo/model/part.hpp"
#include "phylo/run/record.hpp"
#include "phylo/search/search_state.hpp"

namespace phylo {

struct BegunSearch {
  SearchState state;
  double seconds = 0;  ///< that it has taken
};

record_json to_json(const BegunSearch& search);
/// Takes it back, of the same data and models. Throws `input_error` with the reason when the search could not go on
/// from there, nlohmann's exceptions for what is none.
BegunSearch to_begun_search(const record_json& from, const Parts& parts);

}  // namespace phylo
