"""Calls grpc-core with Python's grpcio, and with frames made by hand where it matters.

Usage: grpc_core_client.py TEST PORT PID
TEST is the name of a function below without its test_.
"""
import collections
import json
import os
import random
import signal
import socket
import struct
import sys
import time

import grpc
from google.protobuf import empty_pb2

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(ROOT, "build/gen/py"))

import city_pb2
import echo_pb2
import unpkg_pb2

Method = collections.namedtuple("Method", "path request reply")
FIND_ONE = Method("/unpkg.Unpkg/FindOne", unpkg_pb2.FindOneRequest, unpkg_pb2.FindOneResponse)
PUBLISH = Method("/unpkg.Unpkg/Publish", unpkg_pb2.PublishRequest, unpkg_pb2.PublishResponse)
GET_CITIES = Method("/cityinfo.GeoCity/GetCities", empty_pb2.Empty, city_pb2.CitiesReply)
ECHO = Method("/echo.Streams/Call", echo_pb2.CallRequest, echo_pb2.CallResponse)
TIMEOUT_S = 20


def new_channel():
    # A channel of its own: otherwise grpcio shares the connections of equal ones.
    options = [("grpc.use_local_subchannel_pool", 1), ("grpc.max_receive_message_length", -1)]
    return grpc.insecure_channel("127.0.0.1:%d" % PORT, options=options)


def call(method, request, timeout=TIMEOUT_S, **options):
    """The reply. request is a message, or bytes that need not be one."""
    stub = CHANNEL.unary_unary(
        method.path,
        lambda message: message if isinstance(message, bytes) else message.SerializeToString(),
        method.reply.FromString)
    return stub(request, timeout=timeout, **options)


def code_of(function, *args, **kwargs):
    """The status and its message, of a call that must fail."""
    try:
        function(*args, **kwargs)
    except grpc.RpcError as error:
        return error.code(), error.details()
    raise AssertionError("no error")


def find_one():
    return call(FIND_ONE, FIND_ONE.request(name="koa-suit"))


def memory_kib():
    with open("/proc/%d/status" % PID, encoding="ascii") as file:
        return int(next(line for line in file if line.startswith("VmRSS")).split()[1])


# Frames of RFC 9113, with header fields that no table is needed for (RFC 7541, 6.2.2).
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM, END_HEADERS, ACK = 1, 4, 1


def field(name, value):
    return b"".join(b"%c%s" % (len(text), text) for text in (b"", name, value))


