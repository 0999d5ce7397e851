"""Random programs for `added`: one thread, with many reads and writes under a condition.

C, or C++ with references. Scalars, fields, elements, bit-fields and copies; by name, and through pointers and references,
which may be null if they are tested first; in small functions that interprocedural passes like to change; under `if`, `?:`,
`&&`, `||`, `switch`, loops and early returns. Calls of `mark()` divide a run into intervals. Numbers are unsigned, loops
short, indices masked: what a program does is the same at each level.
"""

import random

from generate import Nest, Program as Generated, Text

SCALARS = {"g0": "u32", "g1": "u32", "g2": "u32", "g3": "u32", "g4": "u8", "g5": "u16", "g6": "u64", "g7": "f64",
           "t0": "u32", "t1": "u32", "t2": "u8"}
FIELDS = ["a", "a2", "b", "c", "d", "f", "m", "n"]
HEAD = """#include <stdint.h>
#include <string.h>
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef double f64;
struct s {
	u32 a, a2;
	u8 b, b2;
	u16 c;
	u16 m : 5, n : 11;
	u16 c2;
	u64 d;
	f64 f;
	u32 e[4];
	struct s *next;
};
struct pair {
	u32 x, y;
};
#ifdef __cplusplus
extern "C"
#endif
void mark(void);
extern volatile u32 in[16];
"""
OBJECTS = ["%s%s %s = %d;" % ("static " if n[0] == "t" else "", t, n, k)
           for k, (n, t) in enumerate(SCALARS.items())] + [
    "u32 w0[8] = {1, 2, 3, 0, 5}, w1[8] = {3, 2, 1};", "u8 y0[16] = {1, 2}, y1[16] = {3};",
    "struct s s2 = {7, 8, 9, 1, 2, 3, 4, 5, 6, 1.5, {1, 2, 3, 4}, 0}, s1 = {1, 2, 3, 1, 2, 3, 4, 5, 6, 2.5, {4, 3, 2, 1}, &s2};",
    "static struct s s0 = {0, 2, 3, 1, 2, 3, 4, 5, 6, 2.5, {4, 3, 2, 1}, &s1};", "struct s *q0 = &s1, *q1 = &s2, *q2;",
    "u32 *i0 = &g0, *i1 = &w0[2], *i2;", "struct pair r0 = {1, 2}, r1 = {3, 4};"]
MAX_COST = 3000


