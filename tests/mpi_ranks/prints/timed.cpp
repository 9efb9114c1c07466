// Ranks that compute for declared times, so that what a replay of them takes on links can be worked out by hand. The
// word says what they do.
#include <mpi.h>

#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <maslin/maslin.hpp>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using maslin::cost;

constexpr int small = 1'000, large = 100'000;
int rank, ranks;
std::vector<char> out(8 * large), in(8 * large);
double mine = 1, sum = 0;

void send(int bytes, int tag = 0) { MPI_Send(out.data(), bytes, MPI_BYTE, 1 - rank, tag, MPI_COMM_WORLD); }
void receive(int bytes, int tag = 0) {
  MPI_Recv(in.data(), bytes, MPI_BYTE, 1 - rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
void wait(MPI_Request& one) { MPI_Wait(&one, MPI_STATUS_IGNORE); }

void pingpong() {
  for (const int bytes : {small, small, small, large, large, large}) {
    if (rank == 0) send(bytes);
    receive(bytes);
    if (rank == 1) send(bytes);
  }
}

void window() {
  std::array<MPI_Request, 8> all;
  for (MPI_Request& one : all) {
    char* const data = (rank == 0 ? out : in).data() + (&one - all.data()) * large;
    if (rank == 0)
      MPI_Isend(data, large, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &one);
    else
      MPI_Irecv(data, large, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &one);
  }
  MPI_Waitall(8, all.data(), MPI_STATUSES_IGNORE);
  if (rank == 1) send(4);
  if (rank == 0) receive(4);
}

/// Two sums that the ranks wait for in opposite orders.
void crosswise() {
  std::array<MPI_Request, 2> all;
  std::array<double, 2> sums;
  for (const int i : {0, 1}) MPI_Iallreduce(&mine, &sums[i], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &all[i]);
  wait(all[rank]);
  wait(all[1 - rank]);
}

/// A sum of 80,000 bytes; who adds them does so for 50 us, which belong to the call.
void combined_by_the_program() {
  MPI_Op add;
  MPI_Request one;
  std::vector<double> given(10'000, 1), sums(10'000);
  const auto adds = [](void* more, void* to, int* count, MPI_Datatype*) {
    cost(50us);
    for (int i = 0; i < *count; ++i) static_cast<double*>(to)[i] += static_cast<double*>(more)[i];
  };
  MPI_Op_create(adds, 1, &add);
  MPI_Iallreduce(given.data(), sums.data(), 10'000, MPI_DOUBLE, add, MPI_COMM_WORLD, &one);
  wait(one);
  MPI_Op_free(&add);
}

/// Rank 1 begins to wait for others while rank 0 computes.
void waits_while_the_other_computes() {
  MPI_Request met;
  if (rank == 1) cost(95us);
  MPI_Ibarrier(MPI_COMM_WORLD, &met);
  if (rank == 0) cost(100us);
  wait(met);
}

/// Two messages come in the other order.
void any() {
  if (rank == 0) {
    cost(50us);
    send(8, 2);
    cost(30us);
    return send(8, 1);
  }
  std::array<MPI_Request, 2> all;
  for (const int i : {0, 1}) MPI_Irecv(in.data() + 8 * i, 8, MPI_BYTE, 0, 1 + i, MPI_COMM_WORLD, &all[i]);
  for (int left = 2, which; left > 0; --left) {
    MPI_Waitany(2, all.data(), &which, MPI_STATUS_IGNORE);
    cost(10us);
  }
}

void asks_again_and_again() {
  if (rank == 0) {
    cost(50us);
    return send(8);
  }
  MPI_Request one;
  MPI_Irecv(in.data(), 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &one);
  for (int done = 0; !done; MPI_Test(&one, &done, MPI_STATUS_IGNORE)) cost(1us);
}

/// The same message three times.
void persistent() {
  MPI_Request one;
  if (rank == 0)
    MPI_Send_init(out.data(), small, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &one);
  else
    MPI_Recv_init(in.data(), small, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &one);
  for (int i = 0; i < 3; ++i) {
    MPI_Start(&one);
    wait(one);
  }
  MPI_Request_free(&one);
}

/// The second receive gets the message.
void cancelled() {
  if (rank == 0) {
    cost(5us);
    return send(8);
  }
  MPI_Request one;
  MPI_Irecv(in.data(), 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &one);
  MPI_Cancel(&one);
  wait(one);
  receive(8);
}

/// Rank 1 lets go of a receive that is complete, and receives what comes behind it. Rank 0 waits for the first.
void freed() {
  if (rank == 0) {
    for (int i = 0; i < 2; ++i) MPI_Ssend(out.data(), 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    return;
  }
  MPI_Request one;
  MPI_Irecv(in.data(), 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &one);
  MPI_Request_free(&one);
  receive(8);
}

void probed() {
  if (rank == 0) {
    cost(20us);
    return send(large);
  }
  MPI_Message one;
  MPI_Mprobe(0, 0, MPI_COMM_WORLD, &one, MPI_STATUS_IGNORE);
  cost(5us);
  MPI_Mrecv(in.data(), large, MPI_BYTE, &one, MPI_STATUS_IGNORE);
}

/// Rank 0 has an edge to rank 1; nobody else has one. `more`: what is done in that graph.
void in_a_graph(const std::function<void(MPI_Comm)>& more) {
  MPI_Comm graph;
  const int other = 1 - rank;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank, &other, MPI_UNWEIGHTED, 1 - rank, &other, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  more(graph);
  MPI_Comm_free(&graph);
}

const std::map<std::string, std::function<void()>> all{
    {"nothing", [] {}},
    {"pingpong", pingpong},
    {"window", window},
    {"broadcast", [] { MPI_Bcast(&sum, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD); }},
    {"sum", [] { MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }},
    {"exchange", [] { MPI_Alltoall(out.data(), small, MPI_BYTE, in.data(), small, MPI_BYTE, MPI_COMM_WORLD); }},
    {"crosswise", crosswise},
    {"combined_by_the_program", combined_by_the_program},
    {"barrier",
     [] {
       cost(100us);
       MPI_Barrier(MPI_COMM_WORLD);
     }},
    {"overlap",
     [] {
       MPI_Request met;
       MPI_Ibarrier(MPI_COMM_WORLD, &met);
       cost(100us);
       wait(met);
     }},
    {"waits_while_the_other_computes", waits_while_the_other_computes},
    {"any", any},
    {"asks_again_and_again", asks_again_and_again},
    {"persistent", persistent},
    {"cancelled", cancelled},
    {"freed", freed},
    {"probed", probed},
    {"graph", [] { in_a_graph([](MPI_Comm) {}); }},
    {"neighbours",
     [] {
       in_a_graph([](MPI_Comm graph) {
         MPI_Neighbor_alltoall(out.data(), large, MPI_BYTE, in.data(), large, MPI_BYTE, graph);
       });
     }},
};

}  // namespace

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  all.at(words[1])();
  MPI_Finalize();
  return 0;
}
