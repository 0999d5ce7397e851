"""What the parts of test/survive share: building and running programs, examining traces."""

import glob
import os
import shutil
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PATIENCE = 120  # seconds: what takes so long hangs
failures = 0


def fail(text):
    global failures
    failures += 1
    print(text, flush=True)


def call(command, where, env=None, seconds=600):
    done = subprocess.run(command, cwd=where, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=seconds, check=False)
    return done.returncode, done.stdout.decode(errors="replace")


def must(command, where):
    status, text = call(command, where)
    if status:
        sys.exit("%s\n%s" % (" ".join(command), text))


def clean_env(**more):
    env = {k: v for k, v in os.environ.items()
           if k not in ("SOOTH_OPTIONS", "SOOTH_CC", "SOOTH_CXX", "LD_PRELOAD")}
    return dict(env, **more)


class Ran:
    """How a program ran: status (negative: the signal; None: it hung), output, errors."""

    def __init__(self, command, where, env, **more):
        more.setdefault("stdin", subprocess.DEVNULL)
        more.setdefault("start_new_session", True)
        process = subprocess.Popen(command, cwd=where, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   **more)
        try:
            out, err = process.communicate(timeout=PATIENCE)
            self.status = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # its children have the pipes, too
            out, err = process.communicate()
            self.status = None
        self.out, self.err = out.decode(errors="replace"), err.decode(errors="replace")

    def said(self):
        """The messages of the runtime."""
        return [line for line in self.err.splitlines() if line.startswith("sooth: ")]

    def others(self):
        """What the program wrote to stderr."""
        return [line for line in self.err.splitlines() if not line.startswith("sooth: ")]


def make_judge(build, work):
    objects = [o for part in ("base", "event", "trace") for o in
               sorted(glob.glob("%s/tool/src/%s/*.o" % (build, part)))]
    sanitize = ["-fsanitize=address,undefined"] if "asan" in os.path.basename(build) else []
    must(["gcc", "-O2", "-g", "-D_GNU_SOURCE"] + sanitize +
         ["-I", HERE + "/../../src", "-I", HERE, "-o", "judge", HERE + "/judge.c"] + objects +
         ["-ldw", "-lelf", "-ljansson", "-lstdc++"], work)
    must(["gcc", "-O2", "-g", "-fPIE", "-c", "-o", "progress.o", HERE + "/progress.c"], work)


def remove(*paths):
    for path in paths:
        if os.path.isdir(path):
            shutil.rmtree(path, ignore_errors=True)
        elif os.path.exists(path):
            os.unlink(path)


def traces(work):
    return sorted(glob.glob(work + "/t*.sooth"))


def check_trace(build, trace):
    """None, or what is wrong with the trace; and the output for a good one."""
    status, text = call([build + "/bin/sooth", "trace", "check", trace], os.path.dirname(trace))
    return (None if status == 0 else "%s: status %d\n%s" % (os.path.basename(trace), status, text[-1000:])), text
