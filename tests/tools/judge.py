"""Figures out of what a tool printed, and whether they are right by the plan's rules."""

import re

# Seconds in each unit that a tool prints or that the plan names.
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "sec": 1, "secs": 1, "m": 60}
COUNTS = {"k": 1e3, "M": 1e6, "G": 1e9}


def number(text, unit=None):
    """The number that TEXT says: times in seconds, counts as they are; None if it is none."""
    match = re.fullmatch(r"(-?\d+(?:\.\d*)?)\s*([A-Za-z]*)", str(text).strip())
    if match is None:
        return None
    suffix = match[2] or unit or ""
    return float(match[1]) * (UNITS.get(suffix) or COUNTS.get(suffix) or 1)


def at_path(record, path):
    """What a JSON record has at PATH, its keys joined by points."""
    for key in path.split("."):
        record = record.get(key) if isinstance(record, dict) else None
    return record


def from_record(spec, record):
    """A figure of a JSON record: as printed and as a number, or None where it is absent."""
    value = at_path(record, spec["path"])
    if isinstance(value, bool):
        return {"printed": f"{spec['path']} {str(value).lower()}", "value": int(value)}
    if value is None:
        value = spec.get("else")
    if isinstance(value, dict):
        value = sum(value.values())
    if value is None:
        return None
    printed = f"{spec['path']} {value}" + (f" {spec['unit']}" if "unit" in spec else "")
    return {"printed": printed, "value": number(value, spec.get("unit"))}


def matches(patterns, text):
    """All matches of one or several patterns."""
    if isinstance(patterns, str):
        patterns = [patterns]
    return [m for pattern in patterns for m in re.finditer(pattern, text, re.MULTILINE)]


def total(found, unit):
    """The sum of what the groups of all matches say; None where one is no number, such as NaN."""
    values = [number(group, unit) for m in found for group in m.groups()]
    return None if None in values else sum(values)


def lines(found):
    """What the matches look like on one line each; of many, the first two."""
    texts = [re.sub(r"\s+", " ", m[0]).strip() for m in found]
    return texts if len(texts) <= 3 else texts[:2] + [f"… ({len(texts)} such lines)"]


def from_text(spec, text):
    """A figure of a text, in the same form. Without a match it is absent, or "else"."""
    found = matches(spec["pattern"], text)
    if not found:
        return {"printed": None, "value": spec["else"]} if "else" in spec else None
    if not spec.get("sum"):
        found = found[:1]
    less = matches(spec.get("minus", []), text)
    printed = "; ".join(lines(found) + lines(less))
    value = total(found, spec.get("unit"))
    if value is not None:
        value -= total(less, spec.get("unit"))
    return {"printed": printed, "value": value}


def pick(specs, text, record):
    """All figures of one run of a tool, by name."""
    return {
        name: from_record(spec, record) if "path" in spec else from_text(spec, text)
        for name, spec in specs.items()
    }


def lookup(name, figures, run):
    """A figure: one of the tool, or server.NAME or run.NAME, which were seen from outside."""
    if name.startswith("server."):
        value = run["server"].get(name.removeprefix("server."))
    elif name.startswith("run."):
        value = run[name.removeprefix("run.")]
    else:
        return figures.get(name)
    return None if value is None else {"printed": f"{name} {value}", "value": value}


def wanted(rule, figures, run):
    """The number a rule compares with: a constant or another figure, by a factor, or over a rate."""
    to = rule["to"]
    if isinstance(to, str) and number(to) is None:
        other = lookup(to, figures, run)
        value = None if other is None else other["value"]
    else:
        value = number(to)
    if value is None or "over" not in rule:
        return None if value is None else value * rule.get("times", 1)
    rate = lookup(rule["over"], figures, run)
    return value / rate["value"] if rate and rate["value"] else None


def compare(rule, value, want):
    """Is VALUE what the rule wants? "within" is a share of WANT, "give" a number of things."""
    slack = abs(want) * rule.get("within", 0) + rule.get("give", 0) + 1e-9
    return {
        "==": abs(value - want) <= slack,
        ">=": value >= want - slack,
        "<=": value <= want + slack,
    }[rule["is"]]


def holds(rule, figures, run):
    """Does one rule hold?"""
    figure = lookup(rule["figure"], figures, run)
    if rule["is"] == "said":
        return figure is not None
    if figure is None or figure["value"] is None:
        return rule["is"] == "absent"
    if rule["is"] == "absent":
        return False
    want = wanted(rule, figures, run)
    return want is not None and compare(rule, figure["value"], want)


def judge(rules, figures, run):
    """Return what the rules that do not hold say; none: the tool was right."""
    return [rule["says"] for rule in rules if not holds(rule, figures, run)]
