#!/usr/bin/python3
"""Makes the seeds in corpus/, from the golden bytes of other implementations in tests/golden and
from frames and texts written here. Inputs that once broke something are not touched."""
import json
import os
import re
import struct

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "../..")
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def read(path):
    with open(os.path.join(ROOT, path), "rb") as file:
        return file.read()


def seed(target, name, data):
    folder = os.path.join(HERE, "corpus", target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


def lines(path):
    return [line.split() for line in read(path).decode().splitlines()]


# HTTP/2: RFC 9113 section 4.1; fields by RFC 7541 section 6.2.2, without a table.
def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def fields(*pairs):
    return b"".join(b"\0%c%s%c%s" % (len(n), n, len(v), v) for n, v in pairs)


def request(stream, path, body, *more):
    block = fields((b":method", b"POST"), (b":scheme", b"http"), (b":path", path),
                   (b":authority", b"a"), (b"content-type", b"application/grpc"),
                   (b"te", b"trailers"), *more)
    return frame(1, 4, stream, block) + frame(0, 1, stream, body)


def message(data):
    return b"\0" + struct.pack(">I", len(data)) + data


def grpc_server():
    for client in "grpcio", "curl", "nghttp", "h2load":
        seed("grpc_server", client, b"\0" + read(f"tests/golden/http2/{client}"))
        seed("grpc_server", f"{client}-pieces", b"\x0d" + read(f"tests/golden/http2/{client}"))
    start = b"\0" + PREFACE + frame(4, 0, 0)
    golden = {name: bytes.fromhex(text) if text != "-" else b""
              for name, text in lines("tests/golden/grpc/python.txt")}
    for name, path in (("find_one", b"/unpkg.Unpkg/FindOne"), ("publish", b"/unpkg.Unpkg/Publish"),
                       ("echo", b"/echo.Streams/Call")):
        seed("grpc_server", name, start + request(1, path, message(golden[name])))
    cities = b"/cityinfo.GeoCity/GetCities"
    seed("grpc_server", "many", start + b"".join(
        request(2 * i + 1, cities, message(b"")) for i in range(20)))
    seed("grpc_server", "late", start + request(1, cities, message(b""), (b"grpc-timeout", b"1n")))
    seed("grpc_server", "window", start + frame(4, 0, 0, struct.pack(">HI", 4, 5)) +
         request(1, cities, message(b"")) + frame(8, 0, 1, b"\0\0\0\x40"))
    seed("grpc_server", "refused", start + request(1, b"/none", message(b"")) +
         request(3, cities, b"\1\0\0\0\1x") + request(5, cities, message(b"x" * 1100)) +
         request(7, cities, message(b"")[:3]) + request(9, cities, message(b"") * 2))
    seed("grpc_server", "control", b"\x18" + PREFACE + frame(4, 0, 0) + frame(4, 1, 0) +
         frame(6, 0, 0, b"12345678") + frame(2, 0, 3, b"\0\0\0\0\x0f") +
         request(1, cities, message(b""))[:-14] + frame(3, 0, 1, b"\0\0\0\x08") +
         frame(7, 0, 0, b"\0" * 8))


def h2_client():
    golden = dict(lines("tests/golden/grpc/python.txt"))
    reply = message(bytes.fromhex(golden["find_one_reply"]))
    settings = frame(4, 0, 0, struct.pack(">HIHI", 3, 100, 4, 1 << 20)) + frame(4, 1, 0)
    window = frame(8, 0, 0, b"\0\x7f\0\0")
    head = fields((b":status", b"200"), (b"content-type", b"application/grpc"))
    done = fields((b"grpc-status", b"0"))

    def whole(stream):
        return (frame(1, 4, stream, head) + frame(0, 0, stream, reply) +
                frame(1, 5, stream, done))
    for name, which in ("grpc", b"\0"), ("grpc-large", b"\2"):
        for how in 0, 5, 6:
            seed("h2_client", f"{name}-{how}", which + bytes((2, how)) + settings + window +
                 b"".join(whole(i) for i in (1, 5, 3, 7, 9)))
    start = b"\0\0\0" + settings + window
    seed("h2_client", "trailers-only", start + frame(1, 5, 1, head + fields(
        (b"grpc-status", b"7"), (b"grpc-message", b"no"))))
    seed("h2_client", "parts", start + frame(1, 0, 1, head[:9]) + frame(9, 4, 1, head[9:]) +
         frame(0, 8, 1, b"\3" + reply + b"\0\0\0") + frame(0, 0, 1) + frame(1, 5, 1, done))
    seed("h2_client", "interim", b"\1\0\0" + settings + frame(1, 4, 1, fields(
        (b":status", b"103"))) + frame(1, 4, 1, fields(
            (b":status", b"200"), (b"content-length", b"2"))) + frame(0, 1, 1, b"hi"))
    seed("h2_client", "windows", b"\2\7\0" + frame(4, 0, 0, struct.pack(
        ">HIHIHI", 1, 0, 3, 2, 4, 10)) + frame(8, 0, 1, b"\0\0\1\0") + frame(
            4, 0, 0, struct.pack(">HI", 4, 100000)) + window + whole(1) + whole(3))
    seed("h2_client", "goaway", b"\2\4\0" + frame(4, 0, 0, struct.pack(">HI", 3, 3)) + whole(1) +
         frame(7, 0, 0, b"\x7f\xff\xff\xff\0\0\0\0") + frame(6, 0, 0, b"12345678") +
         frame(7, 0, 0, b"\0\0\0\3\0\0\0\0") + whole(3))
    seed("h2_client", "resets", b"\1\4\0" + settings + b"".join(
        frame(3, 0, 2 * i + 1, b"\0\0\0" + bytes((i,))) for i in range(9)))
    seed("h2_client", "table", b"\1\0\0" + settings + frame(1, 5, 1, b"\x88\x40\1a\1b") +
         frame(1, 5, 3, b"\x88\xbe") + frame(1, 5, 5, b"\x20\x88"))


def http1():
    for name in sorted(os.listdir(os.path.join(ROOT, "tests/golden/http1"))):
        if name not in ("README", "capture.py"):
            seed("http1_server", name, b"\0" + read(f"tests/golden/http1/{name}"))
    seed("http1_server", "pipeline", b"\x0e" + b"".join(
        b"GET /%s HTTP/1.1\r\nHost: a\r\n\r\n" % path for path in
        (b"", b"l", b"h", b"none", b"?q", b"%6c")) + b"HEAD / HTTP/1.0\r\n\r\n")
    seed("http1_server", "post", b"\x13POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
         b"Expect: 100-continue\r\n\r\n3;x=y\r\nabc\r\n0\r\nA: b\r\n\r\nOPTIONS / HTTP/1.1\r\n"
         b"Host: a\r\nConnection: close\r\n\r\n")
    replies = {
        "length": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi" * 4,
        "chunked": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                   b"1;x\r\nh\r\n1\r\ni\r\n0\r\nA: b\r\n\r\n" * 2,
        "until-close": b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nuntil the end",
        "interim": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"
                   b"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n",
        "old": b"HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\n\r\n",
    }
    for name, reply in replies.items():
        for how in 0, 1, 14:
            seed("http1_client", f"{name}-{how}", bytes((3, how)) + reply)


def thrift():
    variants = {("binary", False): 0, ("binary", True): 1, ("old", False): 0,
                ("compact", True): 2}
    for encoding, name, text in lines("tests/golden/thrift/python.txt"):
        data = bytes.fromhex(text)
        for framed in False, True:
            wire = (struct.pack(">I", len(data)) if framed else b"") + data
            suffix = "-framed" if framed else ""
            if not name.endswith("_reply") and (encoding, framed) in variants:
                seed("thrift_server", f"{encoding}-{name}{suffix}",
                     bytes((variants[encoding, framed], 0)) + wire * 2)
            elif name == "find_one_reply" and encoding != "old":
                which = 2 * (encoding == "compact") + framed
                seed("thrift_client", f"{encoding}{suffix}", bytes((which, 1, 0)) + wire)
                # The client numbers its calls from 0x4000 on.
                at = 4 * framed + (2 if encoding == "compact" else 15)
                number = b"\x80\x80\x01" if encoding == "compact" else b"\0\0\x40\0"
                old = 1 if encoding == "compact" else 4
                wire = wire[:at] + number + wire[at + old:]
                if framed:
                    wire = struct.pack(">I", len(wire) - 4) + wire[4:]
                seed("thrift_client", f"{encoding}{suffix}-numbered", bytes((which, 1, 0)) + wire)


def texts():
    golden = dict(lines("tests/golden/grpc/python.txt"))
    seed("cities", "protobuf", bytes.fromhex(golden["cities_reply"]))
    cities = json.loads(read("servers/common/cities-1500.json"))["cities"]
    seed("cities", "some.json", json.dumps({"cities": cities[::300]}).encode())
    seed("cities", "odd.json", b'{"a":[{"b":null}],"cities":[ {"lng":-1.5e1,"lat":0.10,"name":'
         b'"\\u00e9\\ud83c\\udf0d\\"","country":"","x":[true,false,{}]} ]}\n')
    seed("cities", "empty.json", b'{"cities":[]}')
    for name in "grpc-core", "thrift-binary", "cities-proxy":
        seed("manifest", name, read(f"servers/{name}/contestant.json"))
    seed("manifest", "list", b"[" + read("servers/http-hello/contestant.json") + b"]")
    seed("manifest", "nginx", read("peers/nginx/contestant.json"))
    readme = read("README.md").decode()
    seed("manifest", "readme", re.search(r"```json\n(.*?)```", readme, re.S)[1].encode())
    record = json.loads(read("tests/golden/report/limited.json"))
    for contestant in record["contestants"]:
        del contestant["trials"][1:]
        record["contestants"] = [contestant]
        seed("record", contestant["name"], json.dumps(record).encode())


grpc_server()
h2_client()
http1()
thrift()
texts()
