"""What the scripts of this folder share: running the programs, comparing answers, shrinking."""

import collections
import json
import multiprocessing
import os
import re
import subprocess
import sys

CHUNK = 250  # traces in one process
PATIENCE = 600  # seconds for a chunk; only a hang takes so long


class Programs:
    def __init__(self, build):
        self.build = os.path.abspath(build)
        folder = os.path.join(self.build, "test", "model")
        self.brute = os.path.join(folder, "brute")
        self.generate = os.path.join(folder, "generate")
        self.judge = os.path.join(folder, "judge")
        self.sooth = os.path.join(self.build, "bin", "sooth")


def ask(command, paths):
    """A line of JSON for each path. If the program dies, the answer for that path says so."""
    answers = []
    while len(answers) < len(paths):
        rest = paths[len(answers):]
        try:
            done = subprocess.run(command + rest, capture_output=True, timeout=PATIENCE, check=False)
            out, why = done.stdout, "status %d: %s" % (done.returncode, done.stderr.decode(errors="replace")[-600:])
        except subprocess.TimeoutExpired as hang:
            out, why = hang.stdout or b"", "does not end"
        lines = [line for line in out.split(b"\n") if line.endswith(b"}")]
        answers += [json.loads(line) for line in lines]
        if len(lines) < len(rest):
            answers.append({"trace": rest[len(lines)], "crash": why})
    return answers


def ask_chunk(work):
    return ask(*work)


def ask_all(command, paths, jobs=0):
    chunks = [(command, paths[i:i + CHUNK]) for i in range(0, len(paths), CHUNK)]
    if len(chunks) < 2:
        return ask(command, paths) if paths else []
    with multiprocessing.Pool(jobs or os.cpu_count()) as pool:
        return [answer for part in pool.imap(ask_chunk, chunks) for answer in part]


def read_lines(path):
    with open(path, encoding="utf-8") as text:
        return [line.rstrip("\n") for line in text if line.strip()]


# ---- findings as sets of (kind, events) ----------------------------------------------------------


def events_of(item):
    return tuple(sorted((thread, index) for thread, index in item["events"]))


def key_of(finding):
    """Kind and events; in the later kinds of claims the events have an order."""
    kind = finding["kind"]
    if kind not in ("use-after-free", "misuse", "atomicity"):
        return kind, events_of(finding)
    if finding["misuse"]:
        kind += ":" + finding["misuse"]
    return kind, tuple((thread, index) for thread, index in finding["events"])


def expected(truth):
    """What must be found. A set of stuck threads counts once, as a lost signal if it can be one."""
    wanted = {("race", events_of(race)) for race in truth["races"]}
    wanted |= {("deadlock", events_of(cycle)) for cycle in truth["deadlocks"]}
    for stuck in truth["stuck"]:
        wanted.add(("lost-signal" if "lost-signal" in stuck["kinds"] else "deadlock", events_of(stuck)))
    return wanted | {key_of(claim) for claim in truth["claims"] if not claim["optional"]}


def allowed(truth):
    """What may be found in smaller windows."""
    return (expected(truth) | {(kind, events_of(stuck)) for stuck in truth["stuck"] for kind in stuck["kinds"]} |
            {key_of(claim) for claim in truth["claims"]})


def found(answer):
    return {key_of(finding) for finding in answer["findings"]}


def is_told_otherwise(kind, events, have):
    """Kinds of misuse, or broken regions, with the same events are one; a region broken by two accesses is one broken by either."""
    if kind.startswith("misuse:"):
        return any(events == others and other.startswith("misuse:") for other, others in have)
    return kind == "atomicity" and len(events) == 4 and (
        any((kind, (events[0], events[i], events[3])) in have for i in (1, 2)) or
        any(kind == other and sorted(events) == sorted(others) for other, others in have))


def differences(truth, answer, part=False):
    """What is wrong with the answer, as a list of (category, detail). `part`: missing findings are allowed."""
    for key in ("crash", "error"):
        if key in answer:
            return [(key, answer[key])]
    wrong = []
    have = found(answer)
    optional = {key_of(claim) for claim in truth["claims"] if claim["optional"]}
    for kind, events in sorted(have - allowed(truth) if part else have - expected(truth) - optional):
        wrong.append(("extra " + kind, events))
    for kind, events in sorted(set() if part else expected(truth) - have):
        if not is_told_otherwise(kind, events, have):
            wrong.append(("missing " + kind, events))
    if answer["rejected"]:
        wrong.append(("rejected", answer["faults"]))
    if answer["unknown"]:
        wrong.append(("unknown", answer["unknown"]))
    seen = [key_of(finding) for finding in answer["findings"]
            if finding["kind"] in ("race", "use-after-free", "misuse", "atomicity")]
    if len(seen) != len(set(seen)):
        wrong.append(("twice", sorted(seen)))
    return wrong


def base_run(path):
    """The events (stream, index) of a text in the order of its lines."""
    order, counts, events = [], collections.Counter(), []
    for line in read_lines(path):
        thread, operation = line.split("|")[:2]
        if thread == "-":
            continue
        for name in [thread] + re.findall(
                r"^(?:(?:fork|join|jreq|detach|handler)\(|misuse\(join\w+,)(\w+)", operation):
            if name not in order:
                order.append(name)
        if not operation.startswith("handler"):
            events.append((order.index(thread), counts[thread]))
            counts[thread] += 1
    return events


# ---- cases: does a schedule happen, and does its claim hold? -------------------------------------


def word(events):
    return ",".join("%d.%d" % tuple(event) for event in events) or "-"


def claim_of(finding, truth):
    if finding["kind"] == "deadlock":
        cycles = {events_of(cycle) for cycle in truth["deadlocks"]}
        return "cycle" if events_of(finding) in cycles else "stuck"
    return {"race": "race", "lost-signal": "lost"}.get(finding["kind"]) or key_of(finding)[0]


def judge(command, cases):
    """The verdicts on cases (trace, claim, events, steps), `yes` or `no: …`."""
    text = "".join("\t".join(case) + "\n" for case in cases)
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=False)
    lines = done.stdout.decode().splitlines()
    if done.returncode or len(lines) != len(cases):
        sys.exit("%s: status %d after %d of %d cases (%s)\n%s" % (
            command[0], done.returncode, len(lines), len(cases),
            " ".join(cases[len(lines)]) if len(lines) < len(cases) else "", done.stderr.decode()))
    return lines


# ---- shrinking -----------------------------------------------------------------------------------


def smaller(lines):
    """Smaller texts: without a thread, without two lines, without one."""
    threads = sorted({line.split("|")[0] for line in lines})
    for thread in threads:
        yield [line for line in lines if line.split("|")[0] != thread and "(%s)" % thread not in line]
    for i in range(len(lines)):
        yield lines[:i] + lines[i + 1:]
    for i in range(len(lines)):
        for j in range(i + 1, len(lines)):
            yield lines[:i] + lines[i + 1:j] + lines[j + 1:]


def shrink(lines, fails, folder):
    """The smallest text that still fails. `fails` gets paths and says for each whether it fails."""
    again = True
    while again:
        again = False
        candidates = [text for text in smaller(lines) if text]
        for start in range(0, len(candidates), 60):
            part = candidates[start:start + 60]
            paths = []
            for i, text in enumerate(part):
                paths.append(os.path.join(folder, "shrink%02d.std" % i))
                with open(paths[-1], "w", encoding="utf-8") as out:
                    out.write("\n".join(text) + "\n")
            verdicts = fails(paths)
            if any(verdicts):
                lines = part[verdicts.index(True)]
                again = True
                break
    return lines
