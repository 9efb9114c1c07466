#pragma once
// The chains of links between the workers of a described machine: its groups [[hop]] and [[route]].

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace maslin::links {

/// What messages pass. Its instances are each shared by so many neighbouring workers, one for each direction.
struct hop {
  std::string name;
  std::uint32_t shared_by = 1;
  std::int64_t startup_ps = 0;
  double byte_ps = 0;         ///< of a single message
  double held_byte_ps = 0;    ///< after which the next message may follow
  bool holds_startup = true;  ///< no message follows within the start-up

  std::int64_t takes_ps(std::int64_t bytes) const { return startup_ps + bytes_ps(byte_ps, bytes); }
  std::int64_t holds_ps(std::int64_t bytes) const {
    return (holds_startup ? startup_ps : 0) + bytes_ps(held_byte_ps, bytes);
  }
  static std::int64_t bytes_ps(double one, std::int64_t bytes) { return std::lround(one * static_cast<double>(bytes)); }
};

/// The hops between workers that are in the same `within`, by their numbers. The message is whole behind each of the
/// sender's (`out`) and of the receiver's (`in`). Those between (`across`) both have, and it passes them at once.
struct route {
  std::string name;
  std::uint32_t within = 1;
  std::vector<std::uint32_t> out, across, in;
  bool is_link = false;  ///< a [[link]] stands for all: what it takes is all that a message does

  /// Whether sender and receiver see each other's memory: the receiver puts a descriptor, and the sender a flag behind
  /// the data. No host has a part in it.
  bool is_direct() const { return !is_link && out.empty() && in.empty(); }
};

struct network {
  std::string name;
  std::uint32_t workers = 1;
  std::vector<hop> hops;
  std::vector<route> routes;  ///< the nearest first; the last leads everywhere

  const route& between(std::uint32_t one, std::uint32_t other) const {
    const route* at = routes.data();
    while (one / at->within != other / at->within) ++at;
    return *at;
  }
};

/// Gives the machine's chains, and beyond the last of them the [[link]] between nodes. Throws `error` if the
/// description is wrong, or has no chains.
network read_network(const std::string& file);

/// Gives whether a description says what messages between any workers pass; and whether it says so by [[route]]s.
bool has_network(const std::string& file);
bool has_routes(const std::string& file);

/// As `read_network`, and where a description has no routes, its groups and nodes are joined by its [[link]]s; within a
/// group messages take no time. Throws `error` if it has none of both.
network network_of(const std::string& file);

/// Gives the same machine with links of so many times the bandwidth, and so much of the start-up.
network with_other_links(network of, double bandwidth, double startup);

/// Gives the same machine with its hosts as ranks: they send over what is left of the chains between workers behind
/// different hosts. A host has the first hop of `out`. Throws `error` if there is no such hop.
network between_hosts(const network& workers);

/// Gives a machine on which messages take no time.
network without_links(std::uint32_t workers);

}  // namespace maslin::links
