"""Random C programs for `fuzz`: a tree of statements that prints itself and can be shrunk.

What a program does is bounded by construction: loops have constant trip counts, calls go to
functions made before, indices are masked, and a pointer into the middle of an array has a budget
of steps (`slack`) that every loop around an advance uses up. `Function.cost` is an upper bound of
the statements that a call runs.
"""

import random

INTS = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"]
FLOATS = ["f32", "f64"]
LENGTH = 512  # of the arrays that pointers walk through, from the middle
SLACK = 180  # steps a pointer may go from there; a callee gets CALLEE of them
CALLEE = 40
MAX_COST = 20000


class Text:
    """A statement on one line."""

    def __init__(self, text):
        self.text = text

    def lines(self, depth):
        return ["\t" * depth + self.text]

    def bodies(self):
        return []


class Nest:
    """Lines with statement lists between them."""

    def __init__(self, *parts):
        self.parts = list(parts)

    def lines(self, depth):
        out = []
        for part in self.parts:
            if isinstance(part, str):
                if part:
                    out.append("\t" * depth + part)
            else:
                for s in part:
                    out += s.lines(depth + 1)
        return out

    def bodies(self):
        return [p for p in self.parts if not isinstance(p, str)]


class Struct:
    def __init__(self, rnd, number, inner, without):
        self.name = "struct s%d" % number
        self.packed = rnd.random() < 0.2
        self.fields = []  # (name, type or Struct, array length or 0)
        self.bits = []  # (name, first bit, width): only in structs made of them
        text = []
        if inner is None and rnd.random() < 0.35 and "bits" not in without:
            self.packed = False
            at, unit = 0, rnd.choice([8, 16, 32, 64])
            kind = {8: "u8", 16: "u16", 32: "u32", 64: "u64"}[unit]
            for k in range(rnd.randint(2, 6)):
                width = rnd.randint(1, unit)
                if at % unit + width > unit:
                    at += unit - at % unit
                self.bits.append(("b%d" % k, at, width))
                text.append("%s b%d : %d;" % (kind, k, width))
                at += width
            if at > 200:
                self.bits = [b for b in self.bits if b[1] + b[2] <= 200]
        else:
            for k in range(rnd.randint(2, 6)):
                length = rnd.choice([0, 0, 0, 2, 4, 8])
                if inner and not self.packed and rnd.random() < 0.3:
                    self.fields.append(("f%d" % k, inner, length))
                    text.append("%s f%d%s;" % (inner.name, k, "[%d]" % length if length else ""))
                else:
                    t = rnd.choice(INTS + INTS + FLOATS + ["s128"])
                    self.fields.append(("f%d" % k, t, length))
                    text.append("%s f%d%s;" % (t, k, "[%d]" % length if length else ""))
            text.append("%s *next;" % self.name)
        self.text = "%s {\n\t%s\n}%s;" % (
            self.name, "\n\t".join(text), " __attribute__((packed))" if self.packed else "")


class Pointer:
    def __init__(self, name, kind, slack, loops):
        self.name, self.kind, self.slack, self.loops = name, kind, slack, loops
        self.spent = 0


