"""Scarce resources: limits of the process, full disks, missing descriptors, other roots and users."""

import os
import resource
import subprocess

from common import HERE, Ran, call, check_trace, clean_env, fail, must, remove, traces
from faults import Faults


class Limited(Faults):
    """laden under a limit: the same as natively, and what was recorded before can be read."""

    def run_with(self, what, options, **more):
        remove(self.work + "/progress", *traces(self.work))
        # One arena: if address space is scarce, the library tries more arenas, and may or may not leave errno set.
        env = clean_env(PROGRESS="progress", MALLOC_ARENA_MAX="1")
        native = Ran(["./laden", "./libtally.so"], self.work, env, **more)
        remove(self.work + "/progress")
        ran = Ran(["./laden", "./libtally.so"], self.work, dict(env, SOOTH_OPTIONS=options), **more)
        if (native.status, native.out, native.others()) != (ran.status, ran.out, ran.others()):
            fail("%s: status %s, %r %r; alone %s, %r %r" % (what, ran.status, ran.out, ran.err, native.status,
                                                            native.out, native.err))
        if len(ran.said()) > 2:  # one for each process
            fail("%s: says too much\n%s" % (what, ran.err))
        return ran

    def judge_prefix(self, what, ran):
        for trace in traces(self.work):
            bad = check_trace(self.build, trace)[0]
            if bad:
                fail("%s: %s" % (what, bad))
        if not os.path.exists(self.work + "/t.sooth/meta"):
            if not ran.said():
                fail("%s: nothing is recorded, and not a word" % what)
            return
        with open(self.work + "/nothing", "w"):
            pass
        status, text = call(["./judge", "t.sooth", "progress", "nothing"], self.work)
        if status or (int(text.split()[0]) < 4 * 3999 and not ran.said()):
            fail("%s: %s%s" % (what, text, ran.err))


def limit(which, value):
    def apply():
        resource.setrlimit(which, (value, value))
    return apply


def close_all(*which):
    def apply():
        for fd in which:
            os.close(fd)
    return apply


def limits(build, work, args):
    run = Limited(build, work, "dir=t.sooth")
    # Not less than 100: otherwise the program's own small file, PROGRESS, would be cut short, too.
    for size in (100, 5000, 70000, 150000, 600000, 700000):
        what = "files of %d bytes" % size
        run.judge_prefix(what, run.run_with(what, "dir=t.sooth", preexec_fn=limit(resource.RLIMIT_FSIZE, size)))
    for size in (5000, 100000, 700000):
        what = "files of %d bytes, controlled" % size
        run.run_with(what, "dir=t.sooth serial=1 quiet=1", preexec_fn=limit(resource.RLIMIT_FSIZE, size))
    for count in (5, 8, 16, 40, 70, 200):
        what = "%d descriptors" % count
        run.judge_prefix(what, run.run_with(what, "dir=t.sooth", preexec_fn=limit(resource.RLIMIT_NOFILE, count)))
    for megabytes in (100, 150, 200, 400):
        what = "%d MiB of addresses" % megabytes
        run.judge_prefix(what, run.run_with(what, "dir=t.sooth", preexec_fn=limit(resource.RLIMIT_AS, megabytes << 20)))
    for fds in ((0,), (2,), (0, 2)):
        what = "without descriptors %s" % (fds,)
        ran = run.run_with(what, "dir=t.sooth", preexec_fn=close_all(*fds))
        if 2 not in fds:
            run.judge_prefix(what, ran)
    for place in ("/proc/t.sooth", "/dev/null/t.sooth", "/no/such/directory/t.sooth"):
        ran = run.run_with(place, "dir=" + place)
        if len(ran.said()) != 1:
            fail("%s: %r" % (place, ran.err))
    quiet = run.run_with("quiet", "dir=/proc/t.sooth quiet=1")
    if quiet.err:
        fail("quiet: %r" % quiet.err)
    print("limits of files, descriptors, addresses; places that cannot be written")
    full_disk(run)
    elsewhere(build, work)


def full_disk(run):
    """A file system of its own with little space, if mounting is allowed."""
    disk = run.work + "/disk"
    os.makedirs(disk)
    for size in (64, 600, 720, 900, 1100):
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%dk" % size, "none", disk], check=False,
                          stderr=subprocess.DEVNULL).returncode:
            print("no file system can be mounted here: a full disk is not tried")
            return
        try:
            what = "a disk of %d KiB" % size
            ran = run.run_with(what, "dir=disk/t.sooth")
            remove(*traces(run.work))
            for name in os.listdir(disk):
                must(["cp", "-r", disk + "/" + name, "."], run.work)
            run.judge_prefix(what, ran)
        finally:
            subprocess.run(["umount", disk], check=True)
    print("full disks")


def elsewhere(build, work):
    """As root: a program that leaves its directory, its root and its user."""
    if os.geteuid() != 0:
        print("not root: other roots and users are not tried")
        return
    must([build + "/bin/sooth-cc", "-O1", "-g", "-pthread", "-o", "elsewhere", HERE + "/elsewhere.c"], work)
    for way in ("chdir", "chroot", "setuid", "all", "daemon"):
        os.makedirs(work + "/empty", exist_ok=True)
        remove(*traces(work))
        native = Ran(["./elsewhere", way], work, clean_env())
        ran = Ran(["./elsewhere", way], work, clean_env(SOOTH_OPTIONS="dir=t.sooth"))
        words = 1 if way == "daemon" else 0  # of its child, which cannot make a directory there
        if (native.status, native.out, native.others()) != (ran.status, ran.out, ran.others()) or (
                len(ran.said()) != words):
            fail("%s: status %s, %r %r; alone %s, %r %r" % (way, ran.status, ran.out, ran.err, native.status,
                                                            native.out, native.err))
        bad, text = check_trace(build, work + "/t.sooth")
        if bad or " 0 events" in text:
            fail("%s: %s" % (way, bad or text))
    print("other directories, roots and users")
