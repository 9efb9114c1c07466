#pragma once
// All settings that the environment gives, in one table, and their readers. A variable that is empty counts as not set.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "maslin/settings.hpp"

namespace maslin::base {

#ifdef NDEBUG
inline constexpr bool is_debug_build = false;
#else
inline constexpr bool is_debug_build = true;
#endif

/// The rows of the page, and of `maslin settings`. Words stand in the order of the enumeration that they name.
inline constexpr setting all_settings[] = {
    {
        .name = "MASLIN_WORKERS",
        .is = setting::kind::number,
        .least = 1,
        .most = 4096,  // more is a slip of the keyboard
        .unit = "workers",
        .unset = "one for each CPU of the budget",
        .help = "How many workers there are.",
        .more = "The [budget](machine.md) is the CPUs that this process may use. On a described machine there are as "
                "many as it has.",
    },
    {
        .name = "MASLIN_SERIAL",
        .is = setting::kind::words,
        .words = {{"0"}, {"1", "run every call in place, in program order"}},
        .otherwise = "0",
        .help = "The serial elision: every call runs in place, in program order.",
    },
    {
        .name = "MASLIN_PIN",
        .form = "`NAME=STREAMSxWIDTH` for phases, `NAME=host` or `NAME=accelerator` for kernels, `wait=POLICY`, "
                "separated by commas, such as `bootstraps=4x2,wait=yield`",
        .unset = "nothing is pinned",
        .help = "Pins configurations of phases, where kernels run, and how to wait.",
        .more = "A configuration is streams at a time × workers each. Kernels have a choice on [machines with "
                "hosts](described.md#what-is-too-small-is-not-off-loaded); `kernels=` is for all that are not named. "
                "`wait` is how the whole process waits, and wins over `MASLIN_WAIT`.",
    },
    {
        .name = "MASLIN_GRAIN",
        // Of two that are as near to what was written, the first is proposed: "smgps" lacks a hyphen.
        .words = {{"auto"}, {"edtlp"}, {"edtlp-llp:WIDTH"}, {"s-mgps"}, {"s-mgps:work"}, {"mgps"}},
        .otherwise = "auto",
        .help = "Which policy chooses the configurations of phases that are not pinned.",
        .more = "[The pages of the policies](policies/README.md) say what each does.",
    },
    {
        .name = "MASLIN_WAIT",
        .is = setting::kind::words,
        .words = {{"spin"}, {"yield"}, {"adaptive"}, {"park"}, {"auto"}},
        .otherwise = "auto",
        .help = "How idle workers wait.",
        .more = "[The page on waiting](policies/wait.md) says what each does. Nobody stays awake for longer than 10 "
                "ms, and nobody spins while there are more workers than CPUs.",
    },
    {
        .name = "MASLIN_RANK_WAIT",
        .is = setting::kind::words,
        .words = {{"auto", "a rank looks for a moment, and is suspended then"},
                  {"spin", "it looks without a break"},
                  {"yield", "it lets others have the core between two looks"},
                  {"park", "it is suspended at once"}},
        .otherwise = "auto",
        .help = "How a rank waits that has a worker of its own.",
        .more =
            "[The page on waiting](policies/wait.md#ranks) says what each does. No rank stays awake for longer than "
            "10 ms. `spin` with `MASLIN_EAGER=0` is the [paper mode](ranks.md#paper-mode).",
    },
    {
        .name = "MASLIN_RANK_PLACE",
        .is = setting::kind::file,
        .form = "`block`, `cyclic`, or a file",
        .unset = "`block`",
        .help = "How `ms::ranks` divides its ranks among the workers.",
        .more = "`block`: ranks that follow each other stay together; `cyclic`: they are dealt out in turn; a file: it "
                "has the number of the worker of [each rank](ranks.md#which-worker-has-which-rank).",
    },
    {
        .name = "MASLIN_LEARNED",
        .is = setting::kind::file,
        .form = "a file, or `off`",
        .unset = "in the user's cache folder",
        .help = "Where `auto` keeps what it learned of phases for their next run.",
        .more = "If not set: `maslin/learned` in the user's cache folder (`XDG_CACHE_HOME` or `~/.cache`), on "
                "described machines nowhere.",
    },
    {
        .name = "MASLIN_REPORT",
        .is = setting::kind::file,
        .form = "a file, or `off`; `%p` in its name is the process's number",
        .unset = "in the user's cache folder",
        .help = "Where the report is kept that `maslin explain` reads.",
        .more = "[The page on it](explain.md) says what it tells. If not set: `maslin/runs` in the user's cache "
                "folder, on described machines and in the later ranks of a job nowhere.",
    },
    {
        .name = "MASLIN_LOOP",
        .is = setting::kind::words,
        .words = {{"dbs"}, {"static"}, {"gss"}, {"afs"}},
        .otherwise = "dbs",
        .help = "How loops are shared, where the call does not say.",
    },
    {
        .name = "MASLIN_PLACE",
        .is = setting::kind::words,
        .words = {{"dbs", "a worker runs the latest task that it made ready, and others steal the oldest"},
                  {"locality", "tasks that share data follow each other on one worker"},
                  {"chains", "a worker runs the task that it made ready if that is the only one, else the earliest"},
                  {"program-order", "the earliest task of the program goes first"},
                  {"auto", "dbs or locality, whichever serves the program better"}},
        .otherwise = "dbs",
        .help = "Which of the ready tasks a worker runs next.",
        .more = "`dbs`: the latest that it made ready, and others steal the oldest. `locality`: one whose data its "
                "cache still holds; on described machines as `dbs`. `program-order`: the earliest of the program. "
                "`chains`: the one that it made ready, where it is the only one, else the earliest. `auto`: `dbs` or "
                "`locality`, whichever serves the program better, as measured; on described machines as `dbs`. "
                "[The pages of the policies](policies/README.md) say more.",
    },
    {
        .name = "MASLIN_FOREIGN",
        .is = setting::kind::words,
        .words = {{"1", "BLAS and OpenMP code uses the threads that its caller was granted"},
                  {"reproducible", "one thread always"},
                  {"0", "it uses as many as it likes"}},
        .otherwise = "1",
        .help = "How many threads BLAS and OpenMP libraries use.",
        .more = "`1`: as many as their caller was [granted](foreign.md). `reproducible`: one always. `0`: as many as "
                "they like. Under `1` it depends on the library whether results are the same [at another "
                "width](foreign.md#to-the-last-bit).",
    },
    {
        .name = "MASLIN_RENAME",
        .is = setting::kind::number,
        .unit = "mebibytes",
        .otherwise = "256",
        .help = "Memory for new versions of data; 0 switches renaming off.",
    },
    {
        .name = "MASLIN_STACK",
        .is = setting::kind::size,
        .least = std::uint64_t{64} << 10,
        .most = std::uint64_t{1024} << 20,
        .unit = "bytes",
        .otherwise = "1M",
        .help = "The stack of a body that runs on a fiber.",
        .more = "[The page on tasks](tasks.md#how-much-stack-a-body-has) says which bodies do.",
    },
    {
        .name = "MASLIN_EAGER",
        .is = setting::kind::size,
        .most = std::uint64_t{64} << 10,
        .unit = "bytes",
        .unset = "`16K`, between processes `14K`",
        .help = "Up to how many bytes a message of a rank is kept for its receiver, so that its sender goes on.",
        .more = "`0`: each send waits until its message is received, which finds [programs that rely on "
                "more](ranks.md#messages). Between processes it is 14K at most.",
    },
    {
        .name = "MASLIN_CHECK",
        .is = setting::kind::words,
        .words = {{"0"},
                  {"1", "find tasks that write what they declare with in() or read what they declare with out()"},
                  {"pages", "also what they touch and do not declare, by page protection"}},
        .otherwise = is_debug_build ? "1" : "0",
        .unset = "`0`, in debug builds `1`",
        .help = "Finds tasks that write what they declare with `in`, or read what they declare with `out`.",
        .more = "`pages` also finds what they touch and do not declare, by page protection and with one worker. [The "
                "page on tasks](tasks.md#when-it-hangs-or-data-come-out-wrong) says what is found.",
    },
    {
        .name = "MASLIN_TRACE",
        .is = setting::kind::file,
        .form = "a file; `%p` in its name is the process's number",
        .unset = "no trace",
        .help = "Records the run.",
        .more = "[The page on traces](trace.md) says what can be seen then.",
    },
    {
        .name = "MASLIN_TRACE_DETAIL",
        .is = setting::kind::words,
        .words = {{"streams", "small: phases, streams, decisions"}, {"all"}},
        .otherwise = "all",
        .help = "How much of the run is recorded.",
        .more = "`streams` is small: phases, streams, decisions.",
    },
    {
        .name = "MASLIN_TRACE_FULL",
        .is = setting::kind::words,
        .words = {{"drop", "it loses events, and the trace says how many"}, {"wait", "it waits, and records how long"}},
        .otherwise = "drop",
        .help = "What a worker does whose events come faster than they are written.",
        .more = "`maslin scale` and `maslin layout` record with `wait`, and what is replayed is without the waits.",
    },
    {
        .name = "MASLIN_STORE",
        .is = setting::kind::size,
        .least = std::uint64_t{1} << 10,
        .most = std::uint64_t{1024} << 20,
        .unit = "bytes",
        .unset = "tasks work on memory itself, on described machines in the stores that they have",
        .help = "Gives each worker a local store of that size; tasks work on copies there.",
        .more = "[The page on local stores](store.md) says what is copied. On [described "
                "machines](described.md#local-stores) copies take time, and nothing is copied. The serial elision has "
                "none.",
    },
    {
        .name = "MASLIN_STORE_KEEP",
        .is = setting::kind::words,
        .words = {{"none", "each task fetches all that it reads"},
                  {"in", "copies stay that a task has only read"},
                  {"out", "copies stay that a task has written"},
                  {"all"}},
        .otherwise = "all",
        .help = "Which copies stay in a local store for later tasks of its worker.",
        .more = "[The page on local stores](store.md#what-stays-in-a-store) says when one serves again.",
    },
    {
        .name = "MASLIN_STORE_WRITE",
        .is = setting::kind::words,
        .words = {{"through", "when the task ends"},
                  {"renamed", "the same, but renamed data when somebody looks at them elsewhere"},
                  {"back", "all data when somebody looks, or the program waits"}},
        .otherwise = "through",
        .help = "When what a task has written in a local store is copied back to memory.",
        .more = "[The page on local stores](store.md#what-is-copied-back-late) says who looks. Under MASLIN_CHECK "
                "always `through`.",
    },
    {
        .name = "MASLIN_STORE_AHEAD",
        .is = setting::kind::number,
        .most = 8,
        .unit = "tasks",
        .otherwise = "1",
        .help = "For so many ready tasks the data are fetched into a local store before they begin.",
        .more = "[The page on local stores](store.md#what-is-fetched-early) says when.",
    },
    {
        .name = "MASLIN_HINTS",
        .is = setting::kind::words,
        .counts = setting::reach::here,
        .words = {{"0", "a worker's tasks go by when they became ready"},
                  {"1", "those go first whose data its cache holds"}},
        .otherwise = "1",
        .help = "Whether `locality` looks at what a worker's cache holds.",
        .more = "`0` is there to measure what that does: [bundles](policies/locality.md) are chosen without it.",
    },
    {
        .name = "MASLIN_NODE",
        .counts = setting::reach::here,
        .form = "a name of at most 80 letters, digits and `-_.:@+`, the same in all processes that share this node, "
                "or `0`",
        .otherwise = "0",
        .help = "Shares the CPUs of this node with processes of the same name.",
        .more = "[The page on nodes](node.md) says how. `0` forbids it. libmaslin_mpi.so sets it for the ranks of an "
                "MPI job.",
    },
    {
        .name = "MASLIN_AT_ONCE",
        .is = setting::kind::words,
        .counts = setting::reach::here,
        .words = {{"0", "every task is handed over"}, {"1", "a creator runs tasks that are too small to hand over"}},
        .otherwise = "1",
        .help = "Whether a creator runs tasks that are too small to hand over.",
        .more = "`0`: every task is handed over, [whatever it is worth](tasks.md#is-it-worth-it).",
    },
    {
        .name = "MASLIN_STORE_SEED",
        .is = setting::kind::number,
        .counts = setting::reach::here,
        .unit = "seed",
        .unset = "each copy is made at once",
        .help = "The copies of a local store come in pieces, late and in any order that is allowed, by this seed.",
        .more = "[The page on local stores](store.md#find-what-goes-round-the-copies) says what for.",
    },
    {
        .name = "MASLIN_WATCHDOG",
        .counts = setting::reach::here,
        .form = "a positive number of seconds, such as `5`, or two: `5,300`",
        .unset = "no watchdog",
        .help = "Says who waits for whom when nothing moves for so long.",
        .more = "The first time counts while all workers are idle and something waits. The second counts while a "
                "worker is busy and nothing ends: 120 s if not given.",
    },
    {
        .name = "MASLIN_MACHINE",
        .is = setting::kind::file,
        .counts = setting::reach::described,
        .form = "a file",
        .unset = "this machine",
        .help = "Runs the program in virtual time on the machine that the file describes.",
        .more = "[The page on described machines](described.md) says how.",
    },
    {
        .name = "MASLIN_DURATIONS",
        .is = setting::kind::words,
        .counts = setting::reach::described,
        .words = {{"measured", "what bodies take is measured where they declare nothing"},
                  {"declared", "only declared costs count"}},
        .otherwise = "measured",
        .help = "Whether what bodies take is measured.",
        .more = "`measured`: where they declare no `cost`. `declared`: only what is declared counts.",
    },
    {
        .name = "MASLIN_HOST",
        .is = setting::kind::words,
        .counts = setting::reach::described,
        .words = {{"edtlp"}, {"yield"}, {"adaptive"}, {"native"}},
        .otherwise = "yield",
        .help = "On machines with accelerators: how streams that share a host wait for their kernels.",
    },
    {
        .name = "MASLIN_MASTER",
        .is = setting::kind::words,
        .counts = setting::reach::described,
        .words = {{"worker", "the one to which the kernel was sent"},
                  {"host", "the host, which then sends no kernel"},
                  {"auto", "whichever is faster, as measured for each phase"}},
        .otherwise = "auto",
        .help = "On machines with accelerators: who gives the workers their parts of a kernel's loops.",
        .more =
            "`worker`: the one to which the kernel was sent. `host`: the host, which runs the kernel itself but for "
            "its loops. `auto`: whichever is [faster](described.md#who-gives-out-loops), as measured for each phase.",
    },
    {
        .name = "MASLIN_QUIET",
        .is = setting::kind::words,
        .counts = setting::reach::described,
        .words = {{"0"}, {"1", "say nothing but what went wrong"}},
        .otherwise = "0",
        .help = "Says nothing at the end of the run.",
    },
    {
        .name = "MASLIN_SIMD",
        .is = setting::kind::words,
        .counts = setting::reach::phylo,
        .words = {{"scalar"}, {"avx2"}, {"avx512"}, {"neon"}},
        .unset = "the fastest that the processor has",
        .help = "Which instructions compute likelihoods.",
    },
};

/// A row, by a name that must be in the table for the program to compile.
class known_setting {
 public:
  consteval known_setting(const char* name) : row_(&named(name)) {}
  constexpr known_setting(const setting& row) : row_(&row) {}
  constexpr const setting& row() const { return *row_; }
  constexpr const setting* operator->() const { return row_; }

