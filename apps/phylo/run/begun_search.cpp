#include "phylo/run/begun_search.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "phylo/io/error.hpp"
#include "phylo/run/record.hpp"

namespace phylo {

using json = record_json;

namespace {

// Numbers alone: what is optimized, and how, the models of the run say.
json to_json(const Model& model) {
  return {{"rates", model.rates},
          {"frequencies", model.frequencies},
          {"alpha", model.alpha},
          {"category_rates", model.free_category_rates},
          {"category_shares", model.free_category_shares},
          {"invariant", model.invariant},
          {"speed", model.speed}};
}

/// Takes as many numbers as there are, all positive.
void take(const json& from, std::vector<double>& to) {
  const auto values = from.get<std::vector<double>>();
  if (values.size() != to.size() || !std::all_of(values.begin(), values.end(), [](double v) { return v > 0; }))
    throw input_error("it holds a model that is none of this run's");
  to = values;
}

Model to_model(const json& from, const Model& asked) {
  Model model = asked;
  take(from.at("rates"), model.rates);
  take(from.at("frequencies"), model.frequencies);
  take(from.at("category_rates"), model.free_category_rates);
  take(from.at("category_shares"), model.free_category_shares);
  from.at("alpha").get_to(model.alpha);
  from.at("invariant").get_to(model.invariant);
  from.at("speed").get_to(model.speed);
  if (!(model.alpha > 0) || !(model.invariant >= 0 && model.invariant < 1) || !(model.speed > 0))
    throw input_error("it holds a model that is none of this run's");
  return model;
}

json to_json(const SearchCounts& c) {
  return {c.rounds, c.pruned, c.scored, c.fitted, c.judged, c.moved, c.restarts, c.ratchets, c.smoothed};
}

SearchCounts to_counts(const json& c) {
  return {c.at(0), c.at(1), c.at(2), c.at(3), c.at(4), c.at(5), c.at(6), c.at(7), c.at(8)};
}

}  // namespace

json to_json(const BegunSearch& search) {
  const SearchState& s = search.state;
  json models = json::array(), curvatures = json::array();
  for (const Model& model : s.models) models.push_back(to_json(model));
  for (const Curvature& curvature : s.curvatures) curvatures.push_back(curvature.inverse);
  return {{"seconds", search.seconds},
          {"stage", static_cast<int>(s.stage)},
          {"fruitless", s.fruitless},
          {"nearest", s.nearest},
          {"farthest", s.farthest},
          {"tree", half_edges_of(s.tree)},
          {"models", models},
          {"curvatures", curvatures},
          {"lnl", s.lnl},
          {"highest", s.highest},
          {"counts", to_json(s.counts)},
          {"cutoff", s.climber.cutoff},
          {"lost", s.climber.lost},
          {"losers", s.climber.losers},
          {"judged", s.climber.judged},
          {"random", s.random}};
}

BegunSearch to_begun_search(const json& from, const Parts& parts) {
  BegunSearch search;
  SearchState& s = search.state;
  from.at("seconds").get_to(search.seconds);
  const int stage = from.at("stage").get<int>();
  if (stage < 0 || stage > static_cast<int>(SearchState::Stage::finishing))
    throw input_error("it has come to a stage that there is none of");
  s.stage = static_cast<SearchState::Stage>(stage);
  from.at("fruitless").get_to(s.fruitless);
  from.at("nearest").get_to(s.nearest);
  from.at("farthest").get_to(s.farthest);
  if (s.nearest < 1 || s.farthest < s.nearest) throw input_error("it moves subtrees to no place");
  s.tree = tree_of_half_edges(from.at("tree"), parts.front().patterns.taxa);
  if (s.tree.lengths() != 1 && s.tree.lengths() != parts.size())
    throw input_error("it holds a tree of other partitions");
  const json &models = from.at("models"), &curvatures = from.at("curvatures");
  if (models.size() != parts.size() || curvatures.size() != parts.size())
    throw input_error("it holds the models of other partitions");
  for (std::size_t part = 0; part < parts.size(); ++part) {
    s.models.push_back(to_model(models.at(part), parts[part].model));
    s.curvatures.push_back({curvatures.at(part).get<std::vector<double>>()});
  }
  from.at("lnl").get_to(s.lnl);
  from.at("highest").get_to(s.highest);
  if (!std::isfinite(s.lnl) || !std::isfinite(s.highest)) throw input_error("it holds a likelihood that is no number");
  s.counts = to_counts(from.at("counts"));
  from.at("cutoff").get_to(s.climber.cutoff);
  from.at("lost").get_to(s.climber.lost);
  from.at("losers").get_to(s.climber.losers);
  from.at("judged").get_to(s.climber.judged);
  from.at("random").get_to(s.random);
  return search;
}

}  // namespace phylo
