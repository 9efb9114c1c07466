#pragma once
// What goes on on the links of a described machine, in virtual time.

#include <map>

#include "exec/message_links.hpp"
#include "exec/virtual/virtual.hpp"

namespace maslin {

/// Not a processor that runs anything: it has events.
class described_links final : public message_links, public processor {
 public:
  described_links(virtual_executor& exec, int number, links::network on);

  int worker_apart(int place, int count) const override;
  void look() override;
  std::int64_t now() const override;
  void expect(link_event& what, std::int64_t at_ps) override;
  void forget(link_event& what) override;

  virtual_fiber* choose() override;
  void enqueue(virtual_fiber&, picoseconds) override {}

 private:
  bool begin_moment() override;
  void end_moment(bool passed) noexcept override;

  virtual_executor& exec_;
  std::multimap<picoseconds, link_event*> events_;
};

}  // namespace maslin
