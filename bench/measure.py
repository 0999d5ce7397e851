"""One run of a program, measured by measure.c."""

import hashlib
import os
import subprocess

from programs import Failed

HERE = os.path.dirname(os.path.abspath(__file__))


class Run:
    """CPU and elapsed seconds, peak memory in KiB, and a hash of the standard output."""

    def __init__(self, work, command, env=None, seconds=300):
        result, output = work + "/result", work + "/output"
        subprocess.run([work + "/measure", result, output, str(seconds)] + command, check=True,
                       stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=work,
                       env=dict(os.environ, **(env or {})))
        with open(result) as file:
            status, cpu, elapsed, peak = file.read().split()
        self.cpu, self.elapsed, self.peak = float(cpu), float(elapsed), int(peak)
        with open(output, "rb") as file:
            self.output = hashlib.sha256(file.read()).hexdigest()
        if int(status):
            raise Failed("%s ended with status %s" % (" ".join(command), status))

    @staticmethod
    def prepare(work):
        os.makedirs(work, exist_ok=True)
        subprocess.run(["gcc", "-O2", "-o", work + "/measure", HERE + "/measure.c"], check=True)
