"""MPI programs on machines that are only described: messages take the time of their links, and MPI_Wtime tells it."""

import re
import unittest
from pathlib import Path

from jobs import CHECKOUT, HERE, Mpi

PROGRAM = """#include <mpi.h>
#include <stdio.h>
int main(int n, char **w) {
  int me, all;
  static char data[1000];
  double begin, sum = 0, one = 1;
  MPI_Init(&n, &w);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  MPI_Barrier(MPI_COMM_WORLD);
  begin = MPI_Wtime();
  for (int i = 0; i < 100; ++i) {
    if (me == 0) MPI_Send(data, sizeof data, MPI_CHAR, all - 1, 0, MPI_COMM_WORLD);
    if (me == 0) MPI_Recv(data, sizeof data, MPI_CHAR, all - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (me == all - 1) MPI_Recv(data, sizeof data, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (me == all - 1) MPI_Send(data, sizeof data, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  }
  if (me == 0) printf("%.3f us\\n", 1e6 * (MPI_Wtime() - begin) / 200);
  MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) printf("%g\\n", sum);
  MPI_Finalize();
}
"""

NODES = """name = "nodes"
nodes = 2
[workers]
kind = "cpu"
count = 2
source = "a test"
[[link]]
between = "nodes"
bandwidth_gb_per_s = 10
latency_us = 2
source = "a test"
"""

# In a ring of two, each rank has the other on both sides.
NEIGHBOURS = """#include <mpi.h>
#include <stdio.h>
static char given[200000], got[200000];
int main(int n, char **w) {
  int size = 2, me, round = 1;
  double begin;
  MPI_Comm ring;
  MPI_Init(&n, &w);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &round, 0, &ring);
  MPI_Comm_rank(ring, &me);
  for (int i = 0; i < 200000; ++i) given[i] = (char)(me + 1 + i / 100000);
  MPI_Barrier(ring);
  begin = MPI_Wtime();
  MPI_Neighbor_alltoall(given, 100000, MPI_CHAR, got, 100000, MPI_CHAR, ring);
  printf("%.3f us, %d %d\\n", 1e6 * (MPI_Wtime() - begin), got[0], got[199999]);
  MPI_Finalize();
}
"""

# Each rank says the first of those with which it shares a node, and memory.
MEMORY = """#include <mpi.h>
#include <stdio.h>
int main(int n, char **w) {
  const int types[2] = {MPI_COMM_TYPE_SHARED, MPI_COMM_MEM_DOMAIN};
  int me, first[2];
  MPI_Init(&n, &w);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  for (int i = 0; i < 2; ++i) {
    MPI_Comm part;
    MPI_Comm_split_type(MPI_COMM_WORLD, types[i], 0, MPI_INFO_NULL, &part);
    MPI_Allreduce(&me, &first[i], 1, MPI_INT, MPI_MIN, part);
  }
  printf("%d: %d %d\\n", me, first[0], first[1]);
  MPI_Finalize();
}
"""


# How many workers all nodes of these have.
MACHINES = {"cell-qs20": 16, "ps3": 6, "triblade": 32}


