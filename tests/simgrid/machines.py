"""Small machines, each described twice: as Maslin reads it, and as SimGrid does."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations


@dataclass(frozen=True)
class Machine:
    name: str
    workers: int  # of one node
    groups: int = 1
    nodes: int = 1
    signal_us: float = 0
    between_groups_us: float = 0
    between_nodes_us: float = 0
    has_host: bool = False  # the workers are accelerators, and the program's own control flow runs on a host

    def spec(self) -> str:
        """A described machine (specs/README.md)."""
        source = 'source = "tests/simgrid"\n'
        lines = [f'name = "{self.name}"\nnodes = {self.nodes}\n[workers]\nkind = "{"accelerator" if self.has_host else "cpu"}"\n'
                 f"count = {self.workers}\ngroups = {self.groups}\n{source}"]
        if self.has_host:
            lines.append(f"[hosts]\ncontexts = 1\n{source}")
        lines.append(f"[transfer]\nsignal_us = {self.signal_us}\nbandwidth_gb_per_s = 10\n{source}")
        for ends, latency in (("groups", self.between_groups_us), ("nodes", self.between_nodes_us)):
            if latency:
                lines.append(f'[[link]]\nbetween = "{ends}"\nlatency_us = {latency}\nbandwidth_gb_per_s = 10\n{source}')
        return "".join(lines)

    def platform(self) -> str:
        """SimGrid's description: a signal takes one link, and another one from group to group or from node to node."""
        total = self.nodes * self.workers
        names = [str(worker) for worker in range(total)]
        link = '  <link id="{}" latency="{}us" bandwidth="10GBps" sharing_policy="FATPIPE"/>\n'
        body = [f'  <host id="{name}" speed="1Gf"/>\n' for name in names + ["host"] * self.has_host]
        body += [link.format("signal", self.signal_us), link.format("groups", self.between_groups_us),
                 link.format("nodes", self.between_nodes_us)]
        for a, b in combinations(range(total), 2):
            body.append(self.route(names[a], names[b], self.crossed(a, b)))
        if self.has_host:
            body += [self.route(name, "host", ["signal"]) for name in names]
        return ("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                f'<platform version="4.1">\n <zone id="machine" routing="Full">\n{"".join(body)} </zone>\n</platform>\n')

    def crossed(self, a: int, b: int) -> list[str]:
        if a // self.workers != b // self.workers:
            return ["signal", "nodes"]
        group = self.workers // self.groups
        return ["signal"] if a // group == b // group else ["signal", "groups"]

    @staticmethod
    def route(a: str, b: str, links: list[str]) -> str:
        return f'  <route src="{a}" dst="{b}">' + "".join(f'<link_ctn id="{link}"/>' for link in links) + "</route>\n"


# Tasks take whole nanoseconds. Signals do not, so that next to nothing happens at one time by chance.
MACHINES = [
    *(Machine(f"{n} cores", n) for n in (2, 4, 8, 16)),
    Machine("8 cores, signals", 8, signal_us=0.500137),
    Machine("2 x 8 cores", 16, groups=2, signal_us=0.500137, between_groups_us=1.500211),
    Machine("4 nodes of 4 cores", 4, nodes=4, signal_us=0.500137, between_nodes_us=5.000173),
    Machine("8 accelerators", 8, signal_us=1.000119, has_host=True),
]
