"""Small random programs with threads, and everything that can happen in them.

A program is a tree of statements for each thread. Two things are derived from it: the C source, in which each statement that
another thread can notice is on a line of its own, and a list of instructions, which `explore` runs in every order: it finds
what races, is blocked in a cycle, is stuck for good, or is used after the end of its lifetime, in any state of the program,
by source lines. The C source and the instructions are two readings of one tree; nothing of sooth is used here.
"""

import random

MAIN = 0


class Program:
    def __init__(self, seed, whole=False):
        """`whole`: including what can end the process, and threads that wait without a lock."""
        rng = random.Random(seed)
        self.seed, self.whole = seed, whole
        self.channel = rng.choice(sorted(CHANNELS))
        self.block_of = rng.choice(sorted(BLOCKS))
        self.volatile = rng.random() < 0.6
        self.threads = 2 + (rng.random() < 0.4)
        self.variables = 1 + rng.randrange(3)
        self.mutexes = 1 + (rng.random() < 0.8)
        self.domain = 2 + rng.randrange(3)
        kinds = ["read"] * 3 + ["write"] * 3 + ["copy"] + ["section"] * 6 + ["if"] * 3
        extras = [["atomic"] * 3, ["rw"] * 2, ["try"] * 2, ["semaphore"] * 2, ["condition"] * 3, ["timed"], ["clock"]]
        if whole:
            extras += [["spin"] * 3, ["channel"] * 3, ["block"] * 4, ["file"] * 3]
        for extra in extras:
            if rng.random() < 0.4:
                kinds += extra
        self.kinds = kinds
        # Several threads may run the same function: then two threads race at one line.
        same = rng.random() < 0.25
        self.bodies = {}
        for t in range(1, self.threads + 1):
            size = 2 + rng.randrange(4)
            self.bodies[t] = self.bodies[1] if same and t > 1 else self.block(rng, size, ())
        middle = self.block(rng, rng.randrange(3), ())
        self.main = ([("create", t) for t in range(1, self.threads + 1)] + middle +
                     [("join", t) for t in range(1, self.threads + 1)])

    def hide(self, where):
        """Moves random statements into functions that are compiled without recording: `where` says how (HIDDEN)."""
        rng = random.Random("hidden %d" % self.seed)
        self.where = where
        shared = {}  # threads that run the same function still do
        for t, body in self.bodies.items():
            if id(body) not in shared:
                shared[id(body)] = hide(body, rng)
            self.bodies[t] = shared[id(body)]
        return self

    def block(self, rng, size, held):
        return [self.statement(rng, held) for _ in range(size)]

    def statement(self, rng, held):
        """`held`: the locks that the thread holds here, so that it does not hang by itself."""
        kind = rng.choice(self.kinds)
        x = rng.randrange(self.variables)
        value = rng.randrange(self.domain)
        mutex = rng.randrange(self.mutexes)
        taken = {"section": f"m{mutex}", "rw": "rw", "condition": "m0", "spin": "spin"}.get(kind)
        if taken in held or (len(held) >= 2 and kind in ("section", "if", "rw", "try", "timed", "clock", "spin")):
            kind = "read"
        inner = lambda n, *more: self.block(rng, n, held + more)  # noqa: E731
        if kind == "section":
            return ("section", mutex, inner(1 + rng.randrange(2), taken))
        if kind == "if":
            return ("if", value, inner(1, "if"), inner(rng.randrange(2), "if"))
        if kind == "rw":
            return ("rw", rng.random() < 0.5, inner(1 + rng.randrange(2), taken))
        if kind in ("try", "timed", "clock"):
            return (kind, mutex, inner(1, f"m{mutex}"))
        if kind == "spin":
            return ("spin", inner(1 + rng.randrange(2), taken))
        if kind == "channel":
            return (rng.choice(["send", "send", "receive"]),)
        if kind == "block":
            return (rng.choice(["touch", "look", "release"]), value)
        if kind == "file":
            return (rng.choice(["put", "put", "shut"]),)
        if kind == "semaphore":
            return (rng.choice(["post", "post", "down"]),)
        if kind == "condition":
            return (rng.choice(["await", "await-once", "announce", "announce-all", "signal"]),)
        if kind == "atomic":
            return (rng.choice(["load", "store", "add", "peek"]), value)
        return (kind, x, value)


