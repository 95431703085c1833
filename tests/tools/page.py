"""The page of a comparison of tools, from its record alone: the same record, the same page."""

INTRO = """\
Load generators beside a server that behaves as a script says, counts what it did and prints it
(tests/badserver). Each row is one run: what the server counted, what the tool printed, and whether that is
right by the rules of the scenario. METHOD.md says how they are judged. Each row can be repeated alone: start the
server, run the command, then end the server with SIGTERM, which prints its counts. `make compare-tools` runs all.
"""


def cell(text):
    """Text that may stand in a table."""
    return str(text).replace("|", "\\|").replace("\n", " ")


def verdict(row):
    """What became of a row, in words."""
    if "left_out" in row:
        return "left out: " + row["left_out"]
    if row["right"]:
        return "right"
    return "**wrong**, fails: " + "; ".join(row["broken"])


def short_verdict(row):
    """The same in one word."""
    if "left_out" in row:
        return "–"
    return "right" if row["right"] else "**wrong**"


def code(text):
    """Text as it was printed."""
    quote = "``" if "`" in text else "`"
    return f"{quote}{text}{quote}"


def figure(name, found):
    """A figure as it was printed."""
    if found is None:
        return f"no {name}"
    if found["printed"] is None:
        return f"nothing about {name}"
    return code(found["printed"])


def reported(row):
    """All that a tool reported, and how it ended where that tells something."""
    parts = [figure(name, found) for name, found in row["figures"].items()
             if not name.startswith("run.")]
    if row["said"]:
        parts.append(code(row["said"]))
    if row["stopped"]:
        parts.append(f"stopped after {row['wall_s']} s")
    elif row["exit"] != 0 or "run.exit" in row["figures"]:
        parts.append(f"exit status {row['exit']}")
    if "run.wall_s" in row["figures"]:
        parts.append(f"took {row['wall_s']} s")
    return "; ".join(dict.fromkeys(parts))


def counts(row):
    """What the server counted."""
    server = row["server"]
    parts = [f"{name} {server[name]}" for name in ("accepted", "requests", "replies")
             if name in server]
    return ", ".join(parts) or "—"


def table(header, rows):
    """The lines of a table."""
    lines = ["| " + " | ".join(header) + " |", "|" + ":---|" * len(header)]
    return lines + ["| " + " | ".join(cell(c) for c in r) + " |" for r in rows]


def overview(record):
    """All scenarios and tools in one table."""
    tools = list(record["tools"])
    rows = []
    for scenario in record["scenarios"]:
        by_tool = {row["tool"]: short_verdict(row) for row in scenario["rows"]}
        link = f"[{scenario['name']}](#{scenario['name']})"
        rows.append([link] + [by_tool.get(tool, "–") for tool in tools])
    return table(["scenario", *tools], rows)


def rule_lines(scenario):
    """What is right, and for which tool something else is."""
    lines = ["Right: " + "; ".join(rule["says"] for rule in scenario["rules"]) + "."]
    for tool, rules in scenario["rules_of"].items():
        says = "; ".join(rule["says"] for rule in rules)
        lines.append(f"For {tool}: {says}.")
    return lines


def section(scenario):
    """One scenario."""
    ran = [row for row in scenario["rows"] if "left_out" not in row]
    out = [row for row in scenario["rows"] if "left_out" in row]
    known = " (" + ", ".join(scenario["reports"]) + ")" if scenario.get("reports") else ""
    lines = [f"## {scenario['name']}", "", f"{scenario['fault']}{known}.", "",
             f"Server: {scenario['truth']}.", "", *rule_lines(scenario), ""]
    lines += table(["tool", "server counted", "tool reported", "verdict"],
                   [[row["tool"], counts(row), reported(row), verdict(row)] for row in ran])
    if out:
        reasons = "; ".join(f"{row['tool']}: {row['left_out']}" for row in out)
        lines += ["", f"Left out: {reasons}."]
    return lines + ["", "```", scenario["server"], *(row["command"] for row in ran), "```", ""]


def version(name, tool):
    """A tool with its version."""
    return f"{name} {(tool['version'] or 'not installed').removeprefix(name + ' ')}"


def render(record):
    """The whole page."""
    machine = record["machine"]
    load = ", ".join(f"{x:.2f}" for x in machine["load_average"])
    versions = ", ".join(version(name, tool) for name, tool in record["tools"].items())
    lines = [f"# {record['title']}", "", INTRO,
             f"{machine['cpus']} CPUs, {machine['kernel']}; {machine['time']}, load average {load}. "
             f"Versions: {versions}.", "", *overview(record), ""]
    for scenario in record["scenarios"]:
        lines += section(scenario)
    return "\n".join(lines).rstrip("\n") + "\n"
