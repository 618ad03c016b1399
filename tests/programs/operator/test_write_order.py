# SPDX-License-Identifier: Apache-2.0
"""In which order joulie-operator writes what belongs together (docs/rules/programs.md#writes)."""

import time
import unittest
from random import Random

from test_operator import Fleet

NODES = 1000
LABEL = "joulie.io/power-profile"


class Watched(Fleet):
    """Looks at both objects of a node at each change, as somebody would who follows all of them."""

    def setUp(self):
        super().setUp()
        self.seen = []  # (node, class, label) under a cap
        self.changes = 0
        self.api.on_write = self.check

    def check(self, plural, name):
        twin = self.api.objects["nodetwins"].get(("", name))
        node = self.api.objects["nodes"].get(("", name))
        if plural not in ("nodes", "nodetwins") or not twin or not node:
            return
        self.changes += 1
        if twin["spec"]["cpu"]["packagePowerCapPctOfMax"] == 100:
            return
        word = twin.get("status", {}).get("schedulableClass")
        label = node["metadata"]["labels"].get(LABEL)
        if "performance" in (word, label) or label is None:
            self.seen.append((name, word, label))

    def wait_fast(self, count):
        """Until so many nodes are performance by all three, and the others eco."""

        def holds():
            twins = self.api.objects["nodetwins"].values()
            nodes = self.api.objects["nodes"].values()
            columns = (
                [twin.get("status", {}).get("schedulableClass") for twin in twins],
                [twin["spec"]["profile"] for twin in twins],
                [node["metadata"]["labels"].get(LABEL) for node in nodes],
            )
            return all(
                column.count("performance") == count and column.count("eco") == len(nodes) - count
                for column in columns
            )

        self.api.wait(holds, 240)

    def change(self, *fractions):
        nodes = len(self.api.objects["nodes"])
        for frac in fractions:
            operator = self.start("--static-hp-frac", frac, "--reconcile-interval", "1s")
            self.wait_fast(max(1, round(float(frac) * nodes)))
            operator.finish()


class MassChange(Watched):
    def test_nobody_sees_a_cap_on_a_node_that_passes_for_fast(self):
        """Of the nodes all but one change, and back: at no moment is one capped and called
        performance by its class or its label, how ever many wait behind it."""
        self.add_nodes(*(f"n{i:04}" for i in range(NODES)))
        self.change("1", "0.0001", "1")
        self.assertEqual(self.seen, [])
        self.assertGreaterEqual(self.changes, 8 * NODES)  # specs, statuses and labels of all, thrice

    def test_nor_when_writes_fail(self):
        random = Random(5)
        faults = []

        def answer(request):
            if request.method == "GET" or request.plural not in ("nodes", "nodetwins"):
                return None
            if random.random() < 0.2 and len(faults) < 200:
                faults.append(request)
                return self.api.status(500, "InternalError")
            return None

        self.add_nodes(*(f"n{i:02}" for i in range(60)))
        self.api.answer = answer
        self.change("0.0001", "1", "0.0001", "1")
        self.assertEqual(self.seen, [])
        self.assertGreater(len(faults), 50)


class Chains(Watched):
    def order(self, name, before):
        """The writes about a node since then: label, spec, status."""
        with self.api.changed:
            return [
                "label" if r.plural == "nodes" else r.subresource or "spec"
                for r in self.api.requests[before:]
                if r.method in ("POST", "PATCH")
                and r.plural in ("nodes", "nodetwins")
                and (r.name or r.body["metadata"]["name"]) == name
            ]

    def test_towards_eco_the_class_goes_first_and_towards_performance_last(self):
        self.add_nodes("a", "b")
        self.change("0.5")
        self.assertEqual(self.order("a", 0), ["spec", "status", "label"])
        self.assertEqual(self.order("b", 0), ["label", "spec", "status"])  # a status needs its twin
        before = len(self.api.requests)
        self.change("1")
        self.assertEqual(self.order("b", before), ["spec", "status", "label"])
        before = len(self.api.requests)
        self.change("0.5")
        self.assertEqual(self.order("b", before), ["label", "status", "spec"])

    def test_a_class_that_cannot_be_written_keeps_the_cap_back(self):
        self.add_nodes("a", "b")
        self.change("1")
        for kept in ("label", "status"):
            with self.subTest(kept):
                before = len(self.api.requests)

                def answer(request, kept=kept):
                    kind = "label" if request.plural == "nodes" else request.subresource
                    return (
                        self.api.status(403, "Forbidden")
                        if request.method == "PATCH" and kind == kept
                        else None
                    )

                self.api.answer = answer
                operator = self.start("--static-hp-frac", "0.5")
                operator.wait_steps(3)
                operator.finish()
                self.assertNotIn("spec", self.order("b", before))
                self.assertEqual(self.twin("b")["spec"]["profile"], "performance")
                self.api.answer = None
                self.change("0.5")
                self.change("1")


class Agents(Watched):
    """Towards performance an agent has its say before a scheduler reads another class."""

    def report(self, name, result):
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        part = {"backend": "rapl", "result": result, "message": "", "updatedAt": at}
        self.api.patch("nodetwins", name, {"status": {"controlStatus": {"cpu": part}}})

    def words(self, name):
        """Of the spec, then of what schedulers read."""
        twin = self.twin(name)
        label = self.api.objects["nodes"][("", name)]["metadata"]["labels"].get(LABEL)
        return twin["spec"]["profile"], twin["status"]["schedulableClass"], label

    def start_waiting(self, period):
        self.add_nodes("a", "b")
        self.change("0.5")
        self.report("b", "applied")  # of the cap of eco
        time.sleep(1.1)  # updatedAt has whole seconds
        operator = self.start("--static-hp-frac", "1", "--control-period", period)
        self.api.wait(lambda: self.words("b")[0] == "performance")
        return operator

    def test_class_and_label_follow_when_the_agent_says_applied(self):
        operator = self.start_waiting("1h")
        for result in (None, "pending", "error"):
            if result:
                self.report("b", result)
            operator.wait_steps(3)
            self.assertEqual(self.words("b"), ("performance", "eco", "eco"), result)
        self.report("b", "applied")
        self.api.wait(lambda: self.words("b") == ("performance", "performance", "performance"))
        self.assertEqual(self.seen, [])

    def test_an_operator_that_was_started_anew_goes_on_waiting(self):
        self.start_waiting("1h").finish()
        operator = self.start("--static-hp-frac", "1", "--control-period", "1h")
        operator.wait_steps(3)
        self.assertEqual(self.words("b"), ("performance", "eco", "eco"))
        self.report("b", "applied")
        self.api.wait(lambda: self.words("b") == ("performance", "performance", "performance"))

    def test_where_nobody_reports_one_control_period_is_enough(self):
        self.start_waiting("2s")
        self.api.wait(lambda: self.words("b") == ("performance", "performance", "performance"))


if __name__ == "__main__":
    unittest.main()