def hide(body, rng, own=False):
    """Hides statements. Some critical sections get a lock that the hidden code makes itself, of atomics."""
    hidden = []
    for statement in body:
        makes = statement[0] == "section" and not own and rng.random() < 0.4
        statement = tuple(hide(part, rng, own or makes) if isinstance(part, list) else part for part in statement)
        if makes:
            statement = ("own", statement[2])
        if makes or rng.random() >= 0.35:
            hidden.append(statement)
        elif hidden and hidden[-1][0] == "hidden" and rng.random() < 0.5:
            hidden[-1][1].append(statement)
        else:
            hidden.append(("hidden", [statement]))
    return hidden


# ---- as C -----------------------------------------------------------------------------------------

# How a channel and a block are created; what is sent and received, and how the block ends.
CHANNELS = {
    "pipe": ("if (pipe(channel)) return 1;", 1),
    "socketpair": ("if (socketpair(AF_UNIX, SOCK_STREAM, 0, channel)) return 1;", 1),
    "eventfd": ("channel[0] = channel[1] = eventfd(0, EFD_SEMAPHORE);", 8),
}
# Using a free heap block does no harm far from its ends, if another block follows it.
BLOCKS = {
    "heap": ("block = malloc(2000); behind = malloc(16);", "free((void *)block);"),
    "map": ("block = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);",
            "munmap((void *)block, 4096);"),
}

HEAD = """#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
static {volatile}int x0, x1, x2, flag;
static _Atomic int a0;
static pthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t m1 = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s;
static pthread_t t[4];
static const struct timespec past;
static pthread_spinlock_t spin;
static const long one = 1;
static int channel[2], file;
static {volatile}int *block;
static void *behind;
"""


# How statements are compiled without recording: in a library, in an object of the program, or in a function of the same
# file that says so.
HIDDEN = ("library", "object", "function")
HIDDEN_LINES = 100000  # lines of the second file count from here
FIRST_HIDDEN = '#line 1 "hidden.c"'
OWN_LOCK = """static volatile int own;
int sched_yield(void);
void own_lock(void)
{
while (__sync_lock_test_and_set(&own, 1)) sched_yield();
}
void own_unlock(void)
{
__sync_lock_release(&own);
}""".splitlines()