class Function:
    """One function under construction. `loops` holds the trip counts around the current point."""

    def __init__(self, program, name, kind):
        self.p, self.rnd, self.name, self.kind = program, program.rnd, name, kind
        self.pointers, self.counters, self.loops = [], [], []
        self.locals, self.labels = [], 0
        self.kept = []  # numbers that are kept and used as indices: (name, type)
        self.cost = 1
        self.arrays = []  # escaped locals: (name, type, length)
        self.private = program.threads == 1

    def times(self, loops=None):
        n = 1
        for trip in self.loops if loops is None else loops:
            n *= trip
        return n

    def new(self, declaration):
        name = "v%d" % len(self.locals)
        self.locals.append(declaration % name)
        return name

    # ---- places ----------------------------------------------------------------------------

    def few(self):
        """A small index of either sign, for pointers that have neighbours."""
        if self.kept and self.rnd.random() < 0.5:
            return "(s32)(%s & 3) - 1" % self.rnd.choice(self.kept)[0]
        return "%d" % self.rnd.randint(-2, 2)

    def keep(self):
        """Perhaps gives a kept number another value: one that was just read, or its successor. It stays below 256."""
        rnd = self.rnd
        if len(self.kept) < 3 and (not self.kept or rnd.random() < 0.5):
            kind = rnd.choice(["u8", "u8", "s8", "u16", "u32", "s32", "u64", "s64"])
            self.kept.append((self.new(kind + " %s = 0;"), kind))
        name, kind = rnd.choice(self.kept)
        if kind in ("u8", "s8") and rnd.random() < 0.5:
            text = rnd.choice(["%s++;", "%s--;", "%s += 100;"]) % name
        else:
            value, of = self.read()
            if of in FLOATS + ["f80"]:
                value = "(%s > 3)" % value
            text = "%s = %s & %d;" % (name, value, 127 if kind == "s8" else 255)
        if rnd.random() < 0.3:
            return Nest("if (%s)" % self.condition(), [Text(text)])
        return Text(text)

    def index(self, length):
        r = self.rnd.random()
        if length == LENGTH and self.kept and self.rnd.random() < 0.5:
            name, kind = self.rnd.choice(self.kept)
            if kind == "s8":
                return "%s + %s" % (name, self.rnd.choice(["256", "128", "300"]))
            return self.rnd.choice(["%s", "%s", "%s + 1", "%s + 200", "(u8)(%s + 1)", "(u8)(%s - 1)", "511 - %s"]) % name
        if length == LENGTH and r < 0.5:  # a narrow number that runs over, or has a sign
            of = "%s + %d" % (self.rnd.choice(self.counters + ["acc"]), self.rnd.choice([0, 1, 1, 2, 100, 250]))
            return self.rnd.choice(["(u8)(%s)", "(u8)(%s)", "256 + (s8)(%s)", "(u16)(%s) & 511", "(u32)(%s) & 511"]) % of
        if r < 0.4:
            return str(self.rnd.randrange(length))
        if r < 0.8 and self.counters:
            i = self.rnd.choice(self.counters)
            plus = self.rnd.choice(["", "", " + 1", " * 3", " + 7"])
            return "(%s%s) & %d" % (i, plus, length - 1)
        return "acc & %d" % (length - 1)

    def descend(self, text, kind):
        """From a struct to a scalar in it: (lvalue, type, packed, bits)."""
        packed = False
        while isinstance(kind, Struct):
            packed = packed or kind.packed
            if kind.bits:
                return text, kind, packed, self.rnd.choice(kind.bits)
            name, inner, length = self.rnd.choice(kind.fields)
            text += "." + name
            if length:
                text += "[%s]" % self.index(length)
            kind = inner
        return text, kind, packed, None

    def struct_place(self, kinds=None):
        """An lvalue of struct type: (text, Struct)."""
        options = [g for g in self.p.globals if isinstance(g[1], Struct)]
        if kinds:
            options = [g for g in options if g[1] is kinds]
        near = [p for p in self.pointers if isinstance(p.kind, Struct) and (not kinds or p.kind is kinds)]
        if near and (not options or self.rnd.random() < 0.5):
            p = self.rnd.choice(near)
            return "%s[%s]" % (p.name, self.few()), p.kind
        if not options:
            return None
        name, kind, length = self.rnd.choice(options)
        return (name + "[%s]" % self.index(length) if length else name), kind

    def place(self):
        """A scalar lvalue: (text, type, packed, bits)."""
        rnd = self.rnd
        if self.pointers and rnd.random() < 0.55:
            p = rnd.choice(self.pointers[-3:])
            at = rnd.choice(["0", "0", self.few()])
            if isinstance(p.kind, Struct):
                text = "(*%s)" % p.name if at == "0" else "%s[%s]" % (p.name, at)
                return self.descend(text, p.kind)
            text = "*%s" % p.name if at == "0" else "%s[%s]" % (p.name, at)
            return text, p.kind, False, None
        if self.arrays and rnd.random() < 0.3:
            name, kind, length = rnd.choice(self.arrays)
            return "%s[%s]" % (name, self.index(length)), kind, False, None
        if rnd.random() < 0.1:
            name, kind = self.p.table
            return "%s[%s][%s]" % (name, self.index(16), self.index(32)), kind, False, None
        name, kind, length = rnd.choice(self.p.globals)
        text = name + "[%s]" % self.index(length) if length else name
        return self.descend(text, kind)

    def read(self):
        """An expression that reads once, and the type it has."""
        text, kind, packed, bits = self.place()
        if bits:
            return "RD_BITS(%s, %s, %d, %d)" % ((text,) + bits), "u64"
        if kind in self.p.atomics:
            return "ATOMIC_RD(%s)" % text, kind
        return "RD%s(%s)" % ("_PACKED" if packed else "", text), kind

    def write(self, value):
        text, kind, packed, bits = self.place()
        if bits:
            return "WR_BITS(%s, %s, %d, %d, %s);" % ((text,) + bits + (value,))
        return "WR%s(%s, %s);" % ("_PACKED" if packed else "", text, value)

    # ---- expressions -----------------------------------------------------------------------

    def constant(self):
        return str(self.rnd.choice([0, 0, 1, 1, 2, 3, 7, 255, 256, 65535, -1, -2, 0x7fffffff,
                                    "0x80000000u", "0x123456789abcdefull"]))

    def value(self):
        r = self.rnd.random()
        if r < 0.3:
            return self.constant()
        if r < 0.5 and self.counters:
            return "%s * %d + 1" % (self.rnd.choice(self.counters), self.rnd.randint(1, 5))
        return self.rnd.choice(["acc & 0xfff", "acc", "acc >> 3"]) if r < 0.9 else "me"

    def condition(self):
        r = self.rnd.random()
        if r < 0.35:
            return "(acc & %d) %s 0" % (self.rnd.choice([1, 3, 7]), self.rnd.choice(["==", "!="]))
        if r < 0.5 and self.counters:
            return "%s %s %d" % (self.rnd.choice(self.counters), self.rnd.choice(["==", "<", ">"]),
                                 self.rnd.randint(0, 6))
        text, kind = self.read()
        test = "%s %s %s" % (text, self.rnd.choice(["<", ">", "=="]), self.rnd.choice(["3", "0", "100"]))
        if r > 0.85:
            other, _ = self.read()
            test = "(%s) %s (%s > 1)" % (test, self.rnd.choice(["&&", "||"]), other)
        return test

    # ---- statements ------------------------------------------------------------------------

    def access(self):
        rnd, r = self.rnd, self.rnd.random()
        if r < 0.3:
            return Text("(void)%s;" % self.read()[0])
        if r < 0.5:
            return Text(self.write(self.value()))
        text, kind = self.read()
        plus = rnd.choice(["t", "t", "t + 1", "t + 3", "t - 1", "-t", "t * 3", "t + 1000000"])
        typed = rnd.choice([kind, kind, kind, "u64", "s32", "u8", "s16"])
        if kind in FLOATS + ["f80"]:  # to an integer type only what is defined
            typed, plus = kind, "t > 3"
        if rnd.random() < 0.25:  # the same place: x += c
            place = self.place()
            if not place[3]:
                suffix = "_PACKED" if place[2] else ""
                if place[1] in FLOATS:
                    plus = "t + 1"
                typed = place[1]
                return Nest("{ %s t = RD%s(%s);" % (typed, suffix, place[0]),
                            "  WR%s(%s, %s); }" % (suffix, place[0], plus))
        return Nest("{ %s t = %s;" % (typed, text), "  " + self.write(plus) + " }")

    def ranges(self):
        """Copies and fills of memory that only this thread accesses."""
        rnd = self.rnd
        found = self.struct_place() if self.private else None
        if found and rnd.random() < 0.5:
            other = self.struct_place(found[1])
            if other[0] != found[0]:
                return Nest("{ %s *to = &(%s), *from = &(%s);" % (found[1].name, found[0], other[0]),
                            "  if (to != from) ASSIGN(*to, *from); }")
        if not self.private:
            return self.access()
        name, _, _ = rnd.choice(self.p.walked)  # of at least LENGTH bytes
        n = rnd.choice([str(rnd.choice([1, 2, 4, 8, 16, 3, 5, 24, 40, 64])), "(1 + (acc & 31))",
                        "(2 + (acc & 7)) * 8"])
        if rnd.random() < 0.3:
            return Text("FILL((u8 *)%s + %d, %s, %s);" % (name, rnd.randrange(100), rnd.choice("01"), n))
        if rnd.random() < 0.5:
            return Text("COPY(memcpy, (u8 *)%s + %d, (u8 *)%s + %d, %s);" % (
                name, rnd.randrange(180), name, 270 + rnd.randrange(150), n))
        to, off = rnd.sample(range(20), 2)  # not the same: the compiler would leave it out
        return Text("COPY(memmove, (u8 *)%s + %d, (u8 *)%s + %d, %s);" % (name, to, name, off, n))

    def atomic(self):
        name = self.rnd.choice(self.p.atomic_names)
        return Text(self.rnd.choice(["(void)ATOMIC_RD(%s);", "ATOMIC_WR(%s, acc);", "ATOMIC_ADD(%s, 3);",
                                     "ATOMIC_SWAP(%s, acc);"]) % name)

    def advance(self):
        """Moves a pointer, if its budget allows."""
        for p in self.rnd.sample(self.pointers, len(self.pointers)):
            step = self.rnd.choice([1, 1, 1, 2, 3, -1, -2])
            need = abs(step) * self.times(self.loops[p.loops:])
            if p.spent + need <= p.slack:
                p.spent += need
                text = {1: "%s++;", -1: "%s--;"}.get(step, "%%s += %d;" % step) % p.name
                if self.rnd.random() < 0.3:
                    return Nest("if (%s)" % self.condition(), [Text(text)])
                return Text(text)
        return self.access()

    def trip(self):
        return self.rnd.choice([1, 2, 3, 3, 4, 5, 8])

    def loop(self, depth):
        rnd, n = self.rnd, self.trip()
        if self.times() * n > 200:
            return self.access()
        i = self.new("u32 %s = 0;")
        self.loops.append(n)
        self.counters.append(i)
        body = self.block(depth + 1)
        if rnd.random() < 0.25:
            body.insert(rnd.randrange(len(body) + 1),
                        Nest("if (%s)" % self.condition(), [Text(rnd.choice(["break;", "continue;"]))]))
        self.counters.pop()
        self.loops.pop()
        return rnd.choice([
            lambda: Nest("for (%s = 0; %s < %d; %s++) {" % (i, i, n, i), body, "}"),
            lambda: Nest("for (%s = %d; %s-- > 0;) {" % (i, n, i), body, "}"),
            lambda: Nest("%s = 0;" % i, "while (%s++ < %d) {" % (i, n), body, "}"),
            lambda: Nest("%s = 0;" % i, "do {", body, "} while (++%s < %d);" % (i, n)),
        ])()

    def walk(self, depth):
        """Moves a pointer through an array."""
        rnd, n = self.rnd, self.trip()
        if self.times() * n > 200 or len(self.pointers) > 4:
            return self.access()
        name, kind, _ = rnd.choice(self.p.walked)
        spelled = self.p.spell(kind)
        v = self.new(spelled + " *%%s = &%s[%d];" % (name, LENGTH // 2))
        start = "%s = &%s[%s];" % (v, name, rnd.choice(["%d" % (LENGTH // 2), "%d + (acc & 7)" % (LENGTH // 2)]))
        p = Pointer(v, kind, SLACK, len(self.loops))
        self.pointers.append(p)
        shape = rnd.randrange(4)
        if shape == 3 and (rnd.random() < 0.5 or isinstance(kind, Struct) and kind.bits):
            shape = 0
        if shape == 0:  # a counted loop, the pointer on its own
            i = self.new("u32 %s = 0;")
            self.loops.append(n)
            self.counters.append(i)
            p.spent += n * 3
            body = self.block(depth + 1) + [Text("%s += %d;" % (v, rnd.choice([1, 1, 2, 3, -1])))]
            self.counters.pop()
            out = Nest(start, "for (%s = 0; %s < %d; %s++) {" % (i, i, n, i), body, "}")
        elif shape == 1:  # up to an end that stays
            end = self.new(spelled + " *%s = 0;")
            step = rnd.choice([1, 2])
            self.loops.append(n)
            p.spent = p.slack  # it must meet the end
            body = self.block(depth + 1)
            out = Nest(start, "%s = %s + %d;" % (end, v, n * step),
                       "for (; %s != %s; %s += %d) {" % (v, end, v, step), body, "}")
            p.spent = n * step
        elif shape == 2:  # downwards
            end = self.new(spelled + " *%s = 0;")
            self.loops.append(n)
            p.spent = p.slack
            body = self.block(depth + 1)
            out = Nest(start, "%s = %s - %d;" % (end, v, n), "while (--%s > %s) {" % (v, end), body, "}")
            p.spent = n
        else:  # a chain: p = p->next
            if not isinstance(kind, Struct):
                self.pointers.pop()
                return self.access()
            i = self.new("u32 %s = 0;")
            suffix = "_PACKED" if kind.packed else ""
            self.loops.append(n)
            p.spent = p.slack
            link = [Text("WR%s((*%s).next, &%s[%d + ((%s * %d) & 31)]);" % (
                suffix, v, name, LENGTH // 2, i, rnd.choice([1, 5, 7])))]
            body = self.block(depth + 1) + link + [Text("%s = RD%s((*%s).next);" % (v, suffix, v))]
            out = Nest(start, "for (%s = 0; %s < %d; %s++) {" % (i, i, n, i), body, "}")
            # `continue` would go past the link, which is harmless: the pointer stays.
            p.slack = 0
        self.loops.pop()
        self.pointers.remove(p)
        if rnd.random() < 0.5 and shape == 0 and not self.loops:
            self.pointers.append(p)  # still good after the loop
        return out

    def branch(self, depth):
        rnd, r = self.rnd, self.rnd.random()
        test = self.condition()
        if r < 0.5:
            return Nest("if (%s) {" % test, self.block(depth + 1), "}")
        if r < 0.8:
            return Nest("if (%s) {" % test, self.block(depth + 1), "} else {", self.block(depth + 1), "}")
        parts = ["switch (acc & %d) {" % rnd.choice([3, 7])]
        for k in range(rnd.randint(2, 6)):
            parts += ["case %d:" % k, self.block(depth + 2) + ([Text("break;")] if rnd.random() < 0.7 else [])]
        parts += ["default:", self.block(depth + 2), "}"]
        return Nest(*parts)

    def jump(self, depth):
        """Gotos: out of a loop, back to a label, and into the middle of a loop."""
        rnd, n = self.rnd, self.rnd.randint(2, 4)
        if self.times() * n > 200:
            return self.access()
        c = self.new("u32 %s = 0;")
        label = "l%d_%s" % (self.labels, self.name)
        self.labels += 1
        shape = rnd.randrange(3)
        if shape == 0:
            return Nest("if (%s)" % self.condition(), [Text("goto %s;" % label)], "{",
                        self.block(depth + 1), "}", "%s:;" % label)
        self.loops.append(n)
        first, second = self.block(depth + 1), self.block(depth + 1)
        self.loops.pop()
        if shape == 1:
            return Nest("%s = 0;" % c, "%s:;" % label, first, "if (++%s < %d)" % (c, n),
                        [Text("goto %s;" % label)])
        return Nest("%s = 0;" % c, "if (%s)" % self.condition(), [Text("goto %s;" % label)],
                    "while (%s++ < %d) {" % (c, n), first, "%s:;" % label, second, "}")

    def call(self):
        rnd = self.rnd
        options = [f for f in self.p.functions if f.cost * self.times() < MAX_COST / 4]
        if not options or rnd.random() < 0.15:
            return Text("acc = log_outside(acc);")
        f = rnd.choice(options)
        self.cost += f.cost * self.times()
        near = [p for p in self.pointers if p.kind is f.kind and p.spent + CALLEE < p.slack]
        if near and rnd.random() < 0.7:
            at = "%s + %d" % (rnd.choice(near).name, rnd.choice([0, 0, 1, -1]))
        else:
            same = [g for g in self.p.walked if g[1] is f.kind]
            at = "&%s[%d]" % (rnd.choice(same)[0], LENGTH // 2 + rnd.randint(-20, 20))
        r = rnd.random()
        if r < 0.6:
            return Text("acc = %s(acc, me, %s);" % (f.name, at))
        if r < 0.75:
            return Text("acc = log_call_back(%s, acc, me, %s);" % (f.name, at))
        same = [g for g in options if g.kind is f.kind]
        other = rnd.choice(same)
        self.cost += other.cost * self.times()
        return Text("acc = (acc & 1 ? %s : %s)(acc, me, %s);" % (f.name, other.name, at))

    def statement(self, depth):
        r = self.rnd.random()
        self.cost += self.times()
        if depth < 4 and self.cost < MAX_COST:
            if r < 0.12:
                return self.loop(depth)
            if r < 0.26:
                return self.walk(depth)
            if r < 0.36:
                return self.branch(depth)
            if r < 0.40:
                return self.jump(depth)
            if r < 0.46:
                return self.call()
        if r < 0.52 and self.pointers:
            return self.advance()
        if r < 0.56 and "ranges" not in self.p.without:
            return self.ranges()
        if r < 0.59 and "atomics" not in self.p.without:
            return self.atomic()
        if r < 0.66:
            return self.keep()
        return self.access()

    def block(self, depth):
        return [self.statement(depth) for _ in range(self.rnd.randint(1, 4 if depth else 7))]

    def lines(self):
        return self.head + self.body.lines(0)

    def bodies(self):
        return []

    def finish(self):
        rnd = self.rnd
        recursive = rnd.random() < 0.15 and self.cost * 8 < MAX_COST
        self.pointers.append(Pointer("p", self.kind, CALLEE // 8 if recursive else CALLEE, 0))
        own = []
        if self.p.locals_escape and rnd.random() < 0.3:
            kind = rnd.choice(INTS)
            self.arrays.append(("own", kind, 8))
            own = ["\t%s own[8];" % kind, "\tLIFE(own);", "\tFILL(own, 0, sizeof(own));"]
        body = self.block(0)
        if rnd.random() < 0.3:
            body.insert(rnd.randrange(len(body)), Nest("if (%s)" % self.condition(), [Text("return acc;")]))
        if recursive:
            body.insert(rnd.randrange(len(body) + 1), Nest(
                "if (me >> 8 < %d)" % rnd.randint(1, 5),
                [Text("%s%s(acc, me + 256, p + 1)%s" % (
                    ("return ", self.name, ";") if rnd.random() < 0.3 else ("acc = ", self.name, ";")))]))
            self.cost *= 8
        how = rnd.choice(["static", "static inline", "static __attribute__((noinline))",
                          "static inline __attribute__((always_inline))" if not recursive else "static", ""])
        proto = "u64 %s(u64 acc, u32 me, void *pointer)" % self.name
        self.proto = (how + " " + proto).strip() + ";"
        spelled = self.p.spell(self.kind)
        self.body = Nest((how + " " + proto).strip(), "{", *(
            ["\t%s *p = pointer;" % spelled, [Text(l) for l in self.locals]] + own +
            ["\t(void)p, (void)me;", body, "\treturn acc;", "}"]))
        self.head = [""]


class Program:
    def __init__(self, seed, threads, locals_escape, without=()):
        self.rnd = rnd = random.Random(seed)
        self.without = without
        self.threads, self.locals_escape = threads, locals_escape
        self.structs = []
        for k in range(rnd.randint(2, 4)):
            plain = [s for s in self.structs if not s.bits]
            self.structs.append(Struct(rnd, k, rnd.choice(plain) if plain and rnd.random() < 0.5 else None, without))
        self.atomics, self.atomic_names = [], []
        self.globals, self.walked, self.declared = [], [], []
        for k in range(rnd.randint(3, 8)):
            kind = rnd.choice(INTS + FLOATS + self.structs + ["s128"] + ([] if "f80" in without else ["f80"]) + ["_Bool"])
            self.add("g%d" % k, kind, rnd.choice([0, 0, 4, 16]))
        for k in range(rnd.randint(2, 4)):
            kind = rnd.choice(INTS + FLOATS) if k == 0 else rnd.choice(INTS + self.structs + self.structs)
            self.add("w%d" % k, kind, LENGTH, walked=True)
        for k in range(2):
            kind = rnd.choice(["u32", "u64", "u16", "u8"])
            self.declared.append("%s a%d OBJECT;" % (kind, k))
            self.atomic_names.append("a%d" % k)
        self.table = ("m0", rnd.choice(INTS))
        self.declared.append("%s m0[16][32] OBJECT;" % self.table[1])
        self.functions = []
        for k in range(rnd.randint(1, 5)):
            f = Function(self, "f%d" % k, rnd.choice(self.walked)[1])
            f.finish()
            self.functions.append(f)
        main = Function(self, "start", self.walked[0][1])
        main.finish()
        self.main = main
        self.all = self.functions + [main]

    def add(self, name, kind, length, walked=False):
        static = self.rnd.choice(["static ", ""])
        self.declared.append("%s%s %s%s OBJECT;" % (static, self.spell(kind), name,
                                                    "[%d]" % length if length else ""))
        row = (name, kind, length)
        if walked:
            self.walked.append(row)
        if length <= 16 or self.rnd.random() < 0.5:
            self.globals.append((name, kind, length))

    @staticmethod
    def spell(kind):
        return kind.name if isinstance(kind, Struct) else kind

    def text(self):
        out = ['#include "log.h"', "", '#define OBJECT __attribute__((section("objects"), used))',
               "const u32 program_threads = %d;" % self.threads, ""]
        for s in self.structs:
            out += s.text.split("\n")
        out += self.declared + [""] + [f.proto for f in self.all]
        for f in self.all:
            out += f.lines()
        first = self.walked[0][0]
        out += ["", "u64 program(u64 acc, u32 me)", "{",
                "\treturn start(acc, me, &%s[%d]);" % (first, LENGTH // 2), "}", ""]
        return "\n".join(out)

    # ---- shrinking -------------------------------------------------------------------------

    def lists(self):
        """Every statement list, outermost first."""
        found, todo = [], [f.body for f in self.all]
        while todo:
            node = todo.pop(0)
            for body in node.bodies():
                found.append(body)
                todo += body
        return found

    def shrink(self, still_fails):
        """Drops what the failure does not need; also replaces nests by their contents."""
        changed = True
        while changed:
            changed = False
            for body in [self.all] + self.lists() + [self.declared, self.structs]:
                size = len(body)
                while size:
                    at = 0
                    while at < len(body):
                        kept = body[at:at + size]
                        body[at:at + size] = []
                        if still_fails(self):
                            changed = True
                        else:
                            body[at:at] = kept
                            at += size
                    size //= 2
                for node in list(body) if body and hasattr(body[0], "bodies") else []:
                    inside = [s for b in node.bodies() for s in b]
                    if inside and node in body:
                        k = body.index(node)
                        body[k:k + 1] = inside
                        if still_fails(self):
                            changed = True
                        else:
                            body[k:k + len(inside)] = [node]