 private:
  static consteval const setting& named(std::string_view name) {
    for (const setting& row : all_settings)
      if (row.name == name) return row;
    throw "no setting has this name";
  }

  const setting* row_;
};

/// Gives the variable's text; null where it is not set.
const char* text_of(known_setting of) noexcept;

// What the variable says, or else what the row says. They throw `error`.

/// Gives the place of the word.
std::size_t word_of(known_setting of);
/// Is it the second of two words, such as 0 and 1?
inline bool flag_of(known_setting of) { return word_of(of) == 1; }
template <class Enumeration>
Enumeration choice_of(known_setting of) {
  return static_cast<Enumeration>(word_of(of));
}
/// Gives the number, of a size the bytes; nothing where neither says one.
std::optional<std::uint64_t> number_of(known_setting of);

// The same of a text.

std::span<const setting_word> words_of(const setting& of) noexcept;
std::optional<std::size_t> find_word(known_setting of, std::string_view text) noexcept;
std::uint64_t parse_number(known_setting of, std::string_view text);
/// Throws `error` where the row says that the text makes no sense; knows nothing of files and forms.
void check(const setting& of, std::string_view text);

/// Gives what is expected, in words; of words with the one that is nearest to the text.
std::string expected(known_setting of, std::string_view text);
/// Throws `error`: NAME=TEXT: what was expected, or what was found and what to write.
[[noreturn]] void fail(known_setting of, std::string_view text, std::string_view found = {});

/// Tells of misspelt settings on stderr, once in a process.
void tell_misspelt_settings();

}  // namespace maslin::base