class Source:
    """The C text, and each thread's instructions with their lines. Hidden statements are in a second text."""

    def __init__(self, program):
        head = HEAD.format(volatile="volatile " if program.volatile else "")
        self.where = getattr(program, "where", None)
        if self.where:
            head = head.replace("static const", "const").replace("static ", "")
        self.lines = head.splitlines()
        self.hidden, self.hidden_count, self.is_hidden = list(OWN_LOCK), 0, False
        self.code = {}
        self.send_size = CHANNELS[program.channel][1]
        self.block_end = BLOCKS[program.block_of][1]
        bodies = {}
        for t in range(1, program.threads + 1):
            body = program.bodies[t]
            if id(body) in bodies:
                self.code[t] = self.code[bodies[id(body)]]
                continue
            bodies[id(body)] = t
            self.put(f"static void *f{t}(void *argument)")
            self.function(t, body, ["return argument;"], ["(void)l;"])
        self.function_of = {t: bodies[id(program.bodies[t])] for t in program.bodies}
        self.put("int main(void)")
        made = ["(void)l;", "sem_init(&s, 0, 0);"]
        if program.whole:
            made += ["pthread_spin_init(&spin, 0);", "file = open(\"/dev/null\", O_WRONLY);",
                     CHANNELS[program.channel][0], BLOCKS[program.block_of][0], "block[16] = 0;"]
        self.function(MAIN, program.main, ["return 0;"], made)

    def put(self, text):
        if self.is_hidden:
            self.hidden.append(text)
            return HIDDEN_LINES + len(self.hidden)
        self.lines.append(text)
        return len(self.lines)

    def do_own(self, code, body):
        self.op(code, "{ void own_lock(void); own_lock(); }", "lock", "own")
        self.statements(code, body)
        self.op(code, "{ void own_unlock(void); own_unlock(); }", "unlock", "own")

    def do_hidden(self, code, body):
        if self.is_hidden:
            self.statements(code, body)
            return
        self.hidden_count += 1
        name = f"h{self.hidden_count}"
        self.put(f"{{ int {name}(int); l = {name}(l); }}")
        self.is_hidden = True
        self.put(f"int {name}(int l)")
        self.put("{")
        self.statements(code, body)
        self.put("return l;")
        self.put("}")
        self.is_hidden = False

    def function(self, t, body, last, first):
        self.code[t] = []
        self.put("{")
        self.put("int l = 0;")
        for line in first:
            self.put(line)
        self.statements(self.code[t], body)
        for line in last:
            self.put(line)
        self.put("}")

    def statements(self, code, body):
        for statement in body:
            getattr(self, "do_" + statement[0].replace("-", "_"))(code, *statement[1:])

    def op(self, code, text, *instruction):
        code.append((*instruction, self.put(text)))

    def do_read(self, code, x, _):
        self.op(code, f"l = x{x};", "read", f"x{x}")

    def do_write(self, code, x, value):
        self.op(code, f"x{x} = {value};", "write", f"x{x}", value)

    def do_copy(self, code, x, value):
        self.op(code, f"x{x} = (l + {value}) & 3;", "copy", f"x{x}", value)

    def do_load(self, code, _):
        self.op(code, "l = atomic_load(&a0);", "load", "a0")

    def do_store(self, code, value):
        self.op(code, f"atomic_store(&a0, {value});", "store", "a0", value)

    def do_add(self, code, value):
        self.op(code, f"l = atomic_fetch_add(&a0, {value + 1}) & 7;", "add", "a0", value + 1)

    def do_peek(self, code, _):
        self.op(code, "l = *(volatile int *)&a0;", "read", "a0")

    def do_section(self, code, m, body):
        self.op(code, f"pthread_mutex_lock(&m{m});", "lock", f"m{m}")
        self.statements(code, body)
        self.op(code, f"pthread_mutex_unlock(&m{m});", "unlock", f"m{m}")

    def do_rw(self, code, shared, body):
        self.op(code, f"pthread_rwlock_{'rd' if shared else 'wr'}lock(&rw);",
                "rlock" if shared else "lock", "rw")
        self.statements(code, body)
        self.op(code, "pthread_rwlock_unlock(&rw);", "runlock" if shared else "unlock", "rw")

    def guarded(self, code, text, kind, m, body):
        self.op(code, text, kind, f"m{m}", None)
        at = len(code) - 1
        self.statements(code, body)
        self.op(code, f"pthread_mutex_unlock(&m{m}); }}", "unlock", f"m{m}")
        code[at] = (kind, f"m{m}", len(code), code[at][-1])

    def do_try(self, code, m, body):
        self.guarded(code, f"if (!pthread_mutex_trylock(&m{m})) {{", "trylock", m, body)

    def do_timed(self, code, m, body):
        self.guarded(code, f"if (!pthread_mutex_timedlock(&m{m}, &past)) {{", "timedlock", m, body)

    def do_clock(self, code, m, body):
        self.guarded(code, f"if (!pthread_mutex_clocklock(&m{m}, CLOCK_MONOTONIC, &past)) {{", "timedlock", m, body)

    def do_spin(self, code, body):
        self.op(code, "pthread_spin_lock(&spin);", "lock", "spin")
        self.statements(code, body)
        self.op(code, "pthread_spin_unlock(&spin);", "unlock", "spin")

    def do_send(self, code):
        self.op(code, f"write(channel[1], &one, {self.send_size});", "send")

    def do_receive(self, code):
        self.op(code, f"{{ long got; read(channel[0], &got, {self.send_size}); }}", "receive")

    def do_touch(self, code, value):
        self.op(code, f"block[16] = {value};", "write", "block", value)

    def do_look(self, code, _):
        self.op(code, "l = block[16];", "read", "block")

    def do_release(self, code, _):
        self.op(code, self.block_end, "end", "block")

    def do_put(self, code):
        self.op(code, "write(file, &one, 1);", "use", "file")

    def do_shut(self, code):
        self.op(code, "close(file);", "end", "file")

    def do_if(self, code, value, then, other):
        self.put(f"if (l == {value}) {{")
        code.append(None)
        at = len(code) - 1
        self.statements(code, then)
        self.put("} else {")
        code.append(None)
        jump = len(code) - 1
        code[at] = ("unless", value, len(code), 0)
        self.statements(code, other)
        self.put("}")
        code[jump] = ("goto", len(code), 0)

    def do_post(self, code):
        self.op(code, "sem_post(&s);", "post", "s")

    def do_down(self, code):
        self.op(code, "sem_wait(&s);", "down", "s")

    def do_await(self, code):
        self.op(code, "pthread_mutex_lock(&m0);", "lock", "m0")
        top = len(code)
        self.put("for (;;) {")
        self.op(code, "l = flag;", "read", "flag")
        self.put("if (l) break;")
        code.append(("unless", 0, len(code) + 4, 0))
        self.op(code, "pthread_cond_wait(&c, &m0);", "wait", "c", "m0")
        code.append(("woken", "c", "m0", code[-1][-1]))
        code.append(("goto", top, 0))
        self.put("}")
        self.op(code, "pthread_mutex_unlock(&m0);", "unlock", "m0")

    def do_await_once(self, code):  # the bug: nobody says that there is something to wait for
        self.op(code, "pthread_mutex_lock(&m0);", "lock", "m0")
        self.op(code, "pthread_cond_wait(&c, &m0);", "wait", "c", "m0")
        code.append(("woken", "c", "m0", code[-1][-1]))
        self.op(code, "pthread_mutex_unlock(&m0);", "unlock", "m0")

    def announce(self, code, text, kind):
        self.op(code, "pthread_mutex_lock(&m0);", "lock", "m0")
        self.op(code, "flag = 1;", "write", "flag", 1)
        self.op(code, text, kind, "c")
        self.op(code, "pthread_mutex_unlock(&m0);", "unlock", "m0")

    def do_announce(self, code):
        self.announce(code, "pthread_cond_signal(&c);", "signal")

    def do_announce_all(self, code):
        self.announce(code, "pthread_cond_broadcast(&c);", "broadcast")

    def do_signal(self, code):
        self.op(code, "pthread_cond_signal(&c);", "signal", "c")

    def do_create(self, code, t):
        self.op(code, f"pthread_create(&t[{t}], 0, f{self.function_of[t]}, 0);", "create", t)

    def do_join(self, code, t):
        self.op(code, f"pthread_join(t[{t}], 0);", "join", t)

    def text(self):
        text = "\n".join(self.lines) + "\n"
        if self.where == "function":
            unrecorded = '__attribute__((noinline, no_sanitize("thread"))) '
            text += FIRST_HIDDEN + "\n"
            text += "\n".join(unrecorded + line if line.startswith(("int h", "void own")) else line
                              for line in self.hidden) + "\n"
        return text

    def hidden_text(self):
        """The second file: what the first one defines, declared, and the hidden functions."""
        declared = []
        for line in self.lines[:self.lines.index("{")]:
            if line.startswith(("#", "const struct")):
                declared.append(line.replace("const struct timespec past", "extern const struct timespec past"))
            elif line.startswith("const long"):
                declared.append("extern const long one;")
            elif line.endswith(";") and " f" not in line[:7]:
                declared.append("extern " + line.split(" = ")[0].rstrip(";") + ";")
        return "\n".join(declared + [FIRST_HIDDEN] + self.hidden) + "\n"


