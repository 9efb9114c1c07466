"""Commands for gdb that show Maslin's fibers: `maslin fibers`, `maslin backtrace`. `source` this file in gdb.

A waiting call of Maslin is suspended on a stack of its own, which `info threads` does not show. These commands find
such stacks, in a running process and in a core file. They need no debug information of Maslin itself."""

import re

import gdb
from gdb.unwinder import Unwinder

WORD = gdb.lookup_type("unsigned long")
# Where Boost.Context keeps what a suspended fiber continues with (x86-64): register, words behind its context.
SAVED = {"r12": 1, "r13": 2, "r14": 3, "r15": 4, "rbx": 5, "rbp": 6, "rip": 7}
CONTEXT_WORDS = 8
OURS = re.compile(r"^(\w+ )?maslin::|^(jump|make|ontop)_fcontext")
OUR_HEADERS = re.compile(r"/maslin/[a-z_]+\.hpp$")


def word_at(address, index=0):
    return int(gdb.Value(address + 8 * index).cast(WORD.pointer()).dereference())


class Fiber:
    """One of the list `maslin_fibers`; src/exec/fiber/debuggers.hpp says what lies where."""

    def __init__(self, address):
        self.context, self.bottom, self.bytes, self.next = (word_at(address, i) for i in range(4))

    def holds(self, address):
        return self.bottom <= address < self.bottom + self.bytes

    def is_inside(self):
        """Does the context lie on the fiber's stack?"""
        return self.bottom != 0 and self.holds(self.context)


class Pretence(Unwinder):
    """While `fiber` is set, the selected thread's innermost frame seems to have been called by that fiber's."""

    def __init__(self):
        super().__init__("maslin")
        self.fiber = None
        self.innermost = None

    def __call__(self, frame):
        if self.fiber is None or int(frame.read_register("rsp")) != self.innermost:
            return None
        context = self.fiber.context

        class Id:
            sp = gdb.Value(context)  # callers' frames have to lie above
            pc = frame.read_register("rip")

        caller = frame.create_unwind_info(Id)
        for name, index in SAVED.items():
            caller.add_saved_register(name, gdb.Value(word_at(context, index)))
        caller.add_saved_register("rsp", gdb.Value(context + 8 * CONTEXT_WORDS))
        return caller

    def frames_of(self, fiber):
        """Gives the fiber's frames, the innermost first."""
        gdb.newest_frame().select()
        self.innermost = int(gdb.selected_frame().read_register("rsp"))
        self.fiber = fiber
        gdb.invalidate_cached_frames()
        try:
            frame = gdb.newest_frame().older()
            sources = our_sources(frame) if frame is not None else ""
            found = []
            while frame is not None and frame.pc() != 0:
                found.append(Frame(frame, sources))
                frame = frame.older()
            return found
        finally:
            self.fiber = None
            gdb.invalidate_cached_frames()


class Frame:
    """What is shown of a frame: its function, its line or library, and whether it is Maslin's."""

    def __init__(self, frame, our_sources):
        self.name = frame.name() or f"0x{frame.pc():x}"
        line = frame.find_sal()
        file = line.symtab and line.symtab.fullname()
        self.place = f"{line.symtab.filename}:{line.line}" if file else gdb.solib_name(frame.pc()) or ""
        if file:
            self.is_ours = OUR_HEADERS.search(file) is not None or (our_sources and file.startswith(our_sources))
        else:
            symbol = gdb.execute(f"info symbol {frame.pc():#x}", to_string=True)
            self.is_ours = OURS.search(symbol) is not None or frame.name() is None

    def __str__(self):
        return f"{self.name} at {self.place}" if self.place else self.name


def our_sources(innermost):
    """Gives the folder of Maslin's sources by the function in which all fibers wait; "" where its file is not known."""
    file = innermost.find_sal().symtab
    return file.fullname().removesuffix("exec/fiber/fiber.cpp") if file else ""


def threads():
    return [t for t in gdb.selected_inferior().threads() if t.is_valid()]


def stack_pointers():
    """Gives where each thread's stack is now: what runs there is not suspended."""
    before = gdb.selected_thread()
    pointers = []
    for thread in threads():
        thread.switch()
        pointers.append(int(gdb.newest_frame().read_register("rsp")))
    before.switch()
    return pointers


def all_fibers():
    """Gives those that are suspended, with their numbers: the oldest is 1."""
    if gdb.selected_thread() is None:
        raise gdb.GdbError("maslin: there is no process; start one, or open a core file")
    if gdb.selected_frame().architecture().name() != "i386:x86-64":
        raise gdb.GdbError("maslin: fibers are known on x86-64 only")
    try:
        head = int(gdb.parse_and_eval("(unsigned long)&maslin_fibers"))
    except gdb.error:
        raise gdb.GdbError("maslin: the program has no maslin_fibers; expected one that uses libmaslin 0.2 or newer")
    fibers, at = [], word_at(head)
    while at:
        fibers.append(Fiber(at))
        at = fibers[-1].next
    fibers.reverse()
    running = stack_pointers()
    return [(number, f) for number, f in enumerate(fibers, 1)
            if f.is_inside() and not any(f.holds(pointer) for pointer in running)]


pretence = Pretence()
gdb.unwinder.register_unwinder(None, pretence, replace=True)


def stacks(wanted=None, with_idle=False):
    """Gives (number, frames) of the suspended fibers; of one that has nothing on top of Maslin's own loop only if asked."""
    for number, fiber in all_fibers():
        if wanted is not None and number != wanted:
            continue
        frames = pretence.frames_of(fiber)
        if with_idle or wanted is not None or not all(frame.is_ours for frame in frames):
            yield number, frames


def number_in(words):
    if words in ("", "all"):
        return None
    if not words.isdigit():
        raise gdb.GdbError(f"maslin: {words!r} is not the number of a fiber; `maslin fibers` lists them")
    return int(words)


class Maslin(gdb.Command):
    """Shows what waits on Maslin's fibers: `maslin fibers`, `maslin backtrace`."""

    def __init__(self):
        super().__init__("maslin", gdb.COMMAND_STACK, prefix=True)


class Fibers(gdb.Command):
    """Lists suspended fibers: their numbers, and where the program's own code waits.
With `all` also those that are idle."""

    def __init__(self):
        super().__init__("maslin fibers", gdb.COMMAND_STACK)

    def invoke(self, words, _):
        count = 0
        for number, frames in stacks(with_idle=words == "all"):
            print(f"  {number:<4} {next((frame for frame in frames if not frame.is_ours), 'idle')}")
            count += 1
        print(f"{count} suspended fibers" if count != 1 else "1 suspended fiber")


class Backtrace(gdb.Command):
    """Shows the stack of fiber N, or of all that are suspended and not idle."""

    def __init__(self):
        super().__init__("maslin backtrace", gdb.COMMAND_STACK)

    def invoke(self, words, _):
        wanted = number_in(words)
        found = False
        for number, frames in stacks(wanted):
            found = True
            print(f"fiber {number}")
            for depth, frame in enumerate(frames):
                print(f"#{depth:<3} {frame}")
            print()
        if wanted is not None and not found:
            raise gdb.GdbError(f"maslin: no fiber {wanted} is suspended; `maslin fibers all` lists those that are")


Maslin()
Fibers()
Backtrace()
