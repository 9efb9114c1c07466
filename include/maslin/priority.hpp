#pragma once
// Which of the tasks that are ready goes first.

namespace maslin {

/// An argument of `task` that is no argument of its body: among tasks that are ready, those of a higher priority go
/// first. Tasks without one have priority 0; what is 0 or less is not ordered, nor is what is 32,767 or more.
/// From the moment at which a task of positive priority is ready, a worker that begins a task begins this one or one of
/// at least its priority. Not bound by that are tasks that their creator runs before their creation returns, because
/// they are too small to be handed over or very many are in flight, and recordings that are replayed in program order.
/// A task that has begun is never interrupted.
struct priority {
  int value = 0;
};

}  // namespace maslin
