#!/usr/bin/python3
"""A wrong figure is judged wrong, a right one right, and the page depends on the record alone."""

import copy
import json
import os
import re
import sys
import unittest

sys.dont_write_bytecode = True

import judge  # noqa: E402
import page  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "plan.json"), encoding="utf-8") as plan_file:
    PLAN = json.load(plan_file)

WRK = """\
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     3.02ms    1.66ms  11.89ms   85.45%
  Latency Distribution
     50%    2.18ms
     99%    9.06ms
  694 requests in 1.01s, 29.82KB read
  Socket errors: connect 0, read 3, write 0, timeout 41
  Non-2xx or 3xx responses: 94
Requests/sec:    684.07
"""
RUN = {"server": {"accepted": 2, "requests": 700, "replies": 696}, "exit": 0, "wall_s": 1.0}


def wrk(text):
    """The figures of what wrk printed."""
    return judge.pick(PLAN["tools"]["wrk"]["figures"], text, None)


def broken(rule, figures, run=None):
    """Is the rule broken?"""
    return judge.judge([{"says": "x", **rule}], figures, run or RUN) == ["x"]


class Numbers(unittest.TestCase):
    """What is printed, as numbers."""

    def test_units(self):
        """Times become seconds, counts stay; what is no number is none."""
        for text, value in [("2.18ms", 2.18e-3), ("140us", 140e-6), ("0.0149 secs", 0.0149),
                            ("1.02s", 1.02), ("694", 694), ("9.50k", 9500), ("0us", 0)]:
            self.assertAlmostEqual(judge.number(text), value)
        for text in ("NaN secs", "-nan%", "n/a", ""):
            self.assertIsNone(judge.number(text))
        self.assertAlmostEqual(judge.number("1500", "ms"), 1.5)

    def test_text(self):
        """Figures of a text: one, a sum, a difference, absent, absent that means 0."""
        figures = wrk(WRK)
        values = {name: f["value"] for name, f in figures.items() if f is not None}
        self.assertEqual((values["completed"], values["ok"], values["failed"]), (694, 600, 138))
        self.assertAlmostEqual(values["p99"], 9.06e-3)
        self.assertAlmostEqual(values["max"], 11.89e-3)
        self.assertEqual(figures["completed"]["printed"], "694 requests in")
        self.assertIsNone(figures["p90"])
        self.assertEqual(wrk("")["timeouts"], {"printed": None, "value": 0})

    def test_record(self):
        """Figures of a record: also one that is null, a truth, and a time in nanoseconds."""
        specs = PLAN["tools"]["rpcbench"]["figures"]
        record = {"requests": {"ok": 3}, "latency_ns": {"p50": 2e6, "p99": None},
                  "saturated": True, "errors": {}}
        figures = judge.pick(specs, "", record)
        self.assertEqual(figures["ok"]["value"], 3)
        self.assertAlmostEqual(figures["p50"]["value"], 2e-3)
        self.assertIsNone(figures["p99"])
        self.assertEqual((figures["saturated"]["value"], figures["timeouts"]["value"]), (1, 0))
        self.assertIsNone(judge.pick(specs, "", None)["ok"])