class Described(Mpi):
    def spread(self, count: int, machine: str) -> dict:
        """How ranks are run there, so far from each other as there is room: their messages pass all links that there are."""
        file = Path(self.folder.name) / f"{count} ranks on {machine}"
        file.write_text(" ".join(str(rank * MACHINES[machine] // count) for rank in range(count)), encoding="utf-8")
        variables = {"MASLIN_MACHINE": str(CHECKOUT / "specs" / f"{machine}.toml"), "MASLIN_QUIET": "1", "PLACE": "somewhere"}
        return {"workers": None, "place": file, "variables": variables}

    def test_programs(self):
        for program in sorted((HERE / "programs").glob("*.c*")):
            if program.stem.startswith("random"):
                continue
            words = ("one", "two words", "") if program.stem == "environment" else ()
            for machine, count in (*((name, count) for name in MACHINES for count in (2, 5)), ("ps3", 9)):
                if (program.stem, machine) == ("communicators", "triblade"):
                    continue  # it expects one node
                with self.subTest(program=program.name, machine=machine, ranks=count):
                    self.expect_right(self.ranks(count, self.build(program), *words, **self.spread(count, machine)))

    def test_random_messages(self):
        program = self.build(HERE / "programs" / "random_messages.c")
        for machine in MACHINES:
            for seed in range(8):
                count = 1 + seed * 5 % 6
                with self.subTest(machine=machine, seed=seed, ranks=count):
                    self.expect_right(self.ranks(count, program, seed, 25, **self.spread(count, machine)))

    def test_messages_take_the_time_of_links(self):
        folder = Path(self.folder.name)
        machine, source = folder / "nodes.toml", folder / "to_and_fro.c"
        machine.write_text(NODES, encoding="utf-8")
        source.write_text(PROGRAM, encoding="utf-8")
        program = self.build(source)
        variables = {"MASLIN_MACHINE": str(machine), "MASLIN_DURATIONS": "declared", "MASLIN_QUIET": "1"}
        # 2 us, and 1,000 bytes at 10 GB/s; within a node nothing. More ranks than workers take turns.
        # The first node is filled first.
        for ranks, us in ((2, "0.000"), (3, "2.100"), (4, "2.100"), (8, "2.100")):
            with self.subTest(ranks=ranks):
                self.expect_right(self.ranks(ranks, program, workers=None, variables=variables), f"{us} us\n{ranks}\n")
        # From a blade to another. Triblades: 11.77 us, and 1,000 bytes through two hosts' queues and two times PCIe. Without
        # Opterons: 5.61 us, and 1,000 bytes through two hosts' queues and InfiniBand. The other ranks' reduction passes the same hosts.
        for machine, least in (("triblade", 12.848), ("qs21-cluster", 6.188)):
            with self.subTest(machine=machine):
                done = self.ranks(32, program, workers=None, variables=variables | {"MASLIN_MACHINE": str(CHECKOUT / "specs" / f"{machine}.toml")})
                self.assertEqual(done.returncode, 0, done.stderr)
                us, ranks = re.fullmatch(r"(\S+) us\n(\d+)\n", done.stdout).groups()
                self.assertEqual(ranks, "32")
                self.assertTrue(least <= float(us) < least + 0.2, us)

    def test_ranks_of_a_described_node_share_its_memory(self):
        folder = Path(self.folder.name)
        machine, source = folder / "nodes.toml", folder / "memory.c"
        machine.write_text(NODES, encoding="utf-8")
        source.write_text(MEMORY, encoding="utf-8")
        program, triblade = self.build(source), CHECKOUT / "specs" / "triblade.toml"
        # Two nodes of two workers, and two blades of 16. With too few workers neighbours share one.
        for of, count, place, nodes in ((machine, 3, "block", [0, 0, 2]), (machine, 8, "block", [0] * 4 + [4] * 4),
                                        (machine, 6, "cyclic", [0, 0, 2, 2, 0, 0]), (triblade, 32, "block", [0] * 16 + [16] * 16),
                                        (triblade, 40, "block", [0] * 20 + [20] * 20), (triblade, 16, "block", [0] * 16)):
            with self.subTest(machine=of.name, ranks=count, place=place):
                done = self.ranks(count, program, place=place, workers=None, variables={"MASLIN_MACHINE": str(of), "MASLIN_QUIET": "1"})
                found = dict(line.split(": ") for line in done.stdout.splitlines())
                self.assertEqual([found[str(rank)] for rank in range(count)], [f"{first} {first}" for first in nodes], done.stderr)

    def test_what_neighbours_give_each_other_takes_the_time_of_links(self):
        folder = Path(self.folder.name)
        machine, source = folder / "pair.toml", folder / "two_neighbours.c"
        machine.write_text(NODES.replace("count = 2", "count = 1"), encoding="utf-8")
        source.write_text(NEIGHBOURS, encoding="utf-8")
        variables = {"MASLIN_MACHINE": str(machine), "MASLIN_DURATIONS": "declared", "MASLIN_QUIET": "1"}
        done = self.ranks(2, self.build(source), workers=None, variables=variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        # Two messages of 100,000 bytes pass the link one after the other, which has each for 10 us.
        self.assertEqual(sorted(done.stdout.splitlines()), ["22.000 us, 2 1", "22.000 us, 3 2"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
