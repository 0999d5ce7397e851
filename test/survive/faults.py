"""Makes each system call of the runtime fail, one after the other (inject.c, laden.c)."""

import errno
import os
import random
import shutil
import subprocess

from common import HERE, Ran, call, check_trace, clean_env, fail, must, remove, traces
from sites import Sites

# The possible errors of a call; 0: it does half of what it was asked for. Other calls fail with EPERM.
ELSEWHERE = 4096  # a mapping that is not where it was to be (inject.c)
ERRORS = {
    "open": ["EMFILE", "ENFILE", "EINTR", "ENOSPC", "EACCES", "EROFS", "ENOENT", "ENOMEM"],
    "write": ["ENOSPC", "EINTR", "EIO", "EDQUOT", "EAGAIN", "EFBIG", 0],
    "pwrite": ["ENOSPC", "EINTR", "EIO", "EDQUOT", "EAGAIN", "EFBIG", 0],
    "writev": ["ENOSPC", "EINTR", "EIO", "EDQUOT", "EAGAIN", "EFBIG", 0],
    "read": ["EIO", "EINTR", "EAGAIN", 0],
    "pread": ["EIO", "EINTR", 0],
    "mmap": ["ENOMEM", "EAGAIN", "EACCES", "ENODEV", "EPERM", "ELSEWHERE"],
    "munmap": ["ENOMEM", "EINVAL"],
    "mprotect": ["ENOMEM", "EACCES"],
    "madvise": ["EAGAIN", "EINVAL", "ENOSYS"],
    "malloc": ["ENOMEM"],
    "calloc": ["ENOMEM"],
    "mkdir": ["EACCES", "ENOSPC", "EROFS", "EMLINK"],
    "unlink": ["EACCES", "EROFS", "EBUSY", "EIO"],
    "ftruncate": ["EIO", "EINTR", "EPERM"],
    "posix_fallocate": ["ENOSPC", "EINTR", "EOPNOTSUPP", "EFBIG", "EIO", "ENOSYS"],
    "sync_file_range": ["EIO", "ENOSPC", "ESPIPE", "ENOSYS"],
    "fcntl": ["EMFILE", "EINVAL"],
    "fstat": ["ENOMEM", "EOVERFLOW", "EPERM"],
    "close": ["EINTR", "EIO"],
    "syscall": ["EINTR", "EAGAIN", "ENOSYS", "EPERM"],
}
# Where the runtime, besides its interposers, calls the library by pointer on behalf of the program.
FOR_THE_PROGRAM = ["heap_alloc", "move"]


def write_others(library, where):
    def symbols(*options):
        text = subprocess.run(["nm", "-S", "--defined-only"] + list(options) + [library], check=True,
                              stdout=subprocess.PIPE).stdout.decode()
        return [line.split() for line in text.splitlines() if len(line.split()) == 4]
    names = {s[3].split("@")[0] for s in symbols("-D")} | set(FOR_THE_PROGRAM)
    with open(where, "w") as out:
        for low, size, _, name in symbols():
            if name.split(".")[0] in names:
                out.write("%x %x\n" % (int(low, 16), int(low, 16) + int(size, 16)))


