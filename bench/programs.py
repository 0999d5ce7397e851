"""The programs that the benches run: how a compiler builds each, and its command line."""

import os
import random
import shutil
import subprocess

from sources import Sources

HERE = os.path.dirname(os.path.abspath(__file__))


class Failed(Exception):
    """A program could not be built."""


def run(command, cwd, env=None):
    done = subprocess.run(command, cwd=cwd, env=dict(os.environ, **(env or {})), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        raise Failed("%s\n%s" % (" ".join(command), done.stdout.decode(errors="replace")[-3000:]))


class Compiler:
    def __init__(self, name, cc, cxx, flags):
        self.name, self.cc, self.cxx, self.flags = name, cc, cxx, flags


class Own:
    """A program of the repository: one file."""

    def __init__(self, file, about, arguments):
        self.file, self.about, self.arguments = file, about, arguments
        self.name = os.path.splitext(file)[0]

    def build(self, compiler, where, _sources):
        cc = compiler.cxx if self.file.endswith(".cc") else compiler.cc
        run(cc.split() + compiler.flags + ["-pthread", "-o", where + "/program",
                                     "%s/programs/%s" % (HERE, self.file)], where)
        return True

    def command(self, where, _input):
        return [where + "/program"] + self.arguments


class Xz:
    name, about = "xz", "xz -T2, a Debian source package"

    def __init__(self, megabytes):
        self.size = megabytes

    def build(self, compiler, where, sources):
        source = sources.get("xz-utils")
        if not source:
            return False
        run([source + "/configure", "--quiet", "--disable-shared", "--disable-nls", "--disable-doc",
             "--disable-scripts", "CC=" + compiler.cc, "CFLAGS=" + " ".join(compiler.flags)], where)
        run(["make", "-s", "-j%d" % os.cpu_count()], where)
        return True

    def command(self, where, text):
        return [where + "/src/xz/xz", "-T2", "-3", "--block-size=512KiB", "-k", "-c", text]


class Pbzip2:
    name, about = "pbzip2", "pbzip2 -p2 with libbz2 compiled in, Debian source packages"
    library = ["blocksort", "huffman", "crctable", "randtable", "compress", "decompress", "bzlib"]

    def __init__(self, megabytes):
        self.size = megabytes

    def build(self, compiler, where, sources):
        tool, library = sources.get("pbzip2"), sources.get("bzip2")
        if not tool or not library:
            return False
        for name in self.library:
            run(compiler.cc.split() + compiler.flags + ["-D_FILE_OFFSET_BITS=64", "-c", "-o", name + ".o",
                                                  "%s/%s.c" % (library, name)], where)
        run(compiler.cxx.split() + compiler.flags +
            ["-w", "-Wno-reserved-user-defined-literal", "-D_LARGEFILE64_SOURCE", "-D_FILE_OFFSET_BITS=64", "-DUSE_STACKSIZE_CUSTOMIZATION",
             "-pthread", "-I", library, "-o", "program"] +
            ["%s/%s.cpp" % (tool, n) for n in ("pbzip2", "BZ2StreamScanner", "ErrorContext")] +
            [name + ".o" for name in self.library], where)
        return True

    def command(self, where, text):
        return [where + "/program", "-p2", "-b2", "-k", "-c", text]


def all_programs(small):
    """`small`: less work, for a slower bench."""
    return [
        Own("lu.c", "LU decomposition, barrier", ["560"]),
        Own("hashmap.c", "hash map, striped locks", ["1000000"]),
        Own("prodcons.c", "producer/consumer, conditions", ["400000"]),
        Own("containers.cc", "C++ containers, std::thread", ["250000"]),
        Xz(1 if small else 2),
        Pbzip2(1 if small else 3),
    ]


def make_input(path, megabytes):
    """Pseudo-random text with the repetitions of real text, the same each time."""
    if os.path.exists(path):
        return
    rnd = random.Random(7)
    words = ["".join(rnd.choice("etaoinshrdlucmfwyp") for _ in range(rnd.randint(2, 9))) for _ in range(3000)]
    size, parts = 0, []
    while size < megabytes << 20:
        line = " ".join(rnd.choice(words[:rnd.choice([50, 400, 3000])]) for _ in range(12)) + "\n"
        parts.append(line)
        size += len(line)
    with open(path + ".new", "w") as out:
        out.write("".join(parts)[:megabytes << 20])
    os.rename(path + ".new", path)


def build_all(work, compilers, names, small=False):
    """Yields (program, {compiler name: directory} or None if it is not reachable, input)."""
    sources = Sources(work + "/sources")
    for program in all_programs(small):
        if names and program.name not in names:
            continue
        where, text = {}, None
        if hasattr(program, "size"):
            text = "%s/text-%d" % (work, program.size)
            make_input(text, program.size)
        for compiler in compilers:
            folder = "%s/%s/%s" % (work, compiler.name, program.name)
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
            if not program.build(compiler, folder, sources):
                where = None
                break
            where[compiler.name] = folder
        yield program, where, text
