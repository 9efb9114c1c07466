#pragma once
// The subcommands of `maslin`: each adds itself to the command line and does its work when it is parsed.

#include <CLI/CLI.hpp>

/// `maslin machine`: what this machine is, how many CPUs this process may use and why; or a described machine, checked.
void add_machine(CLI::App& app);

/// `maslin explain`: what the runtime decided in a run, and how to decide otherwise.
void add_explain(CLI::App& app);

/// `maslin dma`: what the tasks of a run would transfer to and from workers with memories of their own.
void add_dma(CLI::App& app);

/// `maslin figures`: the papers' tables and figures on a described machine; published, ours, error.
void add_figures(CLI::App& app);

/// `maslin layout`: which ranks, streams and widths to start a program with.
void add_layout(CLI::App& app);

/// `maslin node`: the CPUs of this node as the processes of a job share them.
void add_node(CLI::App& app);

/// `maslin replay`: what a recorded run would take on a described machine.
void add_replay(CLI::App& app);

/// `maslin scale`: how a program would scale, and what limits it.
void add_scale(CLI::App& app);

/// `maslin settings`: the variables of the environment, what they may be, and what they are.
void add_settings(CLI::App& app);

/// `maslin trace`: what a run left in its trace file, in figures, for the Perfetto UI, or as intervals for reports.
void add_trace(CLI::App& app);