class Faults:
    """A program (laden.c, crammed.c) with the arguments after its library, and how many steps it makes."""

    def __init__(self, build, work, options, program="laden", arguments=(), steps=4 * 3999):
        self.build, self.work, self.options, self.steps = build, work, options, steps
        self.command = ["./" + program, "./libtally.so"] + list(arguments)
        flags = ["-O1", "-g", "-pthread"]
        must(["gcc", "-O1", "-g", "-fPIC", "-shared", "-o", "liboverwrite.so", HERE + "/overwrite.c"], work)
        overwrites = ["-Wl,--no-as-needed", "./liboverwrite.so"] if program == "crammed" else []
        must([build + "/bin/sooth-cc"] + flags + ["-shared", "-fPIC", "-Wl,-z,now", "-o", "libtally.built",
             HERE + "/../programs/lib/tally.c", HERE + "/finder.c"] + overwrites, work)
        # Executable stacks are placed in another way.
        stack = ["-Wl,-z,execstack"] if program == "crammed" else []
        must([build + "/bin/sooth-cc"] + flags + stack + ["-I", HERE, "-o", program, HERE + "/" + program + ".c",
             "progress.o"], work)
        must(["gcc", "-O2", "-g", "-D_GNU_SOURCE", "-fPIC", "-shared", "-o", "inject.so", HERE + "/inject.c"], work)
        write_others(build + "/lib/sooth/libsooth.so", work + "/others")
        self.native = self.run("", {})
        self.seen = {}  # each place that was come by, and the fault behind which it was first: None or a plan
        self.failed, self.failed_behind = set(), set()  # places; and those that failed behind another's failure

    def run(self, options, inject):
        remove(self.work + "/progress", self.work + "/reached", *traces(self.work))
        shutil.copy(self.work + "/libtally.built", self.work + "/libtally.so")
        with open(self.work + "/no_program", "w") as text:
            text.write("This is no program.\n" * 100)
        env = clean_env(PROGRESS="progress", OLD="libtally.so", NEW="no_program", **inject)
        if inject:
            remove(self.work + "/log")
            env.update(LD_PRELOAD=self.work + "/inject.so", INJECT_OTHERS="others", INJECT_REACHED="reached",
                       INJECT_LOG="log")
        if options:
            env["SOOTH_OPTIONS"] = options
        return Ran(self.command, self.work, env)

    def places(self):
        """How often each site, a name and its return address, is reached: in the parent, and in the child."""
        ran = self.run(self.options, {"INJECT_AT": "0"})
        what = self.judge(ran, "with no failure at all")
        expected = ["its accesses cannot be scheduled"] if "crammed" in self.command[0] and "serial" in self.options else []
        if len(ran.said()) != len(expected) or any(e not in s for e, s in zip(expected, ran.said())):
            what = what or "with no failure at all it says %s" % ran.said()
        if what:
            fail(what)
        counts = {}
        for place in self.look(None):
            counts[place] = counts.get(place, 0) + 1
        return counts

    def look(self, plan):
        """Reads the calls of the last run."""
        with open(self.work + "/log") as log:
            lines = [line.split() for line in log]
        calls = [(name, site, pid != lines[0][0]) for pid, name, site in lines]
        for place in calls:
            self.seen.setdefault(place, plan)
        return calls

    def judge(self, ran, what):
        """What is wrong, or None."""
        if ran.status is None:
            return "%s: hangs" % what
        if (ran.status, ran.out, ran.others()) != (self.native.status, self.native.out, self.native.others()):
            return "%s: status %s, printed %r, %r; alone: status %s, %r, %r" % (
                what, ran.status, ran.out, ran.err, self.native.status, self.native.out, self.native.err)
        # One for the program, one for its child; a controlled run also reports what cannot be scheduled.
        if len(ran.said()) > (6 if "serial" in self.options else 2):
            return "%s: says too much\n%s" % (what, ran.err)
        for trace in traces(self.work):
            bad = os.path.exists(trace + "/meta") and check_trace(self.build, trace)[0]
            if bad:
                return "%s: %s" % (what, bad)
        return self.judge_steps(ran, what)

    def judge_steps(self, ran, what):
        reached = ["reached"] if os.path.exists(self.work + "/reached") else []
        if not os.path.exists(self.work + "/t.sooth/meta"):
            steps, status, text = 0, 0, ""
        else:
            status, text = call(["./judge", "t.sooth", "progress"] + reached, self.work)
            steps = int(text.split()[0]) if status == 0 else 0
        if status:
            return "%s: %s" % (what, text)
        if steps < self.steps and not ran.said():
            return "%s: %d steps are recorded, and not a word" % (what, steps)
        return None

    def fault(self, place, k, error, always, also=None):
        name, site, child = place
        what = "%scall %d of %s at %s, %s%s%s (%s)" % (
            "child's " if child else "", k, name, site, error or "half", " from then on" if always else "",
            ", and %s at %s" % also[:2] if also else "", self.options)
        inject = {"INJECT_NAME": name, "INJECT_SITE": site, "INJECT_AT": str(k), "INJECT_ALWAYS": str(int(always)),
                  "INJECT_CHILD": str(int(child)), "INJECT_ERROR": str(number(error))}
        if also:
            inject.update(INJECT_ALSO=also[0], INJECT_ALSO_SITE=also[1])
        wrong = self.judge(self.run(self.options, inject), what)
        if wrong:
            fail(wrong)
        if also:
            self.failed_behind.add(also[:2])
        else:
            self.failed.add(place[:2])
        if not also:
            self.look((place, k, error, always))


