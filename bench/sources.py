"""Unpacked Debian source packages: the real programs that the benches run.

The machine's own list of package sources usually has only binary packages, and it is not changed: a
private copy of it, with the source packages instead, is in a directory of ours.
"""

import glob
import os
import re
import shutil
import subprocess


def private_lists(where):
    """Turns the machine's package sources into sources of source packages; returns apt options that use them."""
    parts = where + "/sources.list.d"
    shutil.rmtree(where, ignore_errors=True)
    for folder in (parts, where + "/lists/partial", where + "/archives/partial"):
        os.makedirs(folder)
    for name in ["/etc/apt/sources.list"] + sorted(glob.glob("/etc/apt/sources.list.d/*")):
        if not os.path.isfile(name):
            continue
        with open(name, errors="replace") as file:
            text = file.read()
        text = re.sub(r"(?m)^Types:.*$", "Types: deb-src", text)
        text = re.sub(r"(?m)^deb(-src)?\s", "deb-src ", text)
        with open("%s/%s" % (parts, os.path.basename(name)), "w") as file:
            file.write(text)
    return ["-o", "Dir::Etc::sourcelist=/dev/null", "-o", "Dir::Etc::sourceparts=" + parts,
            "-o", "Dir::State::lists=%s/lists" % where, "-o", "Dir::Cache::archives=%s/archives" % where,
            "-o", "Dir::Cache::pkgcache=", "-o", "Dir::Cache::srcpkgcache=",
            "-o", "Acquire::Retries=1", "-o", "APT::Sandbox::User=root"]


def quiet(command, cwd=None):
    return subprocess.run(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          stdin=subprocess.DEVNULL, check=False).returncode == 0


class Sources:
    """`get(package)` is the directory of the unpacked source, or None if it is not reachable."""

    def __init__(self, where):
        self.where = os.path.abspath(where)
        self.options = None
        os.makedirs(self.where, exist_ok=True)

    def get(self, package):
        folder = "%s/%s" % (self.where, package)
        if os.path.exists(folder + "/.complete"):
            return folder
        if not shutil.which("apt-get"):
            return None
        if self.options is None:
            self.options = private_lists(self.where + "/apt")
            # Continue if one list does not answer: what matters is whether the package is found.
            quiet(["apt-get"] + self.options + ["update"])
        shutil.rmtree(folder, ignore_errors=True)
        parts = folder + ".parts"
        shutil.rmtree(parts, ignore_errors=True)
        os.makedirs(parts)
        quiet(["apt-get"] + self.options + ["source", "--download-only", package], parts)
        unpacked = folder + ".new"
        shutil.rmtree(unpacked, ignore_errors=True)
        if not self.unpack(parts, unpacked):
            return None
        open(unpacked + "/.complete", "w").close()
        os.rename(unpacked, folder)
        shutil.rmtree(parts)
        return folder

    @staticmethod
    def unpack(parts, to):
        """Unpacks it as Debian builds it; if a part of the package is missing, as upstream released it."""
        for file in glob.glob(parts + "/*.dsc"):
            if shutil.which("dpkg-source") and quiet(["dpkg-source", "-x", file, to], parts):
                return True
        shutil.rmtree(to, ignore_errors=True)
        os.makedirs(to)
        for file in glob.glob(parts + "/*.orig.tar.*[z2]"):
            return quiet(["tar", "-x", "--strip-components=1", "-C", to, "-f", file])
        return False
