#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "checkout.hpp"
#include "maslin/error.hpp"
#include "maslin/machine.hpp"
#include "spec_file.hpp"

namespace maslin::machine {
namespace {

namespace fs = std::filesystem;

fs::path shipped(const std::string& name) { return checkout() / "specs" / name; }

/// Gives what read_spec says about the text, without the file's name: "LINE:COLUMN: ...".
std::string complaint(const std::string& text) {
  const spec_file file(text);
  try {
    read_spec(file.path());
  } catch (const error& e) {
    const std::string what = e.what();
    EXPECT_EQ(what.substr(0, file.path().size() + 1), file.path() + ":");
    return what.substr(file.path().size() + 1);
  }
  return "";
}

const std::string good = R"(name = "small"
[workers]
kind = "cpu"
count = 4
source = "a test"
)";

TEST(Spec, AllThatAreShippedAreInOrderAndListed) {
  std::ifstream in(shipped("README.md"));
  const std::string list((std::istreambuf_iterator<char>(in)), {});
  int specs = 0;
  for (const auto& entry : fs::directory_iterator(shipped("")))
    if (entry.path().extension() == ".toml") {
      ++specs;
      const machine_spec spec = read_spec(entry.path().string());
      EXPECT_EQ(spec.name, entry.path().stem()) << "a spec's name is its file's";
      EXPECT_NE(list.find("| `" + entry.path().filename().string() + "` |"), std::string::npos)
          << "specs/README.md does not list " << entry.path().filename();
    }
  EXPECT_GE(specs, 7);
}

TEST(Spec, WhatIsShippedSaysWhereAcceleratorsWorkAndWhatJoinsGroupsAndNodes) {
  for (const auto& entry : fs::directory_iterator(shipped(""))) {
    if (entry.path().extension() != ".toml") continue;
    SCOPED_TRACE(entry.path().filename());
    const machine_spec spec = read_spec(entry.path().string());
    if (spec.workers.kind == worker_kind::accelerator) {
      EXPECT_TRUE(spec.local_store);
      EXPECT_TRUE(spec.transfer);
    }
    for (const memory_spec& level : spec.memory) EXPECT_EQ(spec.workers.count % level.shared_by, 0) << level.level;
    if (spec.nodes > 1) {
      EXPECT_TRUE(std::any_of(spec.links.begin(), spec.links.end(),
                              [](const link_spec& l) { return l.between == link_spec::ends::nodes; }));
    }
  }
}

TEST(Spec, TheCellBladeHasSixteenWorkersBehindFourHostContexts) {
  const machine_spec cell = read_spec(shipped("cell-qs20.toml").string());
  EXPECT_EQ(cell.workers.count, 16);
  EXPECT_EQ(cell.workers.groups, 2);
  EXPECT_EQ(cell.workers.kind, worker_kind::accelerator);
  ASSERT_TRUE(cell.hosts);
  EXPECT_EQ(cell.hosts->contexts, 4);
  EXPECT_FALSE(cell.hosts->contention);
  ASSERT_TRUE(cell.local_store);
  EXPECT_EQ(cell.local_store->bytes, 256 * 1024);
  ASSERT_TRUE(cell.transfer);
  EXPECT_DOUBLE_EQ(cell.transfer->bandwidth_gb_per_s, 25.6);
  EXPECT_FALSE(cell.workers.source.empty());
}

TEST(Spec, TheServerHasAHundredAndTwentyEightWorkersAndFourLevelsOfMemory) {
  const machine_spec epyc = read_spec(shipped("epyc-128.toml").string());
  EXPECT_EQ(epyc.workers.count, 128);
  EXPECT_EQ(epyc.workers.kind, worker_kind::cpu);
  EXPECT_FALSE(epyc.hosts);
  ASSERT_EQ(epyc.memory.size(), 4u);
  EXPECT_EQ(epyc.memory[2].shared_by, 4);
  ASSERT_EQ(epyc.links.size(), 1u);
  EXPECT_EQ(epyc.links[0].between, link_spec::ends::groups);
}

TEST(Spec, ThePlayStationHasSixWorkersBehindTwoHostContexts) {
  const machine_spec ps3 = read_spec(shipped("ps3.toml").string());
  EXPECT_EQ(ps3.workers.count, 6);
  ASSERT_TRUE(ps3.hosts);
  EXPECT_EQ(ps3.hosts->contexts, 2);
}

TEST(Spec, TheOriginHasTwoOfItsSixteenProcessorsToANode) {
  const machine_spec origin = read_spec(shipped("origin2000-16.toml").string());
  EXPECT_EQ(origin.workers.count, 16);
  EXPECT_EQ(origin.workers.groups, 8);
  EXPECT_EQ(origin.workers.kind, worker_kind::cpu);
}

TEST(Spec, RoadrunnerIsThreeThousandAndSixtyTriblades) {
  const machine_spec triblade = read_spec(shipped("triblade.toml").string());
  const machine_spec roadrunner = read_spec(shipped("roadrunner.toml").string());
  EXPECT_EQ(triblade.nodes * triblade.workers.count, 32);
  EXPECT_EQ(roadrunner.nodes, 3060 * triblade.nodes);
  EXPECT_EQ(roadrunner.nodes * roadrunner.workers.count, 97920);
  ASSERT_TRUE(roadrunner.hosts);
  EXPECT_EQ(roadrunner.hosts->contexts, triblade.hosts->contexts);
}

TEST(Spec, RoadrunnerHasItsTribladesHopsAndRoutesAndMore) {
  const auto described = [](const std::string& name) {  // the text from the first hop to the first route, and behind it
    std::ifstream in(shipped(name));
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    const std::size_t hops = text.find("[[hop]]"), routes = text.find("[[route]]");
    return std::pair(text.substr(hops, routes - hops), text.substr(routes));
  };
  const auto [hops, routes] = described("triblade.toml");
  const auto [all_hops, all_routes] = described("roadrunner.toml");
  EXPECT_TRUE(all_hops.starts_with(hops));
  EXPECT_TRUE(all_routes.starts_with(routes));
}

TEST(Spec, TheNodeOfGpusHasAWorkerForEachMultiprocessor) {
  const machine_spec node = read_spec(shipped("h200-node.toml").string());
  EXPECT_EQ(node.workers.count, 8 * 132);
  EXPECT_EQ(node.workers.groups, 8);
  ASSERT_EQ(node.memory.size(), 1u);
  EXPECT_EQ(node.memory[0].shared_by, 132);
}

TEST(Spec, WhatIsOptionalMayBeMissing) {
  const spec_file file(good);
  const machine_spec spec = read_spec(file.path());
  EXPECT_EQ(spec.workers.count, 4);
  EXPECT_EQ(spec.nodes, 1);
  EXPECT_DOUBLE_EQ(spec.workers.speed, 1);
  EXPECT_TRUE(spec.memory.empty());
}

TEST(Spec, AMissingKeyIsNamedWhereItBelongs) {
  EXPECT_EQ(complaint("").substr(0, 27), "1:1: missing key 'name'; sp");
  EXPECT_EQ(complaint("name = \"x\"\n").substr(0, 26), "1:1: missing key 'workers'");
  EXPECT_EQ(complaint("name = \"x\"\n\n[workers]\ncount = 4\nsource = \"s\"\n").substr(0, 44),
            "3:1: missing key 'workers.kind' in [workers]");
  EXPECT_EQ(complaint("name = \"x\"\n[workers]\nkind = \"cpu\"\ncount = 4\n").substr(0, 46),
            "2:1: missing key 'workers.source' in [workers]");
}

TEST(Spec, AcceleratorsNeedHostsAndCpusDoNotHaveThem) {
  const std::string accelerators = "name = \"x\"\n[workers]\nkind = \"accelerator\"\ncount = 4\nsource = \"s\"\n";
  EXPECT_NE(complaint(accelerators).find("missing key 'hosts'"), std::string::npos);
  EXPECT_EQ(complaint(accelerators + "[hosts]\ncontexts = 2\nsource = \"s\"\n"), "");
  EXPECT_EQ(complaint(good + "[hosts]\ncontexts = 2\nsource = \"s\"\n").substr(0, 18), "6:1: [hosts] stand");
}

TEST(Spec, CodeLeavesRoomForDataAndHasAWayToComeBy) {
  const std::string accelerators =
      "name = \"x\"\n[workers]\nkind = \"accelerator\"\ncount = 4\nsource = \"s\"\n[hosts]\ncontexts = 2\n"
      "source = \"s\"\n";
  const std::string store = "[local_store]\nbytes = 4096\nsource = \"s\"\ncode_bytes = ";
  const std::string transfer = "\n[transfer]\nbandwidth_gb_per_s = 1\nsource = \"s\"\n";
  EXPECT_EQ(complaint(accelerators + store + "3072" + transfer), "");
  EXPECT_EQ(complaint(accelerators + store + "3073" + transfer),
            "12:14: 'local_store.code_bytes' is 3073 of 4096; expected to leave 1024 for data");
  EXPECT_EQ(complaint(accelerators + store + "3072\n").substr(0, 38), "9:1: 'local_store.code_bytes' is said,");
  EXPECT_EQ(complaint(good + store + "3072" + transfer).substr(0, 62),
            "6:1: 'local_store.code_bytes' is said for workers.kind = \"cpu\"");
}

TEST(Spec, AnUnknownKeyIsNamedWithWhatWasProbablyMeant) {
  EXPECT_EQ(complaint(good + "gruops = 2\n").substr(0, 58),
            "6:1: unknown key 'workers.gruops', did you mean 'groups'?;");
  EXPECT_EQ(complaint("name = \"x\"\n[workers]\nkind = \"cpu\"\ncuont = 4\nsource = \"s\"\n"),
            "4:1: unknown key 'workers.cuont', did you mean 'workers.count', which is missing?");
  EXPECT_NE(complaint("colour = \"red\"\n" + good).find("1:1: unknown key 'colour'; expected here: name, about"),
            std::string::npos);
}

TEST(Spec, AWrongTypeSaysWhatStandsThereAndWhatBelongsThere) {
  const auto with = [](const std::string& count) {
    return "name = \"x\"\n[workers]\nkind = \"cpu\"\ncount = " + count + "\nsource = \"s\"\n";
  };
  EXPECT_EQ(complaint(with("\"4\"")), "4:9: 'workers.count' is a text; expected a whole number");
  EXPECT_EQ(complaint(with("4.5")), "4:9: 'workers.count' is a number with a fraction; expected a whole number");
  EXPECT_EQ(complaint(with("true")), "4:9: 'workers.count' is a boolean; expected a whole number");
  EXPECT_EQ(complaint(with("1979-05-27")), "4:9: 'workers.count' is a date or time; expected a whole number");
  EXPECT_EQ(complaint("name = 3\n"), "1:8: 'name' is a whole number; expected a text in quotes");
  EXPECT_EQ(complaint("name = \"x\"\nworkers = 3\n"), "2:11: 'workers' is a whole number; expected a table, [workers]");
  EXPECT_EQ(complaint(good + "[memory]\nlevel = \"L1\"\n"),
            "6:1: 'memory' is a table; expected tables, each headed [[memory]]");
  EXPECT_EQ(complaint("memory = [1]\n" + good),
            "1:11: 'memory' is a whole number; expected tables, each headed [[memory]]");
}

TEST(Spec, WhatIsOutOfRangeSaysTheRange) {
  const auto with = [](const std::string& count) {
    return "name = \"x\"\n[workers]\nkind = \"cpu\"\ncount = " + count + "\nsource = \"s\"\n";
  };
  EXPECT_EQ(complaint(with("0")), "4:9: 'workers.count' is 0; expected 1 to 1000000000");
  EXPECT_EQ(complaint(with("-3")), "4:9: 'workers.count' is -3; expected 1 to 1000000000");
  EXPECT_NE(complaint(with("9223372036854775807")).find("expected 1 to 1000000000"), std::string::npos);
  EXPECT_NE(complaint(with("9223372036854775808")).find("this is not TOML"), std::string::npos);
  EXPECT_NE(complaint(good + "[dispatch]\ntask_us = 9223372036854775807\nsource = \"s\"\n").find("expected 0 to"),
            std::string::npos);
  EXPECT_NE(complaint("nodes = 65536\n" + with("65536"))
                .find("1:9: 'nodes' is 65536, and each has 65536 workers: expected at most 1000000 in all"),
            std::string::npos);
  EXPECT_NE(complaint(good + "speed = nan\n").find("6:9: 'workers.speed' is nan"), std::string::npos);
  EXPECT_NE(complaint(good + "speed = inf\n").find("6:9: 'workers.speed' is inf"), std::string::npos);
  EXPECT_NE(complaint(good + "groups = 3\n").find("6:10: 'workers.groups' is 3, which does not divide the 4 workers"),
            std::string::npos);
  EXPECT_NE(complaint(good + "[[memory]]\nlevel = \"L1\"\nbytes = 1\nshared_by = 5\nsource = \"s\"\n")
                .find("9:13: 'memory.shared_by' is 5"),
            std::string::npos);
  EXPECT_NE(complaint("name = \"\"\n").find("1:8: 'name' is empty"), std::string::npos);
  EXPECT_NE(complaint("name = \"x\"\n[workers]\nkind = \"gpu\"\ncount = 1\nsource = \"s\"\n")
                .find("3:8: 'workers.kind' is \"gpu\"; expected one of cpu, accelerator"),
            std::string::npos);
}

TEST(Spec, OneLinkJoinsGroupsAndOneJoinsNodes) {
  const auto link = [](const std::string& between) {
    return "[[link]]\nbetween = \"" + between + "\"\nbandwidth_gb_per_s = 1\nsource = \"s\"\n";
  };
  EXPECT_EQ(complaint(good + link("groups") + link("nodes")), "");
  EXPECT_EQ(complaint(good + link("nodes") + link("groups") + link("nodes")),
            "15:11: a second [[link]] between \"nodes\"; expected one at most: put into one what both say");
  EXPECT_EQ(complaint(good + "[local_store]\nbytes = 512\nsource = \"s\"\n"),
            "7:9: 'local_store.bytes' is 512; expected 1024 to 1073741824");
  EXPECT_EQ(complaint(good + "[local_store]\nsize = 512\nsource = \"s\"\n").substr(0, 4), "6:1:");
  EXPECT_EQ(complaint(good + "[local_store]\nbytes = 4096\nsource = \"s\"\n[transfer]\nlatency_us = -1\n"
                             "bandwidth_gb_per_s = 1\nsource = \"s\"\n"),
            "10:14: 'transfer.latency_us' is -1; expected 0 to 1000000000");
}

TEST(Spec, TimesAndCoresThatLeadToNumbersTooLargeAreOutOfRange) {
  EXPECT_NE(complaint(good + "[dispatch]\ntask_us = 1e10\nsource = \"s\"\n")
                .find("7:11: 'dispatch.task_us' is 10000000000; expected 0 to 1000000000"),
            std::string::npos);
  const std::string accelerators = "name = \"x\"\n[workers]\nkind = \"accelerator\"\ncount = 4\nsource = \"s\"\n";
  EXPECT_NE(complaint(accelerators + "[hosts]\ncontexts = 1000000\nthreads_per_core = 1000000\nsource = \"s\"\n")
                .find("8:20: 'hosts.threads_per_core' is 1000000; expected 1 to 1024"),
            std::string::npos);
}

TEST(Spec, WhatIsNotTomlSaysWhere) {
  EXPECT_EQ(complaint("name = \n").substr(0, 22), "1:8: this is not TOML:");
  EXPECT_NE(complaint("name = \"x\"\nname = \"y\"\n").find("2:"), std::string::npos);
  EXPECT_NE(complaint(std::string("\xff\xfe\x00junk", 7)).find("this is not TOML"), std::string::npos);
  EXPECT_NE(complaint("a = " + std::string(10000, '[')).find("this is not TOML"), std::string::npos);
}

TEST(Spec, EveryCutOfAGoodFileIsRefusedOrRead) {
  std::ifstream in(shipped("cell-qs20.toml"));
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  int refused = 0;
  for (std::size_t cut = 0; cut < whole.size(); cut += 7) refused += !complaint(whole.substr(0, cut)).empty();
  EXPECT_GT(refused, 100);
}

TEST(Spec, AFileThatIsNotThereAFolderAndAFloodAreErrors) {
  const auto what = [](const std::string& path) {
    try {
      read_spec(path);
    } catch (const error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(what("no/such.toml").find("no/such.toml: cannot be opened: No such file or directory"), std::string::npos);
  EXPECT_NE(what(fs::temp_directory_path().string()).find("this is a folder"), std::string::npos);
  EXPECT_NE(what("/dev/zero").find("larger than"), std::string::npos);
  EXPECT_NE(what("/dev/null").find("1:1: missing key 'name'"), std::string::npos);
}

/// Expects that `good`, of five lines, with that behind it is complained about so; nothing is said of what is right.
void expect_complaint(const std::string& more, const std::string& part) {
  const std::string said = complaint(good + more);
  EXPECT_EQ(said.empty(), part.empty()) << said;
  EXPECT_NE(said.find(part), std::string::npos) << said;
}

TEST(Spec, CurvesOfTheModelAreChecked) {
  const std::string end = "source = \"a test\"\n";
  expect_complaint("[saturation]\nworkers = [1, 2]\ngb_per_s = [5, 8.5]\n" + end, "");
  expect_complaint("[sharing]\nthreads = [1, 2]\nslow_down = [1, 1.1]\nerror = [0, 0.1]\n" + end, "");
  const std::string messages = "[[messages]]\ncall = \"send\"\nplacement = \"nodes\"\n";
  expect_complaint(messages + "ranks = 2\nbytes = [8]\nus = [1]\n" + end, "");
  expect_complaint("[saturation]\nworkers = [2, 1]\ngb_per_s = [5, 8]\n" + end,
                   "7:11: 'workers' does not ascend: 2 is followed by 1");
  expect_complaint("[saturation]\nworkers = [1, 2]\ngb_per_s = [5]\n" + end,
                   "8:12: 'gb_per_s' has 1 numbers and 'workers' has 2; expected as many");
  expect_complaint("[sharing]\nthreads = [1, 2]\nslow_down = [1, 2]\nerror = [0]\n" + end,
                   "'error' has 1 numbers and 'threads' has 2; expected as many");
  expect_complaint("[saturation]\nworkers = [1, 5]\ngb_per_s = [5, 8]\n" + end,
                   "'saturation.workers' is 5; expected 1 to 4");
  expect_complaint("[saturation]\nworkers = 1\ngb_per_s = [5]\n" + end,
                   "'saturation.workers' is a whole number; expected numbers in brackets, such as [1, 2, 4]");
  expect_complaint("[sharing]\nthreads = [1]\nslow_down = [\"one\"]\n" + end, "expected numbers in brackets");
  expect_complaint("[[messages]]\ncall = \"sned\"\n", "expected one of send, all_reduce");
  expect_complaint(messages + "ranks = 1\n", "'messages.ranks' is 1; expected 2 or more");
  const std::string more = "bytes = [8]\nus = [1]\n" + end;
  expect_complaint(messages + "ranks = 4\non_a_node = 2\n" + more, "");
  for (const char* each : {"3", "4"})
    expect_complaint(messages + "ranks = 4\non_a_node = " + each + "\n" + more,
                     std::string("10:13: 'messages.on_a_node' is ") + each +
                         "; expected that 4 ranks divide among two nodes or more, as many on each");
  const std::string here = "[[messages]]\ncall = \"all_reduce\"\nplacement = \"processes\"\nranks = 4\n";
  expect_complaint(here + more, "");
  expect_complaint(here + "on_a_node = 2\n" + more, "'messages.on_a_node' is for placement \"nodes\"; leave it out");
  expect_complaint("[saturation]\nworkers = [1]\ngb_per_s = [5]\n", "missing key 'saturation.source'");
  expect_complaint("[saturation]\nworkers = [1]\ngb_per_s = [5]\nbytes = 4\n" + end, "unknown key 'saturation.bytes'");
}

TEST(Spec, RoutesLeadOverHopsThatAreDescribed) {
  const std::string end = "source = \"a test\"\n";
  const std::string eib = "[[hop]]\nname = \"EIB\"\nshared_by = 2\nbandwidth_gb_per_s = 25.6\n" + end;  // lines 6 to 10
  const std::string near = "[[route]]\nname = \"near\"\nwithin = 2\nacross = [\"EIB\"]\n" + end;        // and to 15
  const std::string all = "[[route]]\nname = \"all\"\nwithin = 4\n";
  expect_complaint(eib + near + all + "out = [\"EIB\"]\nin = [\"EIB\"]\n" + end, "");
  expect_complaint(eib + near + all + "across = [\"EBI\"]\n" + end,
                   "19:10: 'route.across' names the hop \"EBI\", which is not described; expected one of EIB");
  expect_complaint(eib + near, "13:10: the last [[route]] is within 2 workers; expected all 4");
  EXPECT_NE(complaint("nodes = 2\n" + good + eib + near)
                .find("the last [[route]] is within 2 workers; expected all 8, or the 4 of a node"),
            std::string::npos);
  expect_complaint(eib + near + all + end, "17:8: the route \"all\" has no hop; expected 'out', 'across' or 'in'");
  expect_complaint(eib + near + all + "out = [\"EIB\"]\n" + end,
                   "19:7: the route \"all\" has only one of 'out' and 'in'; expected both, or none");
  expect_complaint(eib + near + near, "17:8: a second [[route]] is called \"near\"; expected a name of its own");
  expect_complaint(eib + near + "[[route]]\nname = \"all\"\nwithin = 3\nacross = [\"EIB\"]\n" + end,
                   "18:10: 'route.within' is 3, behind a route within 2; expected a multiple of it");
  expect_complaint(eib + near + all + "across = \"EIB\"\n" + end,
                   "19:10: 'route.across' is a text; expected texts in brackets, such as [\"EIB\"]");
  expect_complaint(eib + near + all + "across = [3]\n" + end,
                   "19:11: 'route.across' is a whole number; expected texts in brackets, such as [\"EIB\"]");
  expect_complaint(eib + eib, "12:8: a second [[hop]] is called \"EIB\"; expected a name of its own");
  expect_complaint("[[hop]]\nname = \"EIB\"\nshared_by = 3\n",
                   "8:13: 'hop.shared_by' is 3, which does not divide the 4 workers evenly");
  expect_complaint(
      "[[hop]]\nname = \"EIB\"\nshared_by = 2\n" + end,
      "7:8: the hop \"EIB\" takes no time; expected 'startup_us', 'bandwidth_gb_per_s' or 'total_gb_per_s'");
  expect_complaint("[[hop]]\nname = \"EIB\"\nshared_by = 2\nbandwidth_gb_per_s = 3\ntotal_gb_per_s = 2\n" + end,
                   "10:18: 'hop.total_gb_per_s' is 2; expected 'hop.bandwidth_gb_per_s', which a single message "
                   "reaches, and no less in total");
  expect_complaint("[[hop]]\nname = \"EIB\"\nshared_by = 2\nstartup_us = -1\n" + end,
                   "9:14: 'hop.startup_us' is -1; expected 0 to 1000000000");
}

}  // namespace
}  // namespace maslin::machine