class Rules(unittest.TestCase):
    """Right and wrong."""

    def test_counts(self):
        """Equal to what the server counted, but for so many."""
        rule = {"figure": "completed", "is": "==", "to": "server.replies"}
        self.assertTrue(broken(rule, wrk(WRK)))
        self.assertFalse(broken({**rule, "give": 2}, wrk(WRK)))
        self.assertTrue(broken({**rule, "give": 1}, wrk(WRK)))
        self.assertFalse(broken({**rule, "give": 1}, wrk(WRK.replace("694", "697"))))
        self.assertTrue(broken({**rule, "give": 1}, wrk(WRK.replace("694", "698"))))

    def test_times(self):
        """At least, at most, about, in the units of both."""
        for text, rule, wrong in [
                ("9.06ms", {"is": ">=", "to": "9ms"}, False),
                ("8.06ms", {"is": ">=", "to": "9ms"}, True),
                ("9.06ms", {"is": "<=", "to": "9ms"}, True),
                ("9.06ms", {"is": "==", "to": "9ms", "within": 0.01}, False),
                ("9.16ms", {"is": "==", "to": "9ms", "within": 0.01}, True)]:
            figures = wrk(WRK.replace("9.06ms", text))
            self.assertEqual(broken({"figure": "p99", **rule}, figures), wrong)

    def test_absent(self):
        """No figure, or one that is no number, is right only where it should be so."""
        none = {"figure": "mean", "is": "absent"}
        self.assertFalse(broken(none, wrk("")))
        self.assertFalse(broken({**none, "figure": "x"}, {"x": {"printed": "NaN", "value": None}}))
        self.assertTrue(broken(none, wrk(WRK)))
        self.assertTrue(broken(none, wrk("    Latency     0.00us    0.00us   0.00us")))
        self.assertTrue(broken({"figure": "p90", "is": ">=", "to": 0}, wrk(WRK)))

    def test_seen(self):
        """What was seen from outside: counts of the server, exit status; not there is wrong."""
        for figure, to, wrong in [("server.accepted", 2, False), ("server.accepted", 3, True),
                                  ("run.exit", 0, False), ("run.exit", 1, True)]:
            self.assertEqual(broken({"figure": figure, "is": "==", "to": to}, {}), wrong)
        rule = {"figure": "server.accepted", "is": "==", "to": 2}
        self.assertTrue(broken(rule, {}, {**RUN, "server": {}}))

    def test_in_flight(self):
        """A mean latency that must be so many in flight over the rate."""
        figures = {"mean": {"value": 0.08}, "rps": {"value": 100.0}}
        rule = {"figure": "mean", "is": "==", "over": "rps", "within": 0.1}
        self.assertFalse(broken({**rule, "to": 8}, figures))
        self.assertTrue(broken({**rule, "to": 4.5}, figures))


class Plan(unittest.TestCase):
    """The plan itself."""

    def test_whole(self):
        """Each scenario says something of each tool; each rule names a figure that there is."""
        for scenario in PLAN["scenarios"]:
            self.assertEqual(set(scenario["tools"]), set(PLAN["tools"]), scenario["name"])
            for name, entry in scenario["tools"].items():
                self.assertNotEqual("command" in entry, "left_out" in entry)
                own = {**PLAN["tools"][name]["figures"], **entry.get("figures", {})}
                for rule in entry.get("rules", scenario["rules"]):
                    self.assertIn(rule["is"], ("==", ">=", "<=", "absent", "said"))
                    if "command" in entry and not re.match(r"(server|run)\.", rule["figure"]):
                        silent = rule["figure"] in scenario.get("unsaid", [])
                        self.assertTrue(rule["figure"] in own or silent,
                                        (scenario["name"], name, rule["figure"]))


class Page(unittest.TestCase):
    """The page."""

    RECORD = {
        "title": "T", "machine": {"cpus": 2, "kernel": "K", "time": "now", "load_average": [1]},
        "tools": {"a": {"version": "1"}, "b": {"version": None}},
        "scenarios": [{
            "name": "s", "fault": "F", "truth": "W", "server": "badserver",
            "rules": [{"says": "as many"}], "rules_of": {}, "rows": [
                {"tool": "a", "command": "a url", "server": {"accepted": 1}, "exit": 0,
                 "wall_s": 1, "stopped": False, "said": None, "right": False,
                 "broken": ["as many"], "figures": {"x": {"printed": "x | 1", "value": 1}}},
                {"tool": "b", "left_out": "not here"}]}]}

    def test_same(self):
        """The same record gives the same page, whatever order and however often."""
        again = json.loads(json.dumps(copy.deepcopy(self.RECORD)))
        self.assertEqual(page.render(self.RECORD), page.render(again))
        self.assertIn("| a | accepted 1 | `x \\| 1` | **wrong**, fails: as many |",
                      page.render(self.RECORD))
        self.assertIn("Left out: b: not here.", page.render(self.RECORD))


if __name__ == "__main__":
    unittest.main()