# ---- everything that can happen -------------------------------------------------------------------

READS = {"read": False, "load": True, "add": True}
WRITES = {"write": False, "copy": False, "store": True, "add": True}


class State:
    """Positions, locals, memory, locks. Immutable as a key; copied for each step."""

    __slots__ = ("at", "local", "memory", "owner", "readers", "waiting", "woken", "count", "sent", "ended", "alive")

    def copy(self):
        new = State()
        for name in self.__slots__:
            value = getattr(self, name)
            setattr(new, name, dict(value) if isinstance(value, dict) else
                    list(value) if isinstance(value, list) else
                    set(value) if isinstance(value, set) else value)
        return new

    def key(self):
        return (tuple(self.at), tuple(self.local), tuple(sorted(self.memory.items())),
                tuple(sorted(self.owner.items())), tuple(sorted(self.readers)),
                tuple(sorted(self.waiting)), tuple(sorted(self.woken)), self.count, self.sent,
                tuple(sorted(self.ended)), tuple(sorted(self.alive)))


class TooMany(Exception):
    pass


class Explorer:
    def __init__(self, code, limit=60000):
        self.code = code
        self.limit = limit
        self.races, self.cycles, self.stuck, self.over = set(), set(), set(), set()
        self.states = 0

    def run(self):
        s = State()
        n = len(self.code)
        s.at, s.local = [0] * n, [0] * n
        s.memory, s.owner, s.count, s.sent = {}, {}, 0, 0
        s.readers, s.waiting, s.woken, s.ended, s.alive = set(), set(), set(), set(), {MAIN}
        self.settle(s, MAIN)
        seen, todo = {s.key()}, [s]
        while todo:
            s = todo.pop()
            self.states += 1
            if self.states > self.limit:
                raise TooMany()
            self.look(s)
            for t in sorted(s.alive):
                for after in self.steps(s, t):
                    key = after.key()
                    if key not in seen:
                        seen.add(key)
                        todo.append(after)
        return self

    def next(self, s, t):
        return self.code[t][s.at[t]] if s.at[t] < len(self.code[t]) else None

    def settle(self, s, t):
        """Does the steps that no other thread notices."""
        while (op := self.next(s, t)) and op[0] in ("unless", "goto"):
            s.at[t] = op[1] if op[0] == "goto" else (op[2] if s.local[t] != op[1] else s.at[t] + 1)

    def blocked_by(self, s, t):
        """None if the thread can continue; otherwise the threads that hold what it waits for (maybe none)."""
        op = self.next(s, t)
        if op is None:
            return None
        if op[0] in ("lock", "rlock"):
            held = {s.owner[op[1]]} if op[1] in s.owner else set()
            if op[0] == "lock" and op[1] == "rw":
                held |= set(s.readers)
            return held or None
        if op[0] == "woken":
            if "m0" in s.owner:
                return {s.owner["m0"]}
            return None if t in s.woken else set()
        if op[0] == "join":
            u = op[1]
            return None if self.next(s, u) is None else {u}
        if op[0] == "down":
            return None if s.count else set()
        if op[0] == "receive":
            return None if s.sent else set()
        return None

    def steps(self, s, t):
        op = self.next(s, t)
        if op is None or self.blocked_by(s, t) is not None:
            return
        if op[0] == "signal" and s.waiting:
            for u in sorted(s.waiting):
                new = s.copy()
                new.waiting.discard(u)
                new.woken.add(u)
                yield self.moved(new, t)
            return
        new = s.copy()
        if op[0] in ("timedlock", "trylock"):
            free = op[1] not in s.owner
            if not free or op[0] == "timedlock":  # a time-out may always come
                missed = s.copy()
                missed.at[t] = op[2]
                self.settle(missed, t)
                yield missed
            if not free:
                return
            new.owner[op[1]] = t
        else:
            getattr(self, "step_" + op[0])(new, t, op)
        yield self.moved(new, t)

    def moved(self, s, t):
        s.at[t] += 1
        self.settle(s, t)
        return s

    def step_read(self, s, t, op):
        s.local[t] = s.memory.get(op[1], 0)

    step_load = step_read

    def step_write(self, s, t, op):
        s.memory[op[1]] = op[2]

    step_store = step_write

    def step_copy(self, s, t, op):
        s.memory[op[1]] = (s.local[t] + op[2]) & 3

    def step_add(self, s, t, op):
        old = s.memory.get(op[1], 0)
        s.local[t] = old & 7
        s.memory[op[1]] = old + op[2]

    def step_lock(self, s, t, op):
        s.owner[op[1]] = t

    def step_unlock(self, s, t, op):
        s.owner.pop(op[1], None)

    def step_rlock(self, s, t, op):
        s.readers.add(t)

    def step_runlock(self, s, t, op):
        s.readers.discard(t)

    def step_wait(self, s, t, op):
        s.owner.pop(op[2], None)
        s.waiting.add(t)

    def step_woken(self, s, t, op):
        s.woken.discard(t)
        s.owner[op[2]] = t

    def step_signal(self, s, t, op):
        pass

    def step_broadcast(self, s, t, op):
        s.woken |= s.waiting
        s.waiting = set()

    def step_post(self, s, t, op):
        s.count += 1

    def step_down(self, s, t, op):
        s.count -= 1

    def step_send(self, s, t, op):
        s.sent += 1

    def step_receive(self, s, t, op):
        s.sent -= 1

    def step_use(self, s, t, op):
        pass

    def step_end(self, s, t, op):
        s.ended.add((op[1], t, op[-1]))

    def step_create(self, s, t, op):
        s.alive.add(op[1])
        self.settle(s, op[1])

    def step_join(self, s, t, op):
        pass

    # -- what is wrong in a state

    def look(self, s):
        heads = [(t, self.next(s, t)) for t in sorted(s.alive)]
        heads = [(t, op) for t, op in heads if op is not None]
        for i, (t, a) in enumerate(heads):
            for u, b in heads[i + 1:]:
                if self.conflict(a, b):
                    self.races.add(tuple(sorted((a[-1], b[-1]))))
                if "end" in (a[0], b[0]) and self.lives(a) == self.lives(b) is not None:
                    self.over.add(tuple(sorted((a[-1], b[-1]))))
            for what, u, line in s.ended:
                if self.lives(a) != what:
                    continue
                if u != t:
                    self.over.add(tuple(sorted((line, a[-1]))))
                if what == "file":  # the system says so at once
                    self.over.add((a[-1],))
        blocked = {t: by for t, op in heads if (by := self.blocked_by(s, t)) is not None}
        found = self.find_cycles(s, blocked)
        self.cycles |= found
        if blocked and not found and len(blocked) == len(heads) and MAIN in blocked:
            self.stuck.add(tuple(sorted(self.next(s, t)[-1] for t in blocked)))

    @staticmethod
    def lives(op):
        """What it ends or uses, if that has a lifetime."""
        return op[1] if op[0] in ("end", "use") or op[1] == "block" else None

    @staticmethod
    def conflict(a, b):
        ka, kb = a[0], b[0]
        if not (ka in READS or ka in WRITES) or not (kb in READS or kb in WRITES) or a[1] != b[1]:
            return False
        if ka not in WRITES and kb not in WRITES:
            return False
        return not (READS.get(ka, WRITES.get(ka)) and READS.get(kb, WRITES.get(kb)))

    def find_cycles(self, s, blocked):
        found = set()

        def walk(path):
            for u in blocked.get(path[-1], ()):
                if u == path[0]:
                    found.add(tuple(sorted(self.next(s, t)[-1] for t in path)))
                elif u > path[0] and u not in path:
                    walk(path + [u])

        for t in blocked:
            walk([t])
        return found
