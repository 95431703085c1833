#!/usr/bin/python3
"""A small HTTP server that misbehaves on demand, for tests of the harness.

Answers the suite's calls at the paths of its own HTTP servers. Its options say what goes wrong.
"""
import argparse
import http.server
import json
import os
import resource
import signal
import socketserver
import subprocess
import sys
import threading
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PATHS = {"/publish": "publish", "/": "hello", "/plaintext": "plaintext", "/json": "message", "/test": "find_one"}


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--port", type=int, default=0)
    p.add_argument("--reuse-port", action="store_true")
    p.add_argument("--never-ready", action="store_true", help="listen, but print no READY")
    p.add_argument("--claim-port", type=int, help="print READY with this port instead")
    p.add_argument("--address", default="127.0.0.1", help="to listen on")
    p.add_argument("--ready", help="print this after 'READY ' instead; {port} is known")
    p.add_argument("--huge-ready", action="store_true", help="1 MiB behind the READY line's port")
    p.add_argument("--close-stdout", action="store_true", help="once ready")
    p.add_argument("--die-at-start", type=int, metavar="STATUS")
    p.add_argument("--die-after", type=int, metavar="N", help="kill itself at request N")
    p.add_argument("--stop-after", type=int, metavar="N", help="SIGSTOP itself at request N")
    p.add_argument("--kill-self", metavar="SIGNAL", help="0.5 s after READY")
    p.add_argument("--leak", action="store_true", help="a descriptor each request, of 64")
    p.add_argument("--wrong-connection", type=int, metavar="N", help="wrong on the Nth and later")
    p.add_argument("--frozen-date", action="store_true", help="the Date of its start")
    p.add_argument("--wrong-after", type=int, metavar="N", help="answer wrongly from request N on")
    p.add_argument("--ignore-term", action="store_true")
    p.add_argument("--fork", type=int, default=0, metavar="N", help="start N sleeping children")
    p.add_argument("--daemon", action="store_true", help="start a child outside the group")
    p.add_argument("--workers", action="store_true", help="as --daemon, deaf to SIGTERM, busy")
    p.add_argument("--flood-always", action="store_true", help="output without end")
    p.add_argument("--flood", type=int, default=0, metavar="MIB", help="output before READY")
    p.add_argument("--version", default="1.0.0", help="of the package record in replies")
    p.add_argument("--extra", action="store_true", help="one more key in replies")
    p.add_argument("--body", help="answer this to everything")
    p.add_argument("--status", type=int, default=200)
    p.add_argument("--type", help="Content-Type of everything")
    p.add_argument("--date", help="Date of everything; empty for none")
    p.add_argument("--head-body", action="store_true", help="send a body to HEAD")
    p.add_argument("--silent", action="store_true", help="read requests, answer none")
    p.add_argument("--garbage", action="store_true", help="answer with bytes that are no HTTP")
    p.add_argument("--constant", action="store_true", help="look at no request")
    p.add_argument("--counts", type=int, metavar="OFF",
                   help="print COUNTS on SIGUSR1, as many off as OFF for each request")
    p.add_argument("--pace", choices=["even", "growing", "waves"],
                   help="wait before each reply, as long as the time since there is load says")
    p.add_argument("--mark", help="ignored: for tests to find the process by")
    return p.parse_args()


OPTIONS = parse()
COUNT = [0]
CONNECTIONS = [0]
LEAKED = []
BEGAN = []
LOADED = 20  # connections: more than a verification has
LOCK = threading.Lock()
STARTED = time.time()
BUSY = "trap '' TERM HUP; while :; do :; done"


def expected(call):
    with open(os.path.join(ROOT, "protos", "expect", call + ".json"), encoding="utf-8") as f:
        reply = json.load(f)["reply"]
    if isinstance(reply, str):
        return reply.encode(), "text/plain"
    if "version" in reply:
        reply["version"] = OPTIONS.version
    if OPTIONS.extra:
        reply["extra"] = 1
    return json.dumps(reply).encode(), "application/json"


REPLIES = {path: expected(call) for path, call in PATHS.items()}


