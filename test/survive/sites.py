"""Where libsooth.so calls the system, and which of that a recording without control, or one with it, can get to."""

import re
import subprocess

CALLS = ("open mmap munmap mprotect madvise write writev pwrite pread ftruncate posix_fallocate sync_file_range unlink "
         "mkdir fcntl syscall").split()
# Files whose calls belong to runs that are repeated, and to points; then those of any controlled run.
REPEATED = re.compile(r"(server|lend|snapshot|fiber|resources|touch|maps|point|pattern)\w*\.c |ring\.c open_private")
CONTROL = re.compile(r"(turn|place|patch|near|carrier)\w*\.c |module\.c (map|put_rows_back|forget_rows)$")
# What laden.c does not get to, and why.
EXCUSED = {
    "fork.c daemon": "the program's own",
    "log.c recycle": "traces above 32 MiB; what comes of it is not looked at",
    "ring.c ring_forget": "of runs that are repeated",
    "turn_outside.c state_of": "a thread that sleeps in the kernel without a word",
    "turn_process.c map_file": "the control file of replays",
    "turn_object.c map_zeros": "more objects than a program of this size has",
    "turn_log.c next_piece": "a schedule of more than one piece",
    "place.c count_down": "64 KiB of the heap in which nothing lives any more",
    "place.c place_stack": "a guard of another size",
    "turn_log.c turn_log_abandon": "two failures: a piece of the schedule stays, and the trace is said to be bad",
    "place.c share_guard": "stacks that lie side by side",
    "place.c place_start": "behind a mapping that fails",
    "near.c map_at": "behind a mapping that is too far away",
    "sections.c sections_close": "behind a file that is no program",
}


def disassemble(library):
    """(name, where it returns to) of each call by name (own_call.def). One that is a function's last act is a jump, and not seen."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", library], check=True,
                          stdout=subprocess.PIPE).stdout.decode()
    called = None
    for line in text.splitlines():
        at = re.match(r" *([0-9a-f]+):\s", line)
        if at and called:
            yield called, at[1]
        call = re.search(r"\scall\s+[0-9a-f]+ <(?:__wrap_(\w+)|(\w+)@plt)>", line)
        called = call and (call[1] or call[2])
        if called not in CALLS:
            called = None


class Sites:
    """The places of the source that call the system: `of` has for each call a text FILE FUNCTION."""

    def __init__(self, library):
        calls = list(disassemble(library))
        lines = subprocess.run(["addr2line", "-f", "-e", library] + ["%x" % (int(at, 16) - 1) for _, at in calls],
                               check=True, stdout=subprocess.PIPE).stdout.decode().splitlines()
        self.of = {}
        for i, call in enumerate(calls):
            place = re.sub(r" .*", "", lines[2 * i + 1]).split("/")[-1]
            self.of[call] = (call[0], "%s %s" % (place.split(":")[0], lines[2 * i]), place)

    def is_excused(self, call):
        return call in self.of and self.of[call][1] in EXCUSED

    def group(self, name):
        """Places by name; of several that are one line of the source, one."""
        repeated = {p for p in self.of.values() if REPEATED.match(p[1])}
        control = {p for p in self.of.values() if CONTROL.match(p[1])} - repeated
        return {"repeated runs": repeated, "control": control,
                "recording": set(self.of.values()) - repeated - control}[name]

    def judge(self, name, reached, failed, fail):
        """How many of a group were reached, and made to fail; of the rest each has an excuse."""
        all_of = self.group(name)
        reached = {self.of[c] for c in reached if c in self.of} & all_of
        failed = {self.of[c] for c in failed if c in self.of} & all_of
        for place in sorted(all_of - failed):
            if place[1] not in EXCUSED:
                fail("%s at %s (%s) is %s" % (place[0], place[2], place[1],
                                              "reached and never fails" if place in reached else "never reached"))
        print("%s: of %d places that call the system (%s) %d were reached, %d made to fail" % (
            name, len(all_of), " ".join(sorted({p[0] for p in all_of})), len(reached), len(failed)))
