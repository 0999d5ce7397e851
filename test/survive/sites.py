"""Where libsooth.so makes system calls, and which of these a recording without control, or with it, can reach."""

import re
import subprocess

CALLS = ("open mmap munmap mprotect madvise write writev pwrite pread ftruncate posix_fallocate sync_file_range unlink "
         "mkdir rmdir rename fcntl syscall close fstat stat lseek posix_fadvise getcwd readlink getrlimit prctl setsid "
         "sigaltstack sched_getcpu sched_getaffinity sched_setaffinity shmctl").split()
# Files whose calls belong to repeated runs, and to points; then those of any controlled run.
REPEATED = re.compile(r"(server|carrier_fiber|shared_vm_child|snapshot|fiber|resources|prefault|maps|point|lock_pattern)\w*\.c |"
                      r"ring\.c (open_private|forget_private)|det_heap\.c share_guard|sched_process\.c map_file")
CONTROL = re.compile(r"(sched|det_heap|access_patch|alloc_near|carrier)\w*\.c |module\.c (map|put_rows_back|forget_rows)$")
# What the programs do not reach, and why.
EXCUSED = {
    "fork.c daemon": "the program's own: it is told of the failure as by the C library (elsewhere.c)",
    "file_io.c keep_one": "of two threads that open a file anew at the same moment, the one that comes second",
}


def callers(line, function, calls, jumps):
    """Calls of functions by address, and where they return to; jumps that end a function."""
    at = re.match(r" *([0-9a-f]+):\s", line)
    jump = re.search(r"\sjmp\s+([0-9a-f]+) <(?:__wrap_(\w+)|(\w+)@plt|[^+>]*)>", line)
    if at and jump:
        jumps.append((function, at[1], jump[1], jump[2] or jump[3]))
    call = re.search(r"\scall\s+([0-9a-f]+) <(?:__wrap_(\w+)|(\w+)@plt|[^+>]*)>", line)
    if at and call:
        calls.append((call[1], call[2] or call[3]))
        return at
    return None


def disassemble(library):
    """
    (name, return address, call address) of each call by name (own_call.def). A call that is the last act of a
    function is a jump, and returns to the caller of that function.
    """
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", library], check=True,
                          stdout=subprocess.PIPE).stdout.decode()
    calls, jumps, returns, function, called = [], [], {}, None, None
    for line in text.splitlines():
        head = re.match(r"([0-9a-f]+) <", line)
        if head:
            function, called = head[1].lstrip("0"), None
        at = re.match(r" *([0-9a-f]+):\s", line)
        if at and called:
            returns.setdefault(calls[-1][0], []).append(at[1])
            if calls[-1][1] in CALLS:
                yield calls[-1][1], at[1], "%x" % (int(at[1], 16) - 1)
        called = callers(line, function, calls, jumps)

    def returns_of(address, seen):
        if address in seen:
            return
        yield from returns.get(address, [])
        for whose, _, to, _ in jumps:
            if to == address:
                yield from returns_of(whose, seen | {address})
    for whose, at, _, name in jumps:
        if name in CALLS:
            for back in returns_of(whose, set()):
                yield name, back, at


class Sites:
    """The places in the source that make system calls: `of` has a text FILE FUNCTION for each call."""

    def __init__(self, library):
        calls = list(disassemble(library))
        lines = subprocess.run(["addr2line", "-f", "-e", library] + [at for _, _, at in calls],
                               check=True, stdout=subprocess.PIPE).stdout.decode().splitlines()
        self.of = {}
        for i, call in enumerate(calls):
            place = re.sub(r" .*", "", lines[2 * i + 1]).split("/")[-1]
            self.of[call[:2]] = (call[0], "%s %s" % (place.split(":")[0], lines[2 * i]), place)

    def is_excused(self, call):
        return call in self.of and self.of[call][1] in EXCUSED

    def group(self, name):
        """Sites by name; one of several that are on the same source line."""
        repeated = {p for p in self.of.values() if REPEATED.match(p[1])}
        control = {p for p in self.of.values() if CONTROL.match(p[1])} - repeated
        return {"repeated runs": repeated, "control": control,
                "recording": set(self.of.values()) - repeated - control}[name]

    def judge(self, name, reached, failed, fail):
        """How many sites of a group were reached and made to fail; each of the rest needs an excuse."""
        all_of = self.group(name)
        reached = {self.of[c] for c in reached if c in self.of} & all_of
        failed = {self.of[c] for c in failed if c in self.of} & all_of
        for place in sorted(all_of - failed):
            if place[1] not in EXCUSED:
                fail("%s at %s (%s) is %s" % (place[0], place[2], place[1],
                                              "reached and never fails" if place in reached else "never reached"))
        print("%s: of %d places that call the system (%s) %d were reached, %d made to fail" % (
            name, len(all_of), " ".join(sorted({p[0] for p in all_of})), len(reached), len(failed)))