class Function:
    def __init__(self, program, k):
        self.p, self.rnd, self.name = program, program.rnd, "f%d" % k
        self.trips, self.cost, self.depth = 1, 1, 0
        self.numbers, self.pointers = ["x", "y", "acc"], ["q"]
        self.structs = ["p"]
        self.count = 0
        rnd = self.rnd
        how = rnd.choice(["static", "static", "static __attribute__((noinline))", "static __attribute__((noinline))",
                          "static inline", "", "__attribute__((noinline))"])
        self.by_reference = program.cpp and rnd.random() < 0.6
        self.kind = rnd.choice(["u32", "u32", "u8", "u64"])
        more = ", %s%s &ref" % (rnd.choice(["", "const "]), self.kind) if self.by_reference else ""
        self.writes_reference = more and "const" not in more
        pointer = rnd.choice(["struct s *p", "struct s *p", "const struct s *p", "struct s *__restrict p"])
        self.const = "const" in pointer
        self.may_be_null = rnd.random() < 0.6
        self.proto = "%s u32 %s(u32 x, u32 y, %s, u32 *q%s)" % (how, self.name, pointer, more)
        body = self.block()
        self.body = Nest(self.proto, "{", "\tu32 acc = x;", body, "\treturn acc;", "}")
        self.head = [""]

    def lines(self):
        return self.head + self.body.lines(0)

    def bodies(self):
        return []

    def new(self, letter):
        self.count += 1
        return "%s%d" % (letter, self.count)

    # ---- places and values ------------------------------------------------------------------

    def struct(self, to_write=False):
        """(the test that it needs first, or "", and how its fields are reached)"""
        r = self.rnd.random()
        if r < 0.45:
            p = self.rnd.choice(self.structs)
            if not (to_write and self.const and p == "p"):
                return ("" if p == "p" and not self.may_be_null else p), p + "->"
        if r < 0.6:
            q = self.rnd.choice(["q0", "q1", "q2"])
            return q, q + "->"
        return "", self.rnd.choice(["s0.", "s1.", "s2."])

    def place(self, to_write=False):
        """(test or "", lvalue)"""
        rnd = self.rnd
        r = rnd.random()
        if r < 0.4:
            return "", rnd.choice(list(SCALARS))
        if r < 0.47 and self.by_reference and (self.writes_reference or not to_write):
            return "", "ref"
        if r < 0.75:
            ask, to = self.struct(to_write)
            if rnd.random() < 0.2:
                return ask, "%se[%s & 3]" % (to, self.number())
            return ask, to + rnd.choice(FIELDS)
        if r < 0.85:
            q = rnd.choice(self.pointers + ["i0", "i1", "i2"])
            return q, "*" + q
        if r < 0.9:
            return "", rnd.choice(["r0", "r1"]) + rnd.choice([".x", ".y"])
        name, mask = rnd.choice([("w0", 7), ("w1", 7), ("y0", 15), ("y1", 15)])
        return "", "%s[%s & %d]" % (name, self.number(), mask)

    def number(self):
        """An expression that reads no memory."""
        return self.rnd.choice(self.numbers + [str(self.rnd.randrange(4))])

    def read(self):
        ask, place = self.place()
        place = "(u32)" + place if place[-1] == "f" or place == "g7" else place
        if ask:
            return "(%s ? %s : %s)" % (ask, place, self.value(0))
        return place

    def value(self, deep=1):
        rnd = self.rnd
        r = rnd.random()
        if not deep or r < 0.2:
            return self.number()
        if r < 0.55:
            return self.read()
        if r < 0.75:
            return "(%s ? %s : %s)" % (self.condition(), self.value(deep - 1), self.value(deep - 1))
        if r < 0.8 and self.p.cpp:
            return "%s<u32>(%s, %s)" % (rnd.choice(["lesser", "greater"]), rnd.choice(["g0", "g1", "w0[1]", "s1.a", "x"]),
                                       rnd.choice(["g2", "g3", "w1[1]", "s2.a", "y"]))
        return "(%s %s %s)" % (self.read(), rnd.choice("+-^|&*"), self.value(deep - 1))

    def condition(self, deep=1):
        rnd = self.rnd
        r = rnd.random()
        if deep and r < 0.3:
            return "(%s %s %s)" % (self.condition(0), rnd.choice(["&&", "||"]), self.condition(0))
        if r < 0.6:
            return rnd.choice(["%s & 1", "%s > 1", "%s == 2", "!%s"]) % self.number()
        ask, place = self.place()
        text = rnd.choice(["%s", "!%s", "%s > 2", "%s == y", "%s != 1"]) % place
        return "(%s && %s)" % (ask, text) if ask else text

    # ---- statements -------------------------------------------------------------------------

    def guard(self, ask, statement):
        return Nest("if (%s) {" % ask, [statement], "}") if ask else statement

    def write(self):
        ask, place = self.place(True)
        how = self.rnd.choice(["%s = %s;", "%s = %s;", "%s += %s;", "%s ^= %s;"])
        if place[-1] == "f" or place == "g7":
            how = how.replace("^", "+")
        text = how % (place, self.value())
        if self.rnd.random() < 0.4:
            text = "if (%s) %s" % (self.condition(), text)
        return self.guard(ask, Text(text))

    def choose(self):
        """A pointer or reference to one of two lvalues, perhaps read or written."""
        rnd = self.rnd
        own = self.new("own")
        t = rnd.choice(["u32", "u32", "u8"])
        if t == "u8":
            places = ["g4", "t2", "s0.b", "s1.b2", "y0[%s & 15]" % self.number(), own]
        else:
            places = ["g0", "g1", "t0", "t1", "s0.a", "s1.a2", "s2.e[%s & 3]" % self.number(), "w0[%s & 7]" % self.number(),
                      "r0.x", "r0.y", own, own]
        a, b, c = rnd.choice(places), rnd.choice(places), rnd.choice(places)
        name = self.new("v")
        first = "%s %s = %s;" % (t, own, self.number())
        by_reference = self.p.cpp and rnd.random() < 0.4
        if not by_reference:
            a, b, c = "&" + a, "&" + b, "&" + c
        chosen = rnd.choice(["%s ? %s : %s" % (self.condition(), a, b)] * 2 +
                            ["%s ? %s : %s ? %s : %s" % (self.condition(), a, self.condition(), b, c)])
        use = name if by_reference else "*" + name
        lines = [first, "%s %s%s = %s;" % (t, "&" if by_reference else "*", name, chosen)]
        lines += rnd.choice([["acc += %s;" % use], ["acc ^= %s + 1;" % use], ["%s = acc;" % use],
                             ["if (%s) acc += %s;" % (self.condition(), use)],
                             ["if (%s) %s += acc;" % (self.condition(), use)],
                             ["acc += %s;" % use, "mark();", "acc += %s;" % use],
                             ["if (%s) %s = %s;" % (self.condition(), own, self.number()), "acc += %s ? %s : 3;" % (
                                 self.condition(), use)]])
        return Nest("{", [Text(l) for l in lines], "}")

    def loop(self):
        rnd = self.rnd
        i, most = self.new("k"), rnd.choice([3, 3, 7])
        if self.trips * (most + 1) > 40:
            return self.write()
        self.trips *= most + 1
        self.numbers.append(i)
        r = rnd.random()
        bound = rnd.choice(["(%s & %d)" % (self.number(), most), str(most), "(in[%d] & %d)" % (rnd.randrange(16), most)])
        if r < 0.3:
            a, b = rnd.choice([("w0", "w1"), ("w1", "w0"), ("y0", "y1"), ("y1", "y0")])
            body = [Text(rnd.choice(["{0}[k] = {1}[k];", "{0}[k] = 0;", "if ({1}[k] > 1) {0}[k] = {1}[k];", "acc += {0}[k];",
                                     "if (x & 1) acc += {0}[k];", "{0}[k] = x & 1 ? {1}[k] : 2;", "if ({0}[k] == x) break;",
                                     "{0}[k & 3] += {1}[k] > y ? {1}[k] : g0;", "if (y > k) g1 += {0}[k];"]
                                    ).format(a, b).replace("[k]", "[%s]" % i).replace("> k", "> " + i).replace("k &", i + " &"))]
        else:
            body = self.block(2)
            if rnd.random() < 0.4:
                body.insert(rnd.randrange(len(body) + 1), Text("if (%s) %s;" % (
                    self.condition(), rnd.choice(["break", "continue", "return acc", "break"]))))
        self.numbers.remove(i)
        self.trips //= most + 1
        return Nest("for (u32 %s = 0; %s < %s; %s++) {" % (i, i, bound, i), body, "}")

    def call(self):
        rnd = self.rnd
        ready = [f for f in self.p.functions if self.cost + f.cost * self.trips < MAX_COST]
        if not ready:
            return self.write()
        f = rnd.choice(ready)
        self.cost += f.cost * self.trips
        p = rnd.choice(["&s0", "&s1", "&s2", "q0"] + (["q2"] if f.may_be_null else []) +
                       (["p"] if (f.const or not self.const) and f.may_be_null >= self.may_be_null else []))
        q = rnd.choice(["&g0", "&g1", "&t0", "i0", "i2", "&w0[%s & 7]" % self.number(), "q", "&s1.a"])
        more = ""
        if f.by_reference:
            more = ", " + rnd.choice({"u32": ["g0", "t1", "s0.a", "w1[%s & 7]" % self.number(), "r1.x"],
                                      "u8": ["g4", "t2", "s1.b", "y0[%s & 15]" % self.number()], "u64": ["g6", "s0.d", "s2.d"]}[f.kind])
        text = "acc += %s(%s, %s, %s, %s%s);" % (f.name, self.number(), self.number(), p, q, more)
        if rnd.random() < 0.4:
            text = "if (%s) %s" % (self.condition(), text)
        return Text(text)

    def copy(self):
        ask, to = self.rnd.choice([("", "s0"), ("", "s2"), ("q1", "*q1"), ("", "r0"), ("", "r1")])
        if to[0] == "r":
            v = self.rnd.choice(["r0 = r1;", "{ struct pair v = r1; if (x & 1) v.x = 3; r0 = v; }", "r1 = x & 1 ? r0 : r1;",
                                 "{ struct pair v = r0; acc += y & 1 ? v.x : v.y; }", "if (y & 1) r1 = r0;",
                                 "{ struct pair v = {x, y}; if (x > 1) v = r1; acc += v.x; }"])
            return Text(v)
        v = self.rnd.choice(["%s = s1;" % to, "if (x & 1) %s = s1;" % to, "{ struct s v = %s; acc += x ? v.a : v.c; }" % to,
                             "{ struct s v = %s; v.a2 = x; if (y & 1) s1 = v; }" % to, "memset(&(%s).e, 0, 16);" % to,
                             "memcpy(w0, (%s).e, x & 1 ? 16 : 8);" % to])
        return self.guard(ask, Text(v))

    def walk(self):
        """Follows a list through a pointer that may be null."""
        name = self.new("n")
        self.structs.append(name)
        body = self.block(2)
        self.structs.remove(name)
        start = self.rnd.choice(["q0", "&s0", "&s1", "q2"])
        if self.rnd.random() < 0.5:
            return Nest("for (struct s *{0} = {1}; {0}; {0} = {0} == &s0 ? {0}->next : 0) {{".format(name, start),
                        body, "}")
        return Nest("{", [Text("struct s *%s = %s ? %s : 0;" % (name, self.condition(), start)), Nest("{", body, "}")], "}")

    def switch(self):
        parts = []
        for k in range(self.rnd.randint(2, 4)):
            parts += ["case %d: {" % k, self.block(2), "}" + (" break;" if self.rnd.random() < 0.8 else "")]
        if self.rnd.random() < 0.5:
            parts += ["default: {", self.block(2), "}"]
        return Nest("switch (%s & 3) {" % (self.number() if self.rnd.random() < 0.6 else self.read()), *(parts + ["}"]))

    def statement(self):
        rnd = self.rnd
        r = rnd.random()
        if r < 0.22 or self.depth > 3:
            return self.write()
        if r < 0.36:
            return Text("acc %s= %s;" % (rnd.choice("+^"), self.value(2)))
        if r < 0.46:
            return self.choose()
        if r < 0.56:
            return Nest("if (%s) {" % self.condition(), self.block(2), *(
                ["} else {", self.block(2), "}"] if rnd.random() < 0.5 else ["}"]))
        if r < 0.66:
            return self.loop()
        if r < 0.74:
            return self.call()
        if r < 0.8:
            return self.copy()
        if r < 0.84:
            return self.switch()
        if r < 0.88:
            return self.walk()
        if r < 0.92:
            return Text("if (%s) return %s;" % (self.condition(), self.value(1)))
        if r < 0.96:
            name = self.new("c")
            text = Text("u32 %s = %s;" % (name, self.value(1)))
            if self.depth == 1:
                self.numbers.append(name)
            return text
        return Text("mark();")

    def block(self, most=5):
        self.depth += 1
        out = []
        for _ in range(self.rnd.randint(1, most)):
            out.append(self.statement())
            self.cost += self.trips
        self.depth -= 1
        return out