class Raw:
    """A connection whose frames are made by hand; window is that of each stream."""

    def __init__(self, window=65535):
        self.sock = socket.create_connection(("127.0.0.1", PORT), TIMEOUT_S)
        self.stream = -1
        self.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        self.frame(SETTINGS, 0, 0, struct.pack("!HI", 4, window))

    def send(self, data):
        self.sock.sendall(data)

    def frame(self, type_, flags, stream, payload=b""):
        self.send(struct.pack("!I", len(payload))[1:] +
                  struct.pack("!BBI", type_, flags, stream) + payload)

    def headers(self, path=FIND_ONE.path, timeout=None):
        self.stream += 2
        block = b"".join((
            field(b":method", b"POST"), field(b":scheme", b"http"),
            field(b":path", path.encode()), field(b":authority", b"test"),
            field(b"te", b"trailers"), field(b"content-type", b"application/grpc"),
            field(b"grpc-timeout", timeout) if timeout else b""))
        self.frame(HEADERS, END_HEADERS, self.stream, block)
        return self.stream

    def message(self, stream, data=b"\n\x08koa-suit"):
        self.frame(DATA, END_STREAM, stream, struct.pack("!BI", 0, len(data)) + data)

    def begin(self, **kwargs):
        """A whole call."""
        stream = self.headers(**kwargs)
        self.message(stream)
        return stream

    def exactly(self, size):
        data = b""
        while len(data) < size:
            more = self.sock.recv(size - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def receive(self):
        """The next frame; answers SETTINGS and PING."""
        head = self.exactly(9)
        size = int.from_bytes(head[:3], "big")
        type_, flags, stream = struct.unpack("!BBI", head[3:])
        payload = self.exactly(size)
        if type_ in (SETTINGS, PING) and not flags & ACK:
            self.frame(type_, ACK, 0, payload if type_ == PING else b"")
        return type_, flags, stream, payload

    def until(self, *types):
        while True:
            frame = self.receive()
            if frame[0] in types:
                return frame


def test_cities():
    path = os.path.join(ROOT, "servers/common/cities-1500.json")
    with open(path, encoding="utf-8") as file:
        cities = json.load(file)["cities"]
    wanted = GET_CITIES.reply(cities=[city_pb2.City(**city) for city in cities])
    assert len(wanted.cities) == 1500
    assert call(GET_CITIES, GET_CITIES.request()) == wanted


def test_unknown_method():
    for path in ["/unpkg.Unpkg/FindTwo", "/unpkg.Unpkg/", "/none.None/FindOne"] * 50:
        code, _ = code_of(call, Method(path, FIND_ONE.request, FIND_ONE.reply), b"")
        assert code == grpc.StatusCode.UNIMPLEMENTED, code
    find_one()


def test_undecodable():
    for _ in range(50):
        for method in FIND_ONE, PUBLISH, GET_CITIES, ECHO:
            for bad in b"\n\x09koa-suit", b"\n", b"\x0b", b"\n" + b"\xff" * 30:
                code, details = code_of(call, method, bad)
                assert code == grpc.StatusCode.INVALID_ARGUMENT, code
                assert method.request.DESCRIPTOR.full_name in details, details
    code, details = code_of(call, ECHO, b"\n\x01\xff")
    assert code == grpc.StatusCode.INVALID_ARGUMENT, code
    find_one()


def test_no_message():
    stub = CHANNEL.stream_unary(FIND_ONE.path, FIND_ONE.request.SerializeToString,
                                FIND_ONE.reply.FromString)
    code, _ = code_of(stub, iter(()), timeout=TIMEOUT_S)
    assert code == grpc.StatusCode.INVALID_ARGUMENT, code
    find_one()


def test_large():
    assert call(PUBLISH, PUBLISH.request(name="a" * (3 << 20))).code == 1


def test_client_deadline():
    codes = {grpc.StatusCode.DEADLINE_EXCEEDED: 0, grpc.StatusCode.OK: 0}
    for i in range(400):
        try:
            call(FIND_ONE, FIND_ONE.request(), timeout=i * 5e-6)
            codes[grpc.StatusCode.OK] += 1
        except grpc.RpcError as error:
            codes[error.code()] += 1
    assert codes[grpc.StatusCode.DEADLINE_EXCEEDED] > 0, codes
    find_one()


def test_server_deadline():
    """The server ends calls that nobody takes the reply of, when their time is over."""
    raw = Raw(window=0)
    streams = {raw.begin(timeout=b"50m") for _ in range(100)}
    while streams:
        _, flags, stream, _ = raw.until(RST_STREAM, HEADERS)
        if flags & END_STREAM or flags == 0:
            streams.discard(stream)
    find_one()


def test_blocked_peers():
    """Calls whose replies are not read hold up nobody else."""
    raws = [Raw(window=0) for _ in range(3)]
    for raw in raws:
        for _ in range(200):
            last = raw.begin()
        while raw.until(HEADERS)[2] != last:
            pass
    for _ in range(200):
        find_one()
    # Once they may, the replies come.
    raws[0].frame(SETTINGS, 0, 0, struct.pack("!HI", 4, 1000))
    for _ in range(200):
        assert b"rpc-server-benchmark" in raws[0].until(DATA)[3]


def cancel_calls(rounds):
    """Half of them in the middle, half when their reply is blocked."""
    for _ in range(rounds):
        raw = Raw(window=0)
        for i in range(200):
            stream = raw.begin() if i % 2 else raw.headers()
            raw.frame(RST_STREAM, 0, stream, struct.pack("!I", 8))
        for i in range(200):
            raw.begin() if i % 2 else raw.headers()
        raw.until(HEADERS)
        raw.sock.close()


def test_cancelled():
    """Calls that are cancelled, or whose connection ends, leave nothing behind."""
    cancel_calls(10)
    before = memory_kib()
    cancel_calls(20)
    grown = memory_kib() - before
    assert grown < 12000, grown  # 8000 calls, each of which takes more than 1.5 KiB
    find_one()


def test_garbage():
    generator = random.Random(1)
    whole = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0"
    for i in range(300):
        sock = socket.create_connection(("127.0.0.1", PORT), TIMEOUT_S)
        junk = generator.randbytes(generator.randrange(1, 300))
        sock.sendall((whole if i % 3 else b"") + junk)
        sock.close()
    for i in range(300):
        raw = Raw()
        frames = b"".join(generator.choice((
            b"\0\0\5\0\1\0\0\0\1\0\0\0\0\0", b"\0\0\2\0\1\0\0\0\1\0\0",
            b"\0\0\5\0\1\0\0\0\1\0\xff\xff\xff\xff",
            b"\0\0\0\0\1\0\0\0\1", b"\0\0\4\3\0\0\0\0\1\0\0\0\1", b"\0\0\4\x08\0\0\0\0\1\0\0\0\0"))
            for _ in range(5))
        raw.headers()
        raw.send(frames)
        raw.sock.close()
    find_one()


def ends():
    """Waits until the server has ended; its parent may be quick to take note of it."""
    for _ in range(500):
        try:
            with open("/proc/%d/stat" % PID, encoding="ascii") as file:
                if file.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return
        except (FileNotFoundError, ProcessLookupError):
            return
        time.sleep(0.02)
    raise AssertionError("it runs on")


def test_drain():
    """A call that is being answered at SIGTERM ends well, and then the connection ends."""
    raw = Raw(window=0)
    stream = raw.begin()
    raw.until(HEADERS)
    os.kill(PID, signal.SIGTERM)
    raw.until(GOAWAY)
    raw.frame(WINDOW_UPDATE, 0, stream, struct.pack("!I", 1000))
    assert b"rpc-server-benchmark" in raw.until(DATA)[3]
    assert raw.until(HEADERS)[1] & END_STREAM
    ends()


def test_stop():
    """Calls that never end, and idle connections, do not hold up the end."""
    idle = Raw()
    half = Raw()
    half.headers()
    blocked = Raw(window=0)
    blocked.begin()
    blocked.until(HEADERS)
    silent = socket.create_connection(("127.0.0.1", PORT), TIMEOUT_S)
    find_one()
    os.kill(PID, signal.SIGTERM)
    ends()
    for sock in idle.sock, half.sock, blocked.sock, silent:
        sock.close()


TEST, PORT, PID = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
CHANNEL = new_channel()
globals()["test_" + TEST]()