def pause():
    """Seconds to wait: growing gets four times as fast within 0.4 s, waves never settle."""
    with LOCK:
        if CONNECTIONS[0] < LOADED:
            return 0
        if not BEGAN:
            BEGAN.append(time.monotonic())
    passed = time.monotonic() - BEGAN[0]
    if OPTIONS.pace == "growing":
        return 0.08 / 2 ** min(2, 5 * passed)
    if OPTIONS.pace == "waves":
        return 0.05 if passed % 0.4 < 0.2 else 0.01
    return 0.02


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def setup(self):
        super().setup()
        self.connection.setsockopt(6, 1, 1)
        with LOCK:
            CONNECTIONS[0] += 1
            self.number = CONNECTIONS[0]

    def log_message(self, format, *args):
        pass

    def date_time_string(self, timestamp=None):
        if OPTIONS.frozen_date:
            timestamp = STARTED
        return OPTIONS.date if OPTIONS.date else super().date_time_string(timestamp)

    def count(self):
        with LOCK:
            COUNT[0] += 1
            if COUNT[0] == OPTIONS.die_after:
                os.kill(os.getpid(), signal.SIGSEGV)
            if COUNT[0] == OPTIONS.stop_after:
                os.kill(os.getpid(), signal.SIGSTOP)
            if OPTIONS.leak:
                LEAKED.append(os.open("/dev/null", os.O_RDONLY))

    def answer(self):
        self.count()
        if OPTIONS.pace:
            time.sleep(pause())
        if OPTIONS.silent:
            return
        if OPTIONS.garbage:
            self.wfile.write(b"\x80\x01\x00\x02 this is not HTTP\r\n\r\n")
            self.close_connection = True
            return
        size = int(self.headers.get("Content-Length", 0))
        request = json.loads(self.rfile.read(size)) if size else {}
        body, kind = REPLIES.get(self.path.split("?")[0], (None, None))
        if body and self.path == "/publish" and not OPTIONS.constant:
            said = f"{request['name']}@{request['version']}"
            body = json.dumps({"code": 0, "message": said}).encode()
        query = self.path.partition("?")[2].partition("=")
        if body and query[0] in ("message", "name") and not OPTIONS.constant:
            body = json.dumps({**json.loads(body), query[0]: query[2]}).encode()
        if OPTIONS.body is not None:
            body, kind = OPTIONS.body.encode(), kind or "text/plain"
        if OPTIONS.wrong_after and COUNT[0] >= OPTIONS.wrong_after and body:
            body = body.replace(b"1.0.0", b"1.0.1")
        if OPTIONS.wrong_connection and self.number >= OPTIONS.wrong_connection and body:
            body = body.replace(b"1.0.0", b"1.0.2")
        status = OPTIONS.status
        if body is None:
            status, body, kind = 404, b"not found\n", "text/plain"
        if OPTIONS.date == "":
            self.send_response_only(status)
        else:
            self.send_response(status)
        self.send_header("Content-Type", OPTIONS.type or kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD" or OPTIONS.head_body:
            self.wfile.write(body)

    do_GET = do_HEAD = do_POST = answer


def flood():
    while True:
        os.write(1, b"y" * 65535 + b"\n")


def say_ready(port):
    line = f"READY port={OPTIONS.claim_port or port}"
    if OPTIONS.ready:
        line = "READY " + OPTIONS.ready.replace("{port}", str(port))
    if OPTIONS.huge_ready:
        line += " " + "z" * (1 << 20)
    sys.stdout.buffer.write(line.encode("latin-1", "replace") + b"\n")
    sys.stdout.flush()


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 128


def main():
    if OPTIONS.die_at_start is not None:
        print("about to end", file=sys.stderr, flush=True)
        sys.exit(OPTIONS.die_at_start)
    stop = signal.SIG_IGN if OPTIONS.ignore_term else lambda *_: os._exit(0)
    signal.signal(signal.SIGTERM, stop)
    if OPTIONS.counts is not None:
        signal.signal(signal.SIGUSR1, lambda *_: print(
            f"COUNTS requests={COUNT[0] * (1 + OPTIONS.counts)}", flush=True))
    for _ in range(OPTIONS.fork):
        subprocess.Popen(["sleep", "1000"])
    if OPTIONS.daemon:
        subprocess.Popen(["sleep", "1000"], start_new_session=True)
    if OPTIONS.workers:
        # Its parent ends at once, so that it is nobody's child but the keeper's.
        subprocess.run(["sh", "-c", 'setsid sh -c "$1" x --mark "$2" & ', "x", BUSY,
                        OPTIONS.mark or ""])
    if OPTIONS.leak:
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    for _ in range(OPTIONS.flood):
        sys.stdout.write(("x" * 127 + "\n") * 8192)
    sys.stdout.flush()
    Server.allow_reuse_port = OPTIONS.reuse_port
    server = Server((OPTIONS.address, OPTIONS.port), Handler)
    if not OPTIONS.never_ready:
        say_ready(server.server_port)
    if OPTIONS.close_stdout:
        os.close(1)
        os.close(2)
    if OPTIONS.kill_self:
        number = getattr(signal, "SIG" + OPTIONS.kill_self)
        threading.Timer(0.5, os.kill, (os.getpid(), number)).start()
    if OPTIONS.flood_always:
        threading.Thread(target=flood, daemon=True).start()
    server.serve_forever()


main()