class Main:
    def __init__(self, calls):
        self.body = Nest("int main(void)", "{", "\tu32 sum = 0;", "\tmark();", calls, "\treturn sum == 12345;", "}")

    def lines(self):
        return [""] + self.body.lines(0)

    def bodies(self):
        return []


class Program:
    lists, shrink = Generated.lists, Generated.shrink

    def __init__(self, seed, cpp):
        self.rnd, self.cpp = random.Random(seed), cpp
        self.declared, self.structs = list(OBJECTS), []
        self.functions = []
        for k in range(self.rnd.randint(3, 10)):
            self.functions.append(Function(self, k))
        rnd = self.rnd
        calls = []
        for k in range(30):
            f = rnd.choice(self.functions[-3:] if k % 2 else self.functions)
            more = {"u32": ", g3", "u8": ", g4", "u64": ", g6"}[f.kind] if f.by_reference else ""
            calls += [Text("sum += %s(in[%d] + %d, in[%d] + %d, %s, %s%s);" % (
                f.name, k % 16, rnd.randrange(4), (k + 5) % 16, rnd.randrange(4), rnd.choice(["&s0", "&s1", "&s2"] + (["q2", "0"] if f.may_be_null else [])),
                rnd.choice(["&g0", "&w0[3]", "0", "&t0"]), more)), Text("mark();")]
        self.all = self.functions + [Main(calls)]

    def text(self):
        out = [HEAD]
        if self.cpp:
            out += ["template <class T> static inline const T &lesser(const T &a, const T &b)\n{\n\treturn b < a ? b : a;\n}",
                    "template <class T> static inline const T &greater(const T &a, const T &b)\n{\n\treturn a < b ? b : a;\n}"]
        out += self.declared
        for f in self.all:
            out += f.lines()
        return "\n".join(out) + "\n"
