#!/usr/bin/python3
"""A small Thrift server (strict binary protocol) that misbehaves on demand, for tests.

It looks for the method's name in what comes, and answers with bytes made here.
"""
import argparse
import json
import os
import re
import signal
import socket
import struct
import threading

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
REPLY, EXCEPTION = 2, 3


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--port", type=int, default=0)
    p.add_argument("--framed", action="store_true")
    p.add_argument("--version", default="1.0.0")
    p.add_argument("--fault", choices=[
        "type", "name", "sequence", "exception", "behind", "short", "silent", "garbage",
        "huge-frame", "huge-string", "empty-frame", "accept-unknown",
        "constant-publish"])
    return p.parse_args()


OPTIONS = parse()


def text(value):
    raw = value.encode()
    return struct.pack(">i", len(raw)) + raw


def field(number, kind, value):
    return struct.pack(">bh", kind, number) + value


def package():
    with open(os.path.join(ROOT, "protos/expect/find_one.json"), encoding="utf-8") as f:
        r = json.load(f)["reply"]
    repository = (field(1, 11, text(r["repository"]["type"]))
                  + field(2, 11, text(r["repository"]["url"])) + b"\0")
    return (field(1, 11, text(r["name"])) + field(2, 11, text(OPTIONS.version))
            + field(3, 11, text(r["description"])) + field(4, 11, text(r["main"]))
            + field(5, 12, repository) + field(6, 11, text(r["author"]))
            + field(7, 11, text(r["license"])) + b"\0")


def message(kind, name, sequence, body):
    return struct.pack(">HBB", 0x8001, 0, kind) + text(name) + struct.pack(">i", sequence) + body


def exception(name, why):
    return message(EXCEPTION, name, 0, field(1, 11, text(why)) + field(2, 8, b"\0\0\0\1") + b"\0")


def publish(request):
    # PublishRequest: field 1 is a text, field 2 an i32.
    size = struct.unpack(">i", request.split(b"\x0b\0\1", 1)[1][:4])[0]
    rest = request.split(b"\x0b\0\1", 1)[1][4:]
    version = struct.unpack(">i", rest[size + 3:size + 7])[0]
    said = rest[:size].decode() + "@" + str(version)
    if OPTIONS.fault == "constant-publish":
        said = "rpc-server-benchmark@2"
    return field(1, 6, b"\0\0") + field(2, 11, text(said)) + b"\0"


def answer(request):
    fault = OPTIONS.fault
    name = re.search(rb"[A-Z][A-Za-z]+", request).group().decode()
    if name not in ("FindOne", "Publish") and fault != "accept-unknown":
        return exception(name, "unknown method")
    body = publish(request) if name == "Publish" else package()
    if fault == "exception":
        return exception(name, "out of \xff order")
    if fault == "huge-string":
        body = field(1, 11, struct.pack(">i", 0x7ffffff0)) + b"x"
    return message(1 if fault == "type" else REPLY, "FindTwo" if fault == "name" else name,
                   7 if fault == "sequence" else 0, field(0, 12, body) + b"\0")


def serve(connection):
    with connection:
        while True:
            request = connection.recv(65536)
            if not request or OPTIONS.fault == "short":
                return
            if OPTIONS.fault == "silent":
                continue
            reply = answer(request)
            if OPTIONS.fault == "garbage":
                reply = b"HTTP/1.1 400 Bad Request\r\n\r\n" * 4
            elif OPTIONS.framed:
                size = {"huge-frame": 0x7fffffff, "empty-frame": 0}.get(OPTIONS.fault, len(reply))
                reply = struct.pack(">i", size) + reply
            if OPTIONS.fault == "behind":
                reply += b"\0\0\0"
            connection.sendall(reply)


def main():
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    server = socket.create_server(("127.0.0.1", OPTIONS.port))
    print(f"READY port={server.getsockname()[1]}", flush=True)
    while True:
        connection, _ = server.accept()
        threading.Thread(target=serve, args=(connection,), daemon=True).start()


main()
