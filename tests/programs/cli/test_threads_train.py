# SPDX-License-Identifier: Apache-2.0
"""joulie threads train: recordings from files and pipes, whatever their size."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from checkout import RELEASE, ROOT

JOULIE = RELEASE / "bin" / "joulie"
VECTORS = json.loads((ROOT / "tests/vectors/temper-7.3-trace.json").read_text())["cases"]
CASES = {case["id"].removeprefix("th-7.3-trace-"): case for case in VECTORS}
MIB = 1 << 20


def train(*arguments, text=None):
    return subprocess.run(
        [JOULIE, "threads", "train", *map(str, arguments)],
        input=text,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        timeout=300,
    )


def turn(us, prev, following):
    return (
        f"  w-{prev} [000] d..2. {us // 10**6}.{us % 10**6:06}: sched_switch: prev_comm=w-{prev} "
        f"prev_pid={prev} prev_prio=120 prev_state=S ==> next_comm=w-{following} "
        f"next_pid={following} next_prio=120\n"
    )


class Analyze(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def test_a_file_and_a_pipe_answer_as_the_question_does(self):
        case = CASES["ftrace"]
        trace = self.file("trace.txt", case["in"]["trace"])
        question = json.dumps(case["in"])
        asked = subprocess.run(
            [JOULIE, "ask", "threads.train.analyze"],
            input=question,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout
        procs = self.file("cgroup.threads", "11\n12\n")
        answers = {
            train("analyze", trace, "--tids", "11-12").stdout,
            train("analyze", "--tids", "12, 11", text=case["in"]["trace"]).stdout,
            train("analyze", trace, "--cgroup-procs", procs).stdout,
            train("analyze", text=question).stdout,
        }
        self.assertEqual(answers, {asked})
        self.assertEqual(json.loads(asked)["threads"][0]["run_us"], 500)

    def test_all_threads_are_the_workload_where_none_is_named(self):
        done = train("analyze", "--seed", "7", text=CASES["ftrace"]["in"]["trace"])
        answer = json.loads(done.stdout)
        self.assertEqual(answer["seed"], 7)
        self.assertTrue(all("class" in thread for thread in answer["threads"]))

    def test_a_lossy_trace_is_refused_with_its_coverage(self):
        done = train("analyze", text=CASES["lossy"]["in"]["trace"])
        error = json.loads(done.stdout)["error"]
        self.assertEqual((done.returncode, error["code"], error["where"]), (1, "conflict", "trace"))
        # 3 of 10 switches leave from a thread that had not got the CPU
        self.assertTrue(error["message"].startswith("E_TRACE_LOSSY: coverage 0.700"))

    def test_a_trace_that_lost_a_little_is_read_with_a_warning(self):
        text = CASES["ftrace"]["in"]["trace"]
        whole = train("analyze", text=text)
        self.assertEqual((whole.stderr, "lossy" in json.loads(whole.stdout)), ("", False))
        done = train("analyze", text=text + "CPU:0 [LOST 1 EVENTS]\n")
        answer = json.loads(done.stdout)
        self.assertEqual((answer["coverage"], answer["lossy"], done.returncode), (0.9, True, 0))
        self.assertIn("warning: trace: some events are missing", done.stderr)

    def test_a_bad_id_and_a_file_that_is_not_there_are_errors(self):
        done = train("analyze", "--tids", "5-3", text="x")
        self.assertEqual(json.loads(done.stdout)["error"]["where"], "tids")
        done = train("analyze", "--tids", "99999999999", text="x")
        self.assertEqual(json.loads(done.stdout)["error"]["code"], "range")
        done = train("analyze", self.folder / "none")
        self.assertEqual(json.loads(done.stdout)["error"]["code"], "io")
        self.assertEqual(done.returncode, 1)

    def peak_bytes(self, path):
        """Of the memory of one run."""
        with open(path, "rb") as trace:
            child = subprocess.Popen(
                [JOULIE, "threads", "train", "analyze"], stdin=trace, stdout=subprocess.PIPE
            )
        answer = json.loads(child.stdout.read())
        child.stdout.close()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, 0)
        return usage.ru_maxrss * 1024, answer

    def test_a_long_trace_takes_no_more_memory_than_a_short_one(self):
        sizes = {}
        for turns in (20_000, 300_000):
            path = self.folder / f"{turns}.txt"
            with path.open("w") as trace:  # line by line: the child begins as large as this process
                trace.writelines(
                    turn(10**6 + 3 * i, 1 + i % 4, 1 + (i + 1) % 4) for i in range(turns)
                )
            sizes[turns], answer = self.peak_bytes(path)
            self.assertEqual(answer["switches"], turns)
            self.assertEqual(answer["coverage"], 1)
        self.assertGreater(path.stat().st_size, 30 * MIB)
        self.assertLess(sizes[300_000], sizes[20_000] + 4 * MIB)


class Evaluate(unittest.TestCase):
    def test_says_what_speaks_against_a_change(self):
        document = {"baseline": [10.0] * 9, "candidate": [9.9] * 9, "direction": "lower"}
        answer = json.loads(train("evaluate", text=json.dumps(document)).stdout)
        # p = 2^-9; the gain is 1 %, less than the 2 that count
        self.assertEqual(answer["p"], 2**-9)
        self.assertEqual((answer["verdict"], answer["why"]), ("reject", ["gain"]))


if __name__ == "__main__":
    unittest.main()
