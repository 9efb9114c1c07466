#include "comm/meeting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>

#include "comm/mailbox.hpp"
#include "maslin/error.hpp"
#include "maslin/loop.hpp"

namespace maslin::comm {

using detail::collective;
using detail::contribution;
using detail::elements;

const char* name_of(const contribution& c) noexcept {
  const bool all = c.root == any_source;
  switch (c.what) {
    case collective::barrier:
      return "barrier";
    case collective::broadcast:
      return "broadcast";
    case collective::reduce:
      return all ? "all_reduce" : "reduce";
    case collective::gather:
      return all ? "all_gather" : "gather";
    case collective::scatter:
      return "scatter";
    case collective::all_to_all:
      return "all_to_all";
    case collective::scan:
      return "scan";
    case collective::split:
      return "split";
  }
  return "";
}

namespace {

std::string described(const elements& e) { return fmt::format("{} x {}", e.extent, name_of(*e.type)); }

std::string described(std::size_t rank, const arrival& a) {
  std::string text = fmt::format("rank {} calls {}", rank, name_of(a.brings));
  if (a.brings.root != any_source) text += fmt::format(" with root {}", a.brings.root);
  if (a.brings.by.type) text += fmt::format(" by {}", name_of(*a.brings.by.type));
  if (a.brings.given.type) text += fmt::format(" of {}", described(a.brings.given));
  if (a.brings.result.type && a.brings.what != collective::broadcast)
    text += fmt::format(" into {}", described(a.brings.result));
  return text + fmt::format(" ({}:{})", a.where.file_name(), a.where.line());
}

bool same_type(const elements& a, const elements& b) { return *a.type == *b.type; }
bool same_operation(const detail::combination& a, const detail::combination& b) {
  return a.type && b.type ? *a.type == *b.type : a.type == b.type;
}

/// How many elements rank i of n has to give and to have room for, as the root (or rank 0) has them; what does not
/// matter is not looked at.
struct expectation {
  bool given = false, result = false;
  std::size_t give = 0, get = 0;
};

expectation expected_of(std::size_t rank, std::span<joint_call* const> ranks) {
  const auto n = ranks.size();
  const contribution& first = brought(ranks, 0).brings;
  const int root = first.root;
  const bool gets = root == any_source || rank == static_cast<std::size_t>(root);
  const contribution& leads = brought(ranks, root == any_source ? 0 : static_cast<std::size_t>(root)).brings;
  switch (first.what) {
    case collective::barrier:
    case collective::split:
      return {};
    case collective::broadcast:
      return {.given = true, .give = leads.given.extent};
    case collective::reduce:
    case collective::scan:
      return {true, gets, first.given.extent, first.given.extent};
    case collective::gather:
      return {true, gets, first.given.extent, n * first.given.extent};
    case collective::scatter:
      return {gets, true, n * first.result.extent, first.result.extent};
    case collective::all_to_all:
      return {true, true, first.given.extent, first.given.extent};
  }
  return {};
}

/// Copies; what overlaps is the caller's own and lies where it belongs. A stand-in has no place for a result.
void copy_bytes(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0 && to != from && to) std::memmove(to, from, bytes);
}
std::byte* part(const elements& of, std::size_t index, std::size_t bytes) {
  return of.data ? static_cast<std::byte*>(of.data) + index * bytes : nullptr;
}

/// Calls `some(first, count)` for all elements in pieces of some kilobytes; a team shares them where they are many.
template <class Some>
void in_pieces(const elements& all, std::size_t ranks, Some&& some) {
  constexpr std::size_t piece_bytes = 4096;
  constexpr std::size_t worth_sharing = 256 << 10;  // bytes that are touched: some ten microseconds
  const std::size_t each = std::max<std::size_t>(1, piece_bytes / all.bytes);
  const std::size_t pieces = (all.extent + each - 1) / each;
  const auto run = [&](std::int64_t piece) {
    const std::size_t first = static_cast<std::size_t>(piece) * each;
    some(first, std::min(each, all.extent - first));
  };
  if (all.extent * all.bytes * ranks < worth_sharing) {
    for (std::size_t i = 0; i < pieces; ++i) run(static_cast<std::int64_t>(i));
    return;
  }
  parallel_for(0, static_cast<std::int64_t>(pieces), [&](range some_pieces) {
    for (const auto i : some_pieces) run(i);
  });
}

/// Room for elements of any type.
struct buffer {
  static constexpr std::align_val_t alignment{64};
  explicit buffer(std::size_t bytes)
      : data(bytes <= sizeof few ? few : static_cast<std::byte*>(::operator new(bytes, alignment))) {}
  ~buffer() {
    if (data != few) ::operator delete(data, alignment);
  }
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;
  alignas(64) std::byte few[256];
  std::byte* const data;
};

/// The ranks' elements are combined in their order; `made(rank, first, count, value)` is told the value behind each.
template <class Made>
void combine(std::span<joint_call* const> ranks, Made&& made) {
  const elements& all = brought(ranks, 0).brings.given;
  in_pieces(all, ranks.size(), [&](std::size_t first, std::size_t count) {
    const std::size_t bytes = count * all.bytes;
    const buffer value(bytes);
    copy_bytes(value.data, part(all, first, all.bytes), bytes);
    made(0, first, bytes, value.data);
    for (std::size_t i = 1; i < ranks.size(); ++i) {
      const detail::combination& by = brought(ranks, 0).brings.by;
      by.apply(by.operation, value.data, part(brought(ranks, i).brings.given, first, all.bytes), count);
      made(i, first, bytes, value.data);
    }
  });
}

bool overlap(const elements& a, const elements& b) {
  const auto* const one = static_cast<const std::byte*>(a.data);
  const auto* const other = static_cast<const std::byte*>(b.data);
  return one < other + b.extent * b.bytes && other < one + a.extent * a.bytes;
}

/// May rank i's result lie where it does, beside what it gives? They are apart, or each element lies where it belongs.
bool lie_right(std::size_t i, const contribution& c) {
  if (!overlap(c.given, c.result)) return true;
  switch (c.what) {
    case collective::reduce:
    case collective::scan:
      return c.given.data == c.result.data;
    case collective::gather:
      return c.given.data == part(c.result, i, c.given.extent * c.given.bytes);
    case collective::scatter:
      return c.result.data == part(c.given, i, c.result.extent * c.result.bytes);
    default:
      return c.what != collective::all_to_all;
  }
}

}  // namespace

