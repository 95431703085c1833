"""Checks what tests/stream wrote: check_stream.py FOLDER.

Every percentile of the JSON, the text and the summary of two trials is within 1 % of the truth,
which is taken from the values themselves; minimum, maximum and count are exact.
"""

import json
import math
import re
import sys

folder = sys.argv[1]
values = sorted(int(line) for line in open(f"{folder}/values"))
trial = json.load(open(f"{folder}/trial.json"))
summary = json.load(open(f"{folder}/round.json"))["contestants"][0]["summary"]
text = open(f"{folder}/trial.txt").read()
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
compared = 0


def near(what, found, truth, share=0.01):
    global compared
    compared += 1
    assert abs(found - truth) <= share * truth, f"{what}: {found}, the truth is {truth}"


def truth(percent):
    return values[max(1, math.ceil(percent / 100 * len(values) - 1e-9)) - 1]


def check_object(what, latency):
    assert latency["count"] == len(values), what
    assert latency["min"] == values[0] and latency["max"] == values[-1], what
    near(f"{what} mean", latency["mean"], sum(values) / len(values), 1e-6)
    for name, value in latency.items():
        if re.fullmatch(r"p\d+(_\d+)?", name):
            near(f"{what} {name}", value, truth(float(name[1:].replace("_", "."))))


check_object("trial", trial["latency_ns"])
check_object("summary", summary["latency_ns"])
assert trial["checks"]["percentiles"]["ok"] is True
for percent, number, unit in re.findall(r"^ +([\d.]+)% +([\d.]+)(ns|us|ms|s)$", text, re.M):
    near(f"text {percent}", float(number) * UNITS[unit], truth(float(percent)))
assert compared == 2 * (8 + 1) + 7, f"{compared} figures were compared"
