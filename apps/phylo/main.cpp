// maslin-phylo: trees from alignments of DNA, proteins and other characters, of maximum likelihood and by Bayesian
// inference.

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "cli/shared/child.hpp"
#include "cli/shared/numbers.hpp"
#include "cli/shared/run.hpp"
#include "maslin/error.hpp"
#include "maslin/settings.hpp"
#include "phylo/mcmc/ranks.hpp"
#include "phylo/run/commands.hpp"
#include "phylo/run/infer.hpp"
#ifdef MASLIN_PHYLO_MPI
#include "phylo/mpi/job.hpp"
#endif

namespace {

#ifdef MASLIN_PHYLO_MPI
constexpr const char* program_name = MASLIN_PHYLO_MPI;
#else
constexpr const char* program_name = "maslin-phylo";
#endif

constexpr const char* formats =
    "Alignments: relaxed PHYLIP (sequential or interleaved), FASTA or NEXUS, told apart by their content.\n"
    "Files may be compressed by gzip; - is the standard input.\n"
    "Models of DNA: JC, F81, K80, HKY, TN93, K81, TPM2, TPM3, TIM1, TIM2, TIM3, TVM, SYM, GTR, those with ef or uf\n"
    "(equal, unequal frequencies: TN93ef, K81uf ...), and DNA010020 (which rates are equal).\n"
    "Of amino acids: Dayhoff, DCMut, JTT, JTT-DCMut, WAG, LG, VT, Blosum62, PMB, mtREV, mtMAM, mtART, mtZOA, mtMet,\n"
    "mtVer, mtInv, cpREV, stmtREV, rtREV, HIVb, HIVw, FLU, FLAVI, DEN, Q.pfam, Q.pfam_gb, Q.LG, Q.plant, Q.bird,\n"
    "Q.mammal, Q.insect, Q.yeast, which have frequencies of their own, Poisson (all equal) and PROTGTR;\n"
    "PROTGTR{FILE}: rates and frequencies of a file in PAML's form. LG4M, LG4X: four matrices, one a category.\n"
    "Of other characters: BIN, MULTI4_MK, MULTI4_GTR (2 to 20 states). Of unphased diploid genotypes (A C G T, and\n"
    "M R W S Y K for two bases): GTJC, GTHKY4, GTGTR4, GTGTR.\n"
    "Then +FO optimized (if nothing is said), +F empirical, +FE equal or +FU{a/c/g/t} given frequencies;\n"
    "+G gamma rates in 4 categories (+G4a: their medians), or +R4 categories with free rates and shares; +I invariant\n"
    "sites (+IC: counted).\n"
    "+ASC_LEWIS (or +ASC) is for data without sites that are the same in all taxa; +ASC_FELS{1200}: so many were\n"
    "left out, +ASC_STAM{400/200/250/350}: so many of each state.\n"
    "Values in braces are fixed: GTR{1/2/1/1/2/1}+G{0.5}.\n"
    "Trees: Newick, or NEXUS with a TREES block.\n"
    "Partitions, in a file: a line each, as in LG+G, first = 1-100, 150-200\\3; or NEXUS (#NEXUS) with charset and\n"
    "charpartition, where names of models mean what they mean in IQ-TREE: TIM2 is TIM2uf+F. Files that say only which\n"
    "sites belong together (charset without charpartition, DNA, first = 1-100) need --model beside --model-file.\n";

constexpr const char* tree_formats =
    "Trees are Newick, or NEXUS with a TREES block. Files may be compressed by gzip; - is the standard input.";

/// Refuses "", which would count as nothing: what a script gives whose variable is not set.
CLI::Validator not_empty() {
  return CLI::Validator(
      [](const std::string& text) {
        return std::string(text.empty() ? "''; give a value, or leave the option out" : "");
      },
      "");
}

void add_data(CLI::App* app, std::string& msa, std::string& data_type) {
  app->add_option("--msa", msa, "Alignment")->required()->type_name("FILE");
  app->add_option(
         "--data-type", data_type,
         "What the alignment holds: dna, aa (amino acids), bin (0 and 1), multi (several states), diploid10 (unphased "
         "genotypes), or auto: what the model is for; a text that looks like another kind is refused")
      ->check(CLI::IsMember({"auto", "dna", "aa", "bin", "multi", "diploid10"}))
      ->capture_default_str();
}

void add_model(CLI::App* app, phylo::ModelChoice& model) {
  app->add_option("--model", model.text, "Model, as in GTR+G")->type_name("MODEL");
  app->add_option("--model-file", model.file,
                  "File with the model in one line, or with partitions; beside --model if it names no models")
      ->type_name("FILE");
}

void add_brlen(CLI::App* app, std::string& brlen) {
  app->add_option("--brlen", brlen,
                  "Branch lengths of partitions: linked (the same in all), scaled (each partition has a speed) or "
                  "unlinked (each has its own)")
      ->check(CLI::IsMember({"linked", "scaled", "unlinked"}))
      ->capture_default_str();
}

CLI::Option* add_alrt(CLI::App* app, int& alrt, const char* whose) {
  return app
      ->add_option("--alrt", alrt,
                   std::string("SH-aLRT support of the branches of ") + whose +
                       ", by this number of resamplings of the sites' log-likelihoods; 1000 are usual")
      ->transform(command::whole_number(1, 1000000))
      ->type_name("N");
}

void add_threads(CLI::App* app, int& threads) {
  app->add_option("--threads", threads, "Workers; if not given, as MASLIN_WORKERS or the CPU budget says")
      ->transform(command::whole_number(1, 4096))
      ->type_name("N");
}

void add_given_tree(CLI::App* app, phylo::GivenTree& given, bool several) {
  add_data(app, given.msa, given.data_type);
  app->add_option(
         "--tree", given.tree,
         "Tree in Newick, with branch lengths unless these are fitted (--optimize); with --brlen unlinked also "
         "one for each partition" +
             std::string(several ? "; else also several, each of which is evaluated" : ""))
      ->required()
      ->type_name("FILE");
  add_model(app, given.model);
  add_brlen(app, given.brlen);
  app->add_option("--optimize", given.optimize, "What is fitted first: none, branches, or all (branches and model)")
      ->check(CLI::IsMember({"none", "branches", "all"}))
      ->capture_default_str();
}

void add_prefix(CLI::App* app, std::string& prefix) {
  app->add_option("--prefix", prefix, "Beginning of the output files' names; with a slash at its end, their folder")
      ->required()
      ->type_name("FILE");
}

CLI::Option* add_seed(CLI::App* app, std::uint64_t& seed, const char* what = "Seed of all random choices") {
  return app->add_option("--seed", seed, what)
      ->transform(command::whole_number(0, std::numeric_limits<std::uint64_t>::max()))
      ->type_name("N")
      ->capture_default_str();
}

CLI::App* add_evaluate(CLI::App& app, phylo::EvaluateCommand& command) {
  CLI::App* sub = app.add_subcommand("evaluate", "Log-likelihood of a given tree, or of several");
  add_given_tree(sub, command.given, true);
  sub->add_option("--prefix", command.prefix,
                  "Beginning of the output files' names; without it, what was found is only printed")
      ->check(not_empty())
      ->type_name("FILE");
  CLI::Option* alrt = add_alrt(sub, command.alrt, "the best tree, after --optimize");
  add_seed(sub, command.seed, "Seed of the resamplings")->needs(alrt);
  add_threads(sub, command.threads);
  sub->add_flag("--json", command.json, "Print JSON: {\"lnl\": ...}");
  sub->footer(
      std::string(
          "\nExamples:\n"
          "  maslin-phylo evaluate --msa d041.phy --tree d041.tree --model-file d041.model\n"
          "  maslin-phylo evaluate --msa d041.phy --tree d041.tree --model GTR+G --optimize all --json\n"
          "  maslin-phylo evaluate --msa proteins.fasta --tree proteins.tree --model LG+F+G --optimize all\n"
          "  maslin-phylo evaluate --msa d041.phy --tree d041.tree --model GTR+G --optimize all --alrt 1000\n"
          "  maslin-phylo evaluate --msa d041.phy --tree many.trees --model GTR+G --optimize all --prefix out/d041\n\n"
          "Files, with --prefix P:\n"
          "  P.evaluatedTree   the tree as it was fitted; of several the one with the highest log-likelihood\n"
          "  P.evaluatedModel  its model or models with the values that were found, for --model-file\n"
          "  P.evaluatedTrees  of several, all of them, one a line\n"
          "  P.evaluatedPartitionTrees  with --brlen unlinked, that tree with the lengths of each partition, one a "
          "line\n"
          "  P.evaluatedAlrt   with --alrt, that tree with SH-aLRT support in per cent at its inner nodes\n"
          "  P.evaluated.json  what --json prints\n"
          "  P.log             what happened when\n\n") +
      formats);
  return sub;
}

CLI::App* add_ancestral(CLI::App& app, phylo::AncestralCommand& command) {
  CLI::App* sub = app.add_subcommand("ancestral", "Ancestral states at the inner nodes of a given tree");
  add_given_tree(sub, command.given, false);
  add_prefix(sub, command.prefix);
  add_threads(sub, command.threads);
  sub->add_flag("--json", command.json, "Print the results as JSON");
  sub->footer(
      std::string(
          "\nExamples:\n"
          "  maslin-phylo ancestral --msa d041.phy --tree out/d041.bestTree --model GTR+G --prefix out/d041\n"
          "  maslin-phylo ancestral --msa d041.phy --tree out/d041.bestTree --model-file out/d041.bestModel "
          "--optimize none \\\n"
          "    --prefix out/d041\n\n"
          "Files, for --prefix P, as RAxML-NG has them:\n"
          "  P.ancestralProbs   a line for each inner node and site: the probability of each state, given the data\n"
          "  P.ancestralStates  the most probable sequence of each inner node\n"
          "  P.ancestralTree    the tree with the names of its inner nodes\n"
          "  P.log              what happened when\n\n") +
      formats);
  return sub;
}

void add_inference(CLI::App* sub, phylo::InferCommand& command) {
  add_data(sub, command.msa, command.data_type);
  add_model(sub, command.model);
  add_brlen(sub, command.brlen);
  add_seed(sub, command.seed);
  sub->add_option("--tree-constraint", command.constraint,
                  "Tree in Newick that all trees must display; its nodes may have many children, and it may lack taxa")
      ->check(not_empty())
      ->type_name("FILE");
  add_prefix(sub, command.prefix);
  add_threads(sub, command.threads);
  sub->add_option("--memory", command.memory,
                  "The most memory for the conditional likelihoods of all searches, as 500M or 4G: a run that needs "
                  "more is refused. If not given, the least there can be. Results do not depend on it")
      ->transform(command::size())
      ->type_name("SIZE");
  sub->add_option("--checkpoint-seconds", command.checkpoint_seconds,
                  "Seconds between two checkpoints of a search; 0: after each of its rounds")
      ->transform(command::whole_number(0, 1000000))
      ->type_name("N")
      ->capture_default_str();
  sub->add_flag("--json", command.json, "Print the results as JSON");
  sub->add_flag("--quiet", command.quiet, "Show no progress and no notes");
  sub->add_flag("--redo", command.redo, "Forget the finished trees of an earlier run under this prefix");
}

void add_effort(CLI::App* sub, std::string& search, const std::vector<std::string>& words, const std::string& more) {
  sub->add_option("--search", search,
                  "How far searches go: fast (one climb), standard (two more starts, and perturbations as long as they "
                  "bring something), thorough (eight perturbations)" +
                      more)
      ->check(CLI::IsMember(words))
      ->capture_default_str();
}

void add_starts(CLI::App* sub, phylo::InferCommand& command) {
  command.starts = 1;
  CLI::Option* starts = sub->add_option("--starts", command.starts,
                                        "Searches, each from a parsimony tree of its own; the best tree is kept")
                            ->transform(command::whole_number(1, 1000000))
                            ->type_name("N")
                            ->capture_default_str();
  sub->add_option("--start-trees", command.start_trees,
                  "Where searches begin, a list: pars{N} (N random stepwise-addition parsimony trees, as --starts N), "
                  "rand{N} (N random trees), files of trees in Newick")
      ->check(not_empty())
      ->excludes(starts)
      ->type_name("LIST");
  add_effort(sub, command.search, {"fast", "standard", "thorough", "adaptive"},
             ", or adaptive (how many searches there are and how far they go, by how difficult the alignment is, as "
             "parsimony trees tell; replicates are standard)");
  add_alrt(sub, command.alrt, "the best tree");
}

void add_replicates(CLI::App* sub, phylo::InferCommand& command) {
  command.replicates = 100;
  const CLI::Option* replicates =
      sub->add_option("--replicates", command.replicates,
                      "Bootstrap replicates; with --bootstop, the most there may be (1000 if not given)")
          ->transform(command::whole_number(1, 1000000))
          ->type_name("N")
          ->capture_default_str();
  CLI::Option* bootstop = sub->add_flag("--bootstop", command.bootstop,
                                        "Stop when there are enough replicates (--cutoff); looked at after each 50");
  sub->add_option("--cutoff", command.cutoff,
                  "Replicates are enough when consensus trees of random halves of them differ by no more than this")
      ->needs(bootstop)
      ->check(command::between(0.0001, 1.0))
      ->type_name("SHARE")
      ->capture_default_str();
  sub->parse_complete_callback([&command, replicates] {
    if (command.bootstop && replicates->count() == 0) command.replicates = 1000;
  });
}

void add_metric(CLI::App* sub, std::string& metric) {
  sub->add_option(
         "--metric", metric,
         "What support is: fbp (the share of the trees that have the branch) or tbe (transfer support: how few "
         "tips would have to move for a tree to have it)")
      ->check(CLI::IsMember({"fbp", "tbe"}))
      ->capture_default_str();
}

std::string inference_footer(const char* examples, const char* files) {
  return std::string("\nExamples:\n") + examples + "\nFiles, for --prefix P:\n" + files +
         "  P.result.json  all figures: log-likelihoods, models, times, right-sizing\n"
         "  P.log          what happened when\n"
         "  P.checkpoint/  finished trees, and how far searches are; the same command continues a stopped run\n\n"
         "The same seed gives the same trees and log-likelihoods, to the last bit, at any number of workers\n"
         "(MASLIN_WORKERS), in any configuration (MASLIN_PIN=\"trees=2x1\") and serially (MASLIN_SERIAL=1).\n\n" +
         formats;
}

CLI::App* add_search(CLI::App& app, phylo::InferCommand& command) {
  command.name = "search";
  CLI::App* sub = app.add_subcommand("search", "Tree and model of maximum likelihood");
  add_inference(sub, command);
  add_starts(sub, command);
  sub->footer(inference_footer(
      "  maslin-phylo search --msa d041.phy --model GTR+G --prefix out/d041\n"
      "  maslin-phylo search --msa d041.phy --model HKY+G+I --starts 10 --seed 7 --prefix out/d041 --json\n"
      "  maslin-phylo search --msa d041.phy --model GTR+G --start-trees 'pars{10},rand{10}' --prefix out/d041\n"
      "  maslin-phylo search --msa d041.phy --model GTR+G --search adaptive --prefix out/d041\n"
      "  maslin-phylo search --msa d041.phy --model GTR+G --tree-constraint known.tree --prefix out/d041\n",
      "  P.bestTree     the best tree, in Newick; unlinked branch lengths are averaged over the sites\n"
      "  P.bestModel    its model or models with the values that were found, for --model-file\n"
      "  P.bestPartitionTrees  with --brlen unlinked, the best tree with the lengths of each partition, one a line\n"
      "  P.alrt         with --alrt, the best tree with SH-aLRT support in per cent at its inner nodes\n"));
  return sub;
}

CLI::App* add_bootstrap(CLI::App& app, phylo::InferCommand& command) {
  command.name = "bootstrap";
  CLI::App* sub = app.add_subcommand("bootstrap", "Trees of bootstrap replicates of the alignment");
  add_inference(sub, command);
  add_replicates(sub, command);
  add_effort(sub, command.search, {"fast", "standard", "thorough"}, "");
  sub->footer(inference_footer(
      "  maslin-phylo bootstrap --msa d041.phy --model GTR+G --replicates 100 --seed 1 --prefix out/d041\n",
      "  P.bootstraps   the replicates' trees, one a line\n"));
  return sub;
}

CLI::App* add_all(CLI::App& app, phylo::InferCommand& command) {
  command.name = "all";
  CLI::App* sub =
      app.add_subcommand("all", "Searches and bootstrap replicates in one go, then support on the best tree");
  add_inference(sub, command);
  add_starts(sub, command);
  add_replicates(sub, command);
  add_metric(sub, command.metric);
  sub->footer(inference_footer(
      "  maslin-phylo all --msa d041.phy --model GTR+G --replicates 100 --seed 1 --prefix out/d041\n",
      "  P.bestTree     the best tree, in Newick; unlinked branch lengths are averaged over the sites\n"
      "  P.bestModel    its model or models with the values that were found, for --model-file\n"
      "  P.bestPartitionTrees  with --brlen unlinked, the best tree with the lengths of each "
      "partition, one a line\n"
      "  P.bootstraps   the replicates' trees, one a line\n"
      "  P.support      the best tree with support in per cent at its inner nodes\n"
      "  P.alrt         with --alrt, the best tree with SH-aLRT support in per cent at its inner nodes\n"));
  return sub;
}

CLI::App* add_mcmc(CLI::App& app, phylo::McmcCommand& command) {
  CLI::App* sub = app.add_subcommand("mcmc", "Bayesian inference: sample trees by coupled Markov chains");
  constexpr int most = 2000000000;
  add_data(sub, command.msa, command.data_type);
  add_model(sub, command.model);
  add_prefix(sub, command.prefix);
  const auto number = [&](const char* name, int& to, const char* what, int least, int largest) {
    sub->add_option(name, to, what)->transform(command::whole_number(least, largest))->capture_default_str();
  };
  number("--runs", command.runs, "Independent runs, which are compared", 1, 100);
  number("--chains", command.chains, "Coupled chains of each run; the first is the cold one, which is sampled", 1, 100);
  number("--generations", command.generations, "Generations of each chain", 1, most);
  number("--sample", command.sample, "Generations between two samples", 1, most);
  number("--swap", command.swap, "Generations between two tries to swap chains", 1, most);
  number("--diagnostics", command.diagnostics, "Generations between two looks at convergence", 1, most);
  number("--checkpoint", command.checkpoint, "Generations between two checkpoints", 1, most);
  sub->add_option("--temperature", command.temperature,
                  "Chain i takes posteriors to the power 1 / (1 + temperature (i - 1))")
      ->check(command::between(0.0, 1000.0))
      ->capture_default_str();
  sub->add_option("--burnin", command.burnin,
                  "Generations at the beginning, in which moves are tuned and samples do not count: a share below 1, "
                  "or a number")
      ->check(command::between(0.0, 2e9))
      ->capture_default_str();
  sub->add_option("--stop-at", command.stop_at,
                  "End when the average deviation of split frequencies is at most this: asdsf=0.01")
      ->check(not_empty());
  add_seed(sub, command.seed);
  const auto prior = [&](const char* name, std::string& to, const char* what) {
    sub->add_option(name, to, what)->check(not_empty());
  };
  prior("--prior-branches", command.prior_branches,
        "Branch lengths: gammadir:1,0.1,1,1 (if not given), exponential:RATE or uniform:LOW,HIGH");
  prior(
      "--prior-rates", command.prior_rates,
      "Exchange rates: dirichlet:1,1,1,1,1,1 (if not given), a number for each distinct rate of the model, AC's first");
  prior("--prior-frequencies", command.prior_frequencies,
        "Frequencies of the states: dirichlet:1,1,1,1 (if not given), a number for each state");
  prior("--prior-kappa", command.prior_kappa, "kappa / (1 + kappa): beta:1,1 (if not given)");
  prior("--prior-shape", command.prior_shape,
        "Shape of the gamma distribution: exponential:1 (if not given) or uniform:LOW,HIGH");
  prior("--prior-invariant", command.prior_invariant, "Invariant sites: beta:1,1 (if not given)");
  sub->add_option("--weights", command.weights,
                  "How often moves are made beside the others, all the time: spr=30,nni=10")
      ->check(not_empty());
  add_threads(sub, command.threads);
  number(
      "--segments", command.segments,
      "Segments of the alignment, each for a rank of a group of chains; 0: as few as leave no group without a chain. "
      "For maslin-phylo-mpi only",
      0, 100000);
  sub->add_option(
         "--precision", command.precision,
         "Numbers that conditional likelihoods are kept in: double, or single, which takes half the memory and "
         "is checked against double every --diagnostics generations")
      ->check(CLI::IsMember({"double", "single"}))
      ->capture_default_str();
  sub->add_flag("--no-data", command.no_data, "Sample the priors alone, without the alignment");
  sub->add_flag("--json", command.json, "Print the results as JSON");
  sub->add_flag("--quiet", command.quiet, "Show no progress and no notes");
  sub->add_flag("--redo", command.redo, "Forget the generations of an earlier run under this prefix");
  sub->footer(
      std::string(
          "\nExamples:\n"
          "  maslin-phylo mcmc --msa d041.phy --model GTR+G --generations 200000 --sample 100 --prefix out/d041\n"
          "  maslin-phylo mcmc --msa d041.phy --model HKY+G+I --burnin 20000 --stop-at asdsf=0.01 --prefix out/d041\n"
          "  maslin-mpirun -n 8 maslin-phylo-mpi mcmc --msa d041.phy --model GTR+G --prefix out/d041 --segments 2\n\n"
          "Files, for --prefix P, in MrBayes's form (P.p and P.t with one run):\n"
          "  P.run1.p       sampled parameters of the first run; P.run2.p those of the second\n"
          "  P.run1.t       sampled trees\n"
          "  P.mcmc         accepted moves and swaps, and the deviation of split frequencies, row by row\n"
          "  P.con.tre      the consensus with posterior probabilities\n"
          "  P.result.json  all figures\n"
          "  P.log          what happened when; every --diagnostics generations the log-likelihood, the deviation of\n"
          "                 split frequencies, the least effective sample size (ESS), the largest potential scale\n"
          "                 reduction factor (PSRF) and how often neighbouring heats were swapped\n"
          "  P.chains/      the checkpoint; the same command continues a stopped run, more --generations extend it\n"
          "P.run1.p, P.run1.t and so on and P.mcmc grow at checkpoints, so a run can be followed, with Tracer for "
          "one.\n"
          "P.con.tre and P.result.json are written at the end.\n\n"
          "The same seed gives the same samples, to the last bit, at any number of workers and of ranks,\n"
          "and when a run was stopped or killed and started again.\n\n"
          "maslin-phylo-mpi is the same command for the ranks of maslin-mpirun, and maslin-phylo-system-mpi for those\n"
          "of the system's mpirun or srun, also on several nodes. Each rank has one segment of the alignment, for one\n"
          "or more of the chains of all runs.\n\n") +
      formats);
  return sub;
}

CLI::App* add_support(CLI::App& app, phylo::SupportCommand& command) {
  CLI::App* sub = app.add_subcommand("support", "Draw support values from many trees on one");
  sub->add_option("--tree", command.tree, "The tree that gets the values, in Newick")->required()->type_name("FILE");
  sub->add_option("--trees", command.trees, "Trees that are counted (of bootstrap replicates), in Newick")
      ->required()
      ->type_name("FILE");
  add_metric(sub, command.metric);
  sub->add_option("--prefix", command.prefix, "Beginning of the output file's name")->required()->type_name("FILE");
  sub->add_flag("--json", command.json, "Print the result as JSON");
  sub->footer(
      std::string("\nExample:\n"
                  "  maslin-phylo support --tree out/d041.bestTree --trees out/d041.bootstraps --prefix out/d041\n\n"
                  "Writes P.support: the tree with support in per cent at its inner nodes.\n") +
      tree_formats);
  return sub;
}

CLI::App* add_consensus(CLI::App& app, phylo::ConsensusCommand& command) {
  CLI::App* sub = app.add_subcommand("consensus", "The tree of those branches that most trees share");
  sub->add_option("--trees", command.trees, "Trees, in Newick")->required()->type_name("FILE");
  CLI::Option* threshold = sub->add_option("--threshold", command.threshold,
                                           "Branches in more than this share of the trees are kept; 1: those in all")
                               ->check(command::between(0.5, 1.0))
                               ->type_name("SHARE")
                               ->capture_default_str();
  sub->add_flag("--extended", command.extended, "Keep also rarer branches, by falling count, as long as they fit")
      ->excludes(threshold);
  sub->add_option("--prefix", command.prefix,
                  "Beginning of the output file's name; without it the tree is only printed")
      ->check(not_empty())
      ->type_name("FILE");
  sub->add_flag("--json", command.json, "Print the result as JSON");
  sub->footer(
      std::string("\nExamples:\n"
                  "  maslin-phylo consensus --trees out/d041.bootstraps\n"
                  "  maslin-phylo consensus --trees out/d041.run1.t\n"
                  "  maslin-phylo consensus --trees out/d041.bootstraps --threshold 0.75 --prefix out/d041\n\n"
                  "Prints the tree; at its inner nodes stands, in per cent, which share of the trees has the branch.\n"
                  "With --prefix P it is also written, as P.consensus.\n") +
      tree_formats);
  return sub;
}

CLI::App* add_distances(CLI::App& app, phylo::DistancesCommand& command) {
  CLI::App* sub = app.add_subcommand("distances", "How far trees lie apart");
  sub->add_option("--trees", command.trees, "Trees, in Newick; two at least")->required()->type_name("FILE");
  sub->add_option("--prefix", command.prefix,
                  "Beginning of the output file's name; without it the summary is only printed")
      ->check(not_empty())
      ->type_name("FILE");
  sub->add_flag("--json", command.json, "Print the result as JSON");
  sub->footer(
      std::string(
          "\nExamples:\n"
          "  maslin-phylo distances --trees out/d041.bootstraps\n"
          "  cat one.tree other.tree > two.trees && maslin-phylo distances --trees two.trees --json\n\n"
          "Distances are Robinson and Foulds's: the number of branches that only one of the two trees has; relative "
          "ones\n"
          "are shares of the most that is possible, 2 (n - 3) with n taxa. With --prefix P, P.distances is written: a "
          "line\n"
          "for each pair, with both trees (counted from 0), the distance and the relative distance.\n") +
      tree_formats);
  return sub;
}

/// Parses the command line and does what it says. Gives the exit status.
int run(int argc, char** argv, phylo::Ranks* ranks) {
  CLI::App app("Trees from alignments, by maximum likelihood or Bayesian inference", program_name);
  command::manual_facts facts{MASLIN_VERSION, {}, {"maslin(1)"}};
  for (const maslin::setting& one : maslin::settings())
    if (one.counts == maslin::setting::reach::phylo) facts.environment.push_back({one.name, maslin::plain(one.help)});
  facts.environment.push_back({"MASLIN_...", "the other settings of Maslin; `maslin settings` lists them"});
  command::add_habits(app, facts);
  phylo::EvaluateCommand evaluate;
  phylo::AncestralCommand ancestral;
  phylo::InferCommand search;
  phylo::InferCommand bootstrap;
  phylo::InferCommand all;
  phylo::McmcCommand mcmc;
  phylo::SupportCommand support;
  phylo::ConsensusCommand consensus;
  phylo::DistancesCommand distances;
  const CLI::App* chose_evaluate = add_evaluate(app, evaluate);
  const CLI::App* chose_search = add_search(app, search);
  const CLI::App* chose_bootstrap = add_bootstrap(app, bootstrap);
  const CLI::App* chose_all = add_all(app, all);
  const CLI::App* chose_mcmc = add_mcmc(app, mcmc);
  const CLI::App* chose_support = add_support(app, support);
  const CLI::App* chose_consensus = add_consensus(app, consensus);
  const CLI::App* chose_distances = add_distances(app, distances);
  const CLI::App* chose_ancestral = add_ancestral(app, ancestral);

  std::vector<std::string> words(argv + 1, argv + argc);
  words.insert(words.begin(), program_name);
  evaluate.line = ancestral.line = search.line = bootstrap.line = all.line = mcmc.line = command::command_line(words);
  mcmc.ranks = ranks;

  return command::run(app, argc, argv, [&] {
    if (ranks && ranks->size() > 1 && !*chose_mcmc)
      throw maslin::error("ranks share the chains of mcmc only; start maslin-phylo for this, without mpirun");
    try {
      if (*chose_evaluate) phylo::run(evaluate);
      if (*chose_search) phylo::run(search);
      if (*chose_bootstrap) phylo::run(bootstrap);
      if (*chose_all) phylo::run(all);
      if (*chose_mcmc) phylo::run(mcmc);
      if (*chose_support) phylo::run(support);
      if (*chose_consensus) phylo::run(consensus);
      if (*chose_distances) phylo::run(distances);
      if (*chose_ancestral) phylo::run(ancestral);
    } catch (const phylo::Stopped& stopped) {
      std::fprintf(stderr, "%s: stopped; %d of %d %s are finished, and the same command continues from there\n",
                   program_name, stopped.done, stopped.total, stopped.unit);
      throw CLI::RuntimeError(128 + stopped.signal);
    }
  });
}

}  // namespace

int main(int argc, char** argv) {
  // A limit on file sizes and a reader that has gone are errors of a write, to be reported like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
#ifdef MASLIN_PHYLO_MPI
  phylo::Job job(argc, argv);
  // Rank 0 says what is wrong with the command line, and reads the alignment.
  if (job.rank() > 0 && !job.begin()) return job.leave(0);
  return job.leave(run(argc, argv, &job));
#else
  return run(argc, argv, nullptr);
#endif
}