bool arrival::meet(std::span<joint_call* const> all) {
  const std::string wrong = disagreement(all);
  if (wrong.empty())
    carry_out(all);
  else
    for (std::size_t i = 0; i < all.size(); ++i) brought(all, i).problem = wrong;
  return false;
}

void arrival::carry_out(std::span<joint_call* const> all) { comm::carry_out(all); }

namespace {

/// What is known of a rank's contribution in other processes; the bytes that it gives follow.
struct packed_contribution {
  collective what;
  int root, color, key;
  std::size_t given, result;  ///< elements
};

}  // namespace

void arrival::pack(std::span<const int>, std::vector<std::byte>& into) {
  const bool is_known = brings.what == collective::barrier || brings.what == collective::split ||
                        brings.what == collective::broadcast ||
                        (brings.what == collective::gather && brings.root == any_source);
  if (!is_known)
    throw error(fmt::format("{} at {}:{}: its ranks are in several processes; MPI's call of this kind works there",
                            name_of(brings), where.file_name(), where.line()));
  const packed_contribution head{brings.what, brings.root,         brings.color,
                                 brings.key,  brings.given.extent, brings.result.extent};
  append(into, &head, sizeof head);
  if (brings.given.data) append(into, brings.given.data, brings.given.extent * brings.given.bytes);
}

/// Other processes run the same program: where ranks make the same call, their elements are of the same type.
std::unique_ptr<joint_call> arrival::unpack(int, std::span<const std::byte> packed) {
  packed_contribution head;
  std::memcpy(&head, packed.data(), sizeof head);
  contribution its = brings;
  its.what = head.what;
  its.root = head.root;
  its.color = head.color;
  its.key = head.key;
  its.given.extent = head.given;
  its.given.data = const_cast<std::byte*>(packed.data()) + sizeof head;
  its.result.extent = head.result;
  its.result.data = nullptr;
  return std::make_unique<arrival>(its, where);
}

