#!/usr/bin/python3
"""Run the same scenarios against several load generators and say which reported the truth.

    compare_tools.py [--bin DIR] [--out DIR] [--only A,B] [--tools A,B] [PLAN]   run, and write both
    compare_tools.py --render tools.json                            the page again from its record

The plan is data (plan.json); the server is tests/badserver. Of what runs, only our own ends.
"""

import argparse
import json
import os
import platform
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True

import judge  # noqa: E402
import page  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SCHEMA = "rpcbench-tools/1"
SHOWN_PORT = 8080  # in the commands that the page shows
SETTLE_S = 0.1
LIMIT_S = 10  # for one command, unless the scenario sets another


def server_args(scenario, port):
    """What follows the name of badserver on its command line."""
    server = scenario["server"]
    return ["--port", str(port), *server.get("args", []), "--protocol", server["protocol"],
            *server["rules"]]


def start_server(scenario, bin_dir):
    """Start badserver; return its process and its port."""
    program = os.path.join(bin_dir, "..", "test", "badserver")
    process = subprocess.Popen([program, *server_args(scenario, 0)], stdout=subprocess.PIPE,
                               text=True)
    ready = re.fullmatch(r"READY port=(\d+)\n", process.stdout.readline())
    if ready is None:
        process.wait()
        sys.exit(f"compare-tools: {scenario['name']}: badserver did not start")
    return process, int(ready[1])


def stop_server(process):
    """End badserver when it has read what is still on its way; return what it counted."""
    time.sleep(SETTLE_S)
    if process.poll() is None:
        process.terminate()
    try:
        said = process.communicate(timeout=5)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        said = process.communicate()[0]
    lines = [line for line in said.splitlines() if line.startswith("COUNTS")]
    if not lines:
        return {}
    return {name: int(n) for name, n in re.findall(r"(\w+)=(\d+)", lines[-1])}


def run_command(command, limit_s):
    """Run one command in a group of its own, for LIMIT_S at most."""
    began = time.monotonic()
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, errors="replace", start_new_session=True)
    stopped = False
    try:
        out, err = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        stopped = True
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
    except KeyboardInterrupt:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    return {"out": out, "err": err, "stopped": stopped, "exit": process.returncode,
            "wall_s": round(time.monotonic() - began, 2)}


def fill(template, port, bin_dir):
    """The words of a command whose template names {url}, {port} and {bin}."""
    values = {"url": f"http://127.0.0.1:{port}/", "port": port, "bin": bin_dir}
    return [word.format(**values) for word in shlex.split(template)]


def as_record(text):
    """The JSON that a tool printed, or None."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def last_words(run):
    """What a tool that failed said last."""
    lines = [line.strip() for line in run["err"].splitlines() if line.strip()]
    return lines[-1][:160] if run["exit"] != 0 and lines else None


def shown(scenario, name, figures, run):
    """The figures that the page shows of a tool: those of the rules, and those to show beside."""
    names = [rule["figure"] for rule in scenario["tools"][name].get("rules", scenario["rules"])]
    names += [r["to"] for r in scenario["rules"] if isinstance(r.get("to"), str)]
    names += scenario.get("show", [])
    found = {n: judge.lookup(n, figures, run) for n in names}
    return {n: figures.get(n) or f for n, f in found.items() if not n.startswith("server.")
            and (f is not None or n in figures)}


def hide_port(text, port):
    """The text with the port that the commands of the page show."""
    return text.replace(f"127.0.0.1:{port}", f"127.0.0.1:{SHOWN_PORT}")


def measure(plan, scenario, name, bin_dir):
    """One tool in one scenario: its row."""
    entry = scenario["tools"][name]
    server, port = start_server(scenario, bin_dir)
    try:
        run = run_command(fill(entry["command"], port, bin_dir), scenario.get("limit_s", LIMIT_S))
    finally:
        counts = stop_server(server)
    run["out"], run["err"] = hide_port(run["out"], port), hide_port(run["err"], port)
    run["server"] = counts
    specs = {**plan["tools"][name]["figures"], **entry.get("figures", {})}
    figures = judge.pick(specs, run["out"] + run["err"], as_record(run["out"]))
    wrong = judge.judge(entry.get("rules", scenario["rules"]), figures, run)
    if run["stopped"]:
        wrong.append("it ends by itself")
    command = fill(entry["command"], SHOWN_PORT, os.path.relpath(bin_dir, ROOT))
    return {"tool": name, "command": shlex.join(command), "server": counts, "exit": run["exit"],
            "wall_s": run["wall_s"], "stopped": run["stopped"], "said": last_words(run),
            "figures": shown(scenario, name, figures, run), "right": not wrong, "broken": wrong}


def row(plan, scenario, name, missing, bin_dir):
    """A tool's row: what it did, or why it is left out."""
    entry = scenario["tools"].get(name, {"left_out": "no row in the plan"})
    reason = missing.get(name) or entry.get("left_out")
    if reason is not None:
        return {"tool": name, "left_out": reason}
    return measure(plan, scenario, name, bin_dir)