def number(error):
    return ELSEWHERE if error == "ELSEWHERE" else getattr(errno, error) if error else 0


def unlikely(error, always):
    """The kernel interrupts calls, or does half of them, but not forever; and a futex either exists or does not."""
    return error in ("EINTR", "EAGAIN", 0) if always else error == "ENOSYS"


def all_plans(places, ends_only):
    """Each call, or the first and the last of each site; each error, once and from then on."""
    return [(place, k, error, always) for place, count in sorted(places.items()) for k in range(1, count + 1)
            if not ends_only or k in (1, count)
            for error in ERRORS.get(place[0], ["EPERM"]) for always in (False, True) if not unlikely(error, always)]


def some_plans(places, rnd):
    """From each site the first call and the last, once and from then on, with one of the errors."""
    plans = {}
    for plan in all_plans(places, True):
        plans.setdefault((plan[0], plan[1], plan[3]), []).append(plan)
    # One site writes all small files: how a failure is handled depends on which file it is.
    return [rnd.choice(choice) for choice in plans.values()] + [
        (place, k, "EIO", False) for place, count in places.items() if place[0] == "writev"
        for k in range(1, count + 1)] + [
        (place, 1, "ELSEWHERE", False) for place in places if place[0] == "mmap"]  # there is more behind that


def fail_each(run, sites, args, done):
    """For each site of this program that is not in `done`; returns what was reached and what has failed."""
    places = {place: count for place, count in run.places().items() if sites.of.get(place[:2]) not in done}
    if not places:
        fail("no call of the runtime was seen (%s): nothing can be made to fail" % run.options)
    # Under control, each call would need thousands of runs, and longer ones.
    plans = all_plans(places, "serial" in run.options or done) if args.count else some_plans(
        places, random.Random(args.seed))
    for plan in plans:
        run.fault(*plan)
    # What is reached only after a failure fails, too.
    behind = {place[:2]: (place, plan) for place, plan in run.seen.items()
              if plan and plan[2] and place[2] == plan[0][2] and place[:2] not in run.failed and
              sites.of.get(place[:2]) not in done and not sites.is_excused(place[:2])}
    for place, plan in behind.values():
        run.fault(*plan, also=place)
    print("%s: %d calls from %d places of the runtime (%s), %d failures of them, and of %d places behind those" % (
        run.command[0], sum(places.values()), len({place[:2] for place in places}), run.options, len(plans),
        len(behind)), flush=True)
    return {place[:2] for place in run.seen}, run.failed | run.failed_behind


def faults(build, work, options, args):
    control = "serial" in options
    sites = Sites(build + "/lib/sooth/libsooth.so")
    laden = Faults(build, work, options)
    reached, failed = fail_each(laden, sites, args, set())
    copies, rounds = (100, 10000) if control else (26000, 50)
    more = Faults(build, work, options, "crammed", [str(copies), str(rounds)], copies + 2 * rounds + 1200)
    done = {sites.of[call] for call in laden.failed if call in sites.of}
    more_reached, more_failed = fail_each(more, sites, args, done | {None})
    sites.judge("control" if control else "recording", reached | more_reached, failed | more_failed, fail)