std::string disagreement(std::span<joint_call* const> ranks) {
  const contribution& first = brought(ranks, 0).brings;
  const auto against = [&](std::size_t i) {
    return fmt::format("the ranks' calls do not go together: {}; {}", described(0, brought(ranks, 0)),
                       described(i, brought(ranks, i)));
  };
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    const contribution& c = brought(ranks, i).brings;
    if (c.what != first.what || c.root != first.root || !same_operation(c.by, first.by)) return against(i);
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const contribution& c = brought(ranks, i).brings;
    const expectation e = expected_of(i, ranks);
    const elements& type = first.what == collective::scatter ? first.result : first.given;
    if ((e.given && !same_type(c.given, type)) || (e.result && !same_type(c.result, type))) return against(i);
    if (e.given && c.given.extent != e.give)
      return against(i) + fmt::format("; rank {} has to give {} elements", i, e.give);
    if (e.result && c.result.extent != e.get)
      return against(i) + fmt::format("; rank {} has to have room for {} elements", i, e.get);
    if (c.what == collective::all_to_all && c.given.extent % ranks.size() != 0)
      return fmt::format("{} elements cannot be divided evenly among {} ranks: {}", c.given.extent, ranks.size(),
                         described(i, brought(ranks, i)));
    if (e.given && e.result && !lie_right(i, c))
      return "what is given and what is received overlap: " + described(i, brought(ranks, i));
  }
  return "";
}

void carry_out(std::span<joint_call* const> ranks) {
  const contribution& first = brought(ranks, 0).brings;
  const std::size_t n = ranks.size();
  const auto gets = [&](std::size_t i) {
    return first.root == any_source || i == static_cast<std::size_t>(first.root);
  };
  const auto leads = [&]() -> const contribution& {
    return brought(ranks, static_cast<std::size_t>(first.root)).brings;
  };
  const auto into = [&](std::size_t i) -> const elements& { return brought(ranks, i).brings.result; };
  switch (first.what) {
    case collective::barrier:
    case collective::split:
      return;
    case collective::broadcast: {
      const elements& all = leads().given;
      return in_pieces(all, n, [&](std::size_t at, std::size_t count) {
        for (std::size_t i = 0; i < n; ++i)
          copy_bytes(part(into(i), at, all.bytes), part(all, at, all.bytes), count * all.bytes);
      });
    }
    case collective::reduce:
      return combine(ranks, [&](std::size_t rank, std::size_t at, std::size_t bytes, const std::byte* value) {
        if (rank + 1 < n) return;
        for (std::size_t i = 0; i < n; ++i)
          if (gets(i)) copy_bytes(part(into(i), at, first.given.bytes), value, bytes);
      });
    case collective::scan:
      return combine(ranks, [&](std::size_t rank, std::size_t at, std::size_t bytes, const std::byte* value) {
        copy_bytes(part(into(rank), at, first.given.bytes), value, bytes);
      });
    case collective::gather: {
      const std::size_t bytes = first.given.extent * first.given.bytes;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; gets(i) && j < n; ++j)
          copy_bytes(part(into(i), j, bytes), brought(ranks, j).brings.given.data, bytes);
      return;
    }
    case collective::scatter: {
      const std::size_t bytes = first.result.extent * first.result.bytes;
      for (std::size_t i = 0; i < n; ++i) copy_bytes(into(i).data, part(leads().given, i, bytes), bytes);
      return;
    }
    case collective::all_to_all: {
      const std::size_t bytes = first.given.extent / n * first.given.bytes;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          copy_bytes(part(into(i), j, bytes), part(brought(ranks, j).brings.given, i, bytes), bytes);
      return;
    }
  }
}

trace::moved_as arrival::moved() const noexcept {
  using way = trace::moved_as::pattern;
  const auto said = [this](way is, const elements& of) {
    const int root = std::max(brings.root, 0);
    return trace::moved_as{is, static_cast<std::uint32_t>(root), std::uint64_t{of.extent} * of.bytes};
  };
  const bool all = brings.root == any_source;
  switch (brings.what) {
    case collective::barrier:
    case collective::split:
      break;
    case collective::broadcast:
      return said(way::broadcast, brings.given);
    case collective::reduce:
      return said(all ? way::reduce_to_all : way::reduce, brings.given);
    case collective::gather:
      return said(all ? way::gather_to_all : way::gather, brings.given);
    case collective::scatter:
      return said(way::scatter, brings.result);
    case collective::all_to_all:
      return said(way::all_to_all, brings.given);
    case collective::scan:
      return said(way::reduce_to_all, brings.given);
  }
  return {};
}

}  // namespace maslin::comm