def run_scenario(plan, scenario, missing, bin_dir):
    """All tools in one scenario: its part of the record."""
    rows = []
    for name in plan["tools"]:
        rows.append(row(plan, scenario, name, missing, bin_dir))
        print(f"{scenario['name']}: {name}: {page.verdict(rows[-1])}", flush=True)
    program = os.path.relpath(os.path.join(bin_dir, "..", "test", "badserver"), ROOT)
    command = shlex.join([program, *server_args(scenario, SHOWN_PORT)])
    told = {key: scenario[key] for key in ("name", "fault", "truth", "reports") if key in scenario}
    return {**told, "server": command, "rules": scenario["rules"],
            "rules_of": {name: tool["rules"] for name, tool in scenario["tools"].items()
                         if "rules" in tool}, "rows": rows}


def find_missing(plan, bin_dir):
    """The tools that are not installed, each with the reason."""
    missing = {}
    for name, tool in plan["tools"].items():
        program = tool["program"].format(bin=bin_dir)
        if shutil.which(program) is None:
            package = f" (package {tool['package']})" if "package" in tool else ""
            missing[name] = f"{name} is not installed{package}"
    return missing


def version(tool, bin_dir):
    """The version of a tool as its package or itself says it."""
    command = [word.format(bin=bin_dir) for word in tool["version"]]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True, timeout=10, check=False)
    except OSError:
        return None
    return done.stdout.strip() or None


def machine():
    """Where and when."""
    return {"kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
            "cpus": os.cpu_count(), "load_average": [round(x, 2) for x in os.getloadavg()],
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}


def chosen(plan, only, tools):
    """The plan with the scenarios and tools that were asked for; a wrong name ends it."""
    known = {s["name"] for s in plan["scenarios"]} | set(plan["tools"])
    for name in (only or []) + (tools or []):
        if name not in known:
            sys.exit(f"compare-tools: no '{name}' in the plan, expected one of "
                     + ", ".join(sorted(known)))
    plan["scenarios"] = [s for s in plan["scenarios"] if not only or s["name"] in only]
    plan["tools"] = {n: t for n, t in plan["tools"].items() if not tools or n in tools}
    return plan


def write(path, text):
    """A whole file, or the old one."""
    with open(path + ".part", "w", encoding="utf-8") as out:
        out.write(text)
    os.replace(path + ".part", path)


def run_plan(options):
    """Run all; write the record and its page."""
    with open(options.plan, encoding="utf-8") as plan_file:
        plan = chosen(json.load(plan_file), options.only, options.tools)
    bin_dir = os.path.abspath(options.bin)
    missing = find_missing(plan, bin_dir)
    record = {"schema": SCHEMA, "title": plan["title"], "machine": machine(), "tools": {
        name: {"version": None if name in missing else version(tool, bin_dir)}
        for name, tool in plan["tools"].items()}}
    record["scenarios"] = [run_scenario(plan, s, missing, bin_dir) for s in plan["scenarios"]]
    os.makedirs(options.out, exist_ok=True)
    base = os.path.join(options.out, "tools")
    write(base + ".json", json.dumps(record, indent=1, ensure_ascii=False) + "\n")
    write(base + ".md", page.render(record))


def render_again(path):
    """FILE.md from FILE.json."""
    with open(path, encoding="utf-8") as record:
        write(path.removesuffix(".json") + ".md", page.render(json.load(record)))


def names(text):
    """A list of names, from A,B."""
    return text.split(",")


def main():
    """Options, then one of both."""
    parser = argparse.ArgumentParser(description="Load generators beside a server that tells.")
    parser.add_argument("--bin", default=os.environ.get("RPCBENCH_BIN",
                                                        os.path.join(ROOT, "build/release/bin")))
    parser.add_argument("--out", default=os.path.join(ROOT, "results"))
    parser.add_argument("--only", type=names, help="scenarios, separated by commas")
    parser.add_argument("--tools", type=names, help="tools, separated by commas")
    parser.add_argument("--render", metavar="JSON", help="only make the page again")
    parser.add_argument("plan", nargs="?", default=os.path.join(HERE, "plan.json"))
    options = parser.parse_args()
    if options.render:
        render_again(options.render)
    else:
        try:
            run_plan(options)
        except KeyboardInterrupt:
            sys.exit("compare-tools: interrupted, nothing was written")


if __name__ == "__main__":
    main()
