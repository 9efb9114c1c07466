#include "comm/mailbox.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>

#include "base/prefetch.hpp"

namespace maslin::comm {

namespace {

const std::type_info* const numbered[] = {&typeid(void),  &typeid(short),  &typeid(int),        &typeid(long),
                                          &typeid(float), &typeid(double), &typeid(long double)};

/// Bytes are what the messages of MPI programs consist of. `are_bytes`: they begin with a number of that type.
std::string elements_as_text(std::size_t count, const std::type_info& type, bool are_bytes, bool says_type) {
  const bool begins_with_type = are_bytes && number_of(type) != 0;
  if (!begins_with_type && type != typeid(void) && type != typeid(std::byte))
    return fmt::format("{} x {}", count, name_of(type));
  return fmt::format("{} byte{}{}", count, count == 1 ? "" : "s",
                     begins_with_type && says_type ? " that begin with " + name_of(type) : "");
}

}  // namespace

void transfers::add(transfer& one) noexcept {
  one.set(transfer::state::queued);
  one.before = last_;
  one.after = nullptr;
  (last_ ? last_->after : first_) = &one;
  last_ = &one;
}

void transfers::remove(transfer& one) noexcept {
  (one.before ? one.before->after : first_) = one.after;
  (one.after ? one.after->before : last_) = one.before;
  one.set(transfer::state::matched);
}

transfer* mailbox::match_receive(const envelope& message) noexcept {
  for (transfer* one = receives_.first(); one; one = one->after)
    if (one->wanted.takes(message)) {
      receives_.remove(*one);
      if (const transfer* const next = receives_.first()) {
        // Its rank has written it, on another core; mostly the next message is for it.
        const auto* const lines = reinterpret_cast<const char*>(next);
        for (std::size_t at = 0; at < sizeof(transfer); at += 64) base::prefetch_to_write(lines + at);
      }
      return one;
    }
  return nullptr;
}

const transfer* mailbox::find_message(const pattern& wanted) const noexcept {
  for (const transfer* one = messages_.first(); one; one = one->after)
    if (wanted.group == any_group || wanted.takes(one->said)) return one;
  return nullptr;
}

transfer* mailbox::match_message(const pattern& wanted) noexcept {
  auto* const found = const_cast<transfer*>(find_message(wanted));
  if (found) messages_.remove(*found);
  return found;
}

transfer* mailbox::find_sent(int owner, std::uint64_t number, bool is_copy) const noexcept {
  for (transfer* one = messages_.first(); one; one = one->after)
    if ((one->is_copy || one->is_elsewhere) && one->is_copy == is_copy && one->owner == owner && one->came == number)
      return one;
  return nullptr;
}

transfer* make_copy(void* memory, const envelope& said, const detail::elements& data, int owner) noexcept {
  auto* const copy = new (memory) transfer;
  copy->is_copy = true;
  copy->owner = owner;
  copy->said = said;
  copy->data = data;
  copy->data.data = copy + 1;
  return copy;
}

transfer* copy_into(void* memory, const transfer& message) noexcept {
  transfer* const copy = make_copy(memory, message.said, message.data, message.owner);
  copy->is_elsewhere = message.is_elsewhere;
  copy->where = message.where;
  if (message.bytes() > 0) std::memcpy(copy->data.data, message.data.data, message.bytes());
  return copy;
}

void deliver(const transfer& message, transfer& receive) noexcept {
  if (say(message, receive) && message.bytes() > 0) std::memcpy(receive.data.data, message.data.data, message.bytes());
}

std::string problem_with(const transfer& receive, int rank) {
  const std::type_info& type = *receive.data.type;
  const bool others = !are_alike(*receive.came_as, type);
  // Who receives bytes as numbers (`bytes_as`) is sent such. Numbers themselves are longer than one byte.
  const bool are_bytes = receive.data.bytes == 1 && (type == typeid(void) || number_of(type) != 0);
  return fmt::format("rank {} received a message of {} from rank {} with tag {}, but {}:{} receives {}; {}", rank,
                     elements_as_text(receive.came, *receive.came_as, are_bytes, others), receive.said.source,
                     receive.said.tag, receive.where.file_name(), receive.where.line(),
                     elements_as_text(receive.data.extent, type, are_bytes, others),
                     others ? "receive elements of the type that is sent" : "make room for as many as are sent");
}

std::uint8_t number_of(const std::type_info& type) noexcept {
  // Mostly there is one object for a type; comparing names takes longer.
  const auto* found = std::ranges::find(numbered, &type);
  if (found == std::end(numbered))
    found = std::ranges::find_if(numbered, [&type](const std::type_info* one) { return *one == type; });
  return found == std::end(numbered) ? 0 : static_cast<std::uint8_t>(found - numbered);
}
const std::type_info& type_numbered(std::uint8_t number) noexcept { return *numbered[number]; }

std::string name_of(const char* type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(type, nullptr, nullptr, &status), std::free);
  return status == 0 ? name.get() : type;
}

}  // namespace maslin::comm
