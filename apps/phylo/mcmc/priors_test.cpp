#include "phylo/mcmc/priors.hpp"

#include "phylo/io/error.hpp"
#include "phylo/mcmc/small_trees.hpp"
#include "phylo/model/notation.hpp"

namespace phylo {
namespace {

TEST(Priors, TextsComeBack) {
  for (const char* text : {"gammadir:1,0.1,1,1", "exponential:10", "uniform:0,5"})
    EXPECT_EQ(to_string(parse_prior(PriorOf::branches, text, "--x")), text);
  EXPECT_EQ(to_string(parse_prior(PriorOf::rates, "dirichlet:1,2,3,4,5,6", "--x", 6)), "dirichlet:1,2,3,4,5,6");
  EXPECT_EQ(to_string(parse_prior(PriorOf::rates, "dirichlet:1,2,3", "--x", 3)), "dirichlet:1,2,3");
  EXPECT_EQ(parse_prior(PriorOf::branches, "gammadir:1,0.1,1,1", "--x"), Priors().branches);
}

TEST(Priors, HaveAsManyPartsAsAreSampled) {
  EXPECT_EQ(to_string(Priors(parse_model("GTR")).rates), "dirichlet:1,1,1,1,1,1");
  EXPECT_EQ(to_string(Priors(parse_model("TN93")).rates), "dirichlet:1,1,1");
  EXPECT_EQ(to_string(Priors(parse_model("DNA000001")).rates), "dirichlet:1,1");
  EXPECT_EQ(to_string(Priors(parse_model("BIN")).frequencies), "dirichlet:1,1");
  EXPECT_EQ(Priors(parse_model("LG+F")).frequencies.parameters.size(), 20u);
  // What is not sampled has the prior of GTR, as identities of checkpoints say it.
  EXPECT_EQ(Priors(parse_model("HKY")).rates, Priors().rates);
  EXPECT_EQ(Priors(parse_model("LG")).frequencies, Priors().frequencies);
}

TEST(Priors, DistinctRatesAreThoseThatTheModelTies) {
  Model model = parse_model("TIM2");  // 010232
  model.rates = {1, 2, 1, 3, 4, 3};
  DistinctRates distinct(model);
  EXPECT_EQ(distinct.count, 4u);
  EXPECT_EQ(distinct.values, (std::array<double, 6>{1, 2, 3, 4, 0, 0}));
  distinct.values = {5, 6, 7, 8, 0, 0};
  distinct.set_in(model);
  EXPECT_EQ(model.rates, (std::vector<double>{5, 6, 5, 7, 8, 7}));
}

TEST(Priors, WhatIsWrongIsSaid) {
  const auto message = [](PriorOf what, const char* text) -> std::string {
    try {
      parse_prior(what, text, "--prior-x", 3);
    } catch (const input_error& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message(PriorOf::shape, "gamma:1,1"),
            "--prior-x: 'gamma' is none of the distributions that this prior can have; expected a distribution and its "
            "numbers, as in exponential:1, uniform:0,200");
  EXPECT_NE(message(PriorOf::shape, "exponential:one").find("'one' is no number"), std::string::npos);
  EXPECT_NE(message(PriorOf::rates, "dirichlet:1,1").find("takes 3 numbers, not 2"), std::string::npos);
  EXPECT_NE(message(PriorOf::kappa, "beta:1,1,").find("'' is no number"), std::string::npos);
  EXPECT_NE(message(PriorOf::kappa, "beta:0,1").find("positive"), std::string::npos);
  EXPECT_NE(message(PriorOf::branches, "uniform:2,1").find("larger"), std::string::npos);
  EXPECT_NE(message(PriorOf::branches, "uniform:0,1e-12").find("does not lie between 1e-09 and 1000"),
            std::string::npos);
  EXPECT_NE(message(PriorOf::shape, "uniform:0,1e9").find("does not lie between 0.0001 and 10000"), std::string::npos);
  EXPECT_NE(message(PriorOf::branches, "").find("none of the distributions"), std::string::npos);
}

TEST(Priors, GammaDirichletWithFlatPartsDependsOnTheTreeLengthAlone) {
  Random random(1);
  Tree a = random_topology(random, 5, 0.1), b = a;
  a.set_length(0, 0.2);
  a.set_length(1, 0.3);
  b.set_length(2, 0.4);
  EXPECT_NEAR(log_prior(Priors().branches, a), log_prior(Priors().branches, b), 1e-12);
  // One of 15 topologies; 0.1 e^(-0.1 T) times 6! / T^6
  EXPECT_NEAR(log_prior(Priors().branches, a), -std::log(15) + std::log(0.1) - 0.1 + std::log(720), 1e-9);
}

TEST(Priors, WhatTheNotationFixesIsNotSampled) {
  EXPECT_EQ(Sampled(parse_model("GTR")).rates, 6u);
  EXPECT_EQ(Sampled(parse_model("K81")).rates, 3u);
  EXPECT_EQ(Sampled(parse_model("TVM")).rates, 5u);
  EXPECT_EQ(Sampled(parse_model("DNA011111")).rates, 2u);
  EXPECT_EQ(Sampled(parse_model("HKY")).rates, 0u);
  EXPECT_EQ(Sampled(parse_model("JC")).rates, 0u);
  EXPECT_EQ(Sampled(parse_model("TN93{1/2/1/1/3/1}")).rates, 0u);
  EXPECT_FALSE(Sampled(parse_model("DNA011111")).kappa);
  EXPECT_TRUE(Sampled(parse_model("GTR")).frequencies);
  EXPECT_EQ(Sampled(parse_model("GTR{1/2/1/1/2/1}+FU{0.3/0.2/0.2/0.3}+G{0.5}")).rates, 0u);
  EXPECT_FALSE(Sampled(parse_model("GTR{1/2/1/1/2/1}+FU{0.3/0.2/0.2/0.3}+G{0.5}")).frequencies);
  EXPECT_FALSE(Sampled(parse_model("GTR{1/2/1/1/2/1}+FU{0.3/0.2/0.2/0.3}+G{0.5}")).shape);
  EXPECT_TRUE(Sampled(parse_model("HKY+I")).kappa);
  EXPECT_TRUE(Sampled(parse_model("HKY+I")).invariant);
  EXPECT_FALSE(Sampled(parse_model("JC")).frequencies);
  EXPECT_FALSE(Sampled(parse_model("F81")).kappa);
}

TEST(Priors, BoundsArePassedByNobody) {
  Random random(1);
  Tree tree = random_topology(random, 5, 0.1);
  tree.set_length(0, 1e-12);
  EXPECT_TRUE(std::isinf(log_prior(Priors().branches, tree)));
  Model model = starting_model(parse_model("GTR+G"), Priors());
  EXPECT_TRUE(std::isfinite(log_prior(Priors(), Sampled(parse_model("GTR+G")), model)));
  model.alpha = 0;
  EXPECT_TRUE(std::isinf(log_prior(Priors(), Sampled(parse_model("GTR+G")), model)));
}

}  // namespace
}  // namespace phylo
