"""Calls the Thrift servers with Python's Thrift library, for 20-thrift-servers.bats.

Usage: thrift_client.py TEST VARIANT:PORT:PID...
TEST is the name of a function below without its test_; it runs against each server in turn.
VARIANT is one of VARIANTS.
"""
import json
import os
import random
import socket
import struct
import sys
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(ROOT, "build/gen/py"))

from thrift.protocol import TBinaryProtocol, TCompactProtocol
from thrift.Thrift import TApplicationException, TMessageType, TType
from thrift.transport import TSocket, TTransport
from unpkg import UnpkgService
from unpkg.ttypes import FindOneRequest, PublishRequest

BINARY = TBinaryProtocol.TBinaryProtocol
COMPACT = TCompactProtocol.TCompactProtocol
VARIANTS = {  # protocol, framed
    "binary": (BINARY, False),
    "framed": (BINARY, True),
    "compact": (COMPACT, True),
    "simple": (BINARY, False),
}
TIMEOUT_S = 10


def expected(call):
    with open(os.path.join(ROOT, "protos/expect", call + ".json")) as file:
        return json.load(file)


def plain(struct_):
    """A generated struct as the JSON of protos/expect."""
    return {
        key: plain(value) if hasattr(value, "thrift_spec") else value
        for key, value in vars(struct_).items()
    }


def frame(message):
    return struct.pack("!I", len(message)) + message if FRAMED else message


def message(method, request, seqid=1, type=TMessageType.CALL, strict=True):
    """The bytes of a call, without a frame; request is a struct or a function that writes one."""
    memory = TTransport.TMemoryBuffer()
    protocol = PROTOCOL(memory, strictWrite=strict) if PROTOCOL is BINARY else PROTOCOL(memory)
    protocol.writeMessageBegin(method, type, seqid)
    protocol.writeStructBegin("args")
    if callable(request):
        request(protocol)
    elif request is not None:
        protocol.writeFieldBegin("request", TType.STRUCT, 1)
        request.write(protocol)
        protocol.writeFieldEnd()
    protocol.writeFieldStop()
    protocol.writeStructEnd()
    protocol.writeMessageEnd()
    return memory.getvalue()


def find_one(seqid=1, **kwargs):
    return message("FindOne", FindOneRequest("koa-suit"), seqid, **kwargs)


def connect():
    return socket.create_connection(("127.0.0.1", PORT), TIMEOUT_S)


def connect_and_never_read():
    """A socket that little is received on, so that its peer soon has to wait."""
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 16)
    sock.connect(("127.0.0.1", PORT))
    sock.settimeout(TIMEOUT_S)
    return sock


def send_until_full(sock, data):
    """Sends data again and again until nothing more was taken for a while: bytes sent."""
    sent = quiet = 0
    sock.setblocking(False)
    while quiet < 20:
        try:
            sent += sock.send(data[sent % len(data):])
            quiet = 0
        except BlockingIOError:
            quiet += 1
            time.sleep(0.01)
    sock.settimeout(TIMEOUT_S)
    return sent


class Replies:
    """Reads replies from a socket that requests were written to by hand."""

    def __init__(self, sock, strict=True):
        transport = TSocket.TSocket()
        transport.setHandle(sock)
        wrap = TTransport.TFramedTransport if FRAMED else TTransport.TBufferedTransport
        transport = wrap(transport)
        self.protocol = (
            PROTOCOL(transport, strictRead=strict) if PROTOCOL is BINARY else PROTOCOL(transport)
        )

    def next(self):
        """(seqid, result) where the result is a plain struct or a TApplicationException."""
        name, type, seqid = self.protocol.readMessageBegin()
        if isinstance(name, bytes):  # of a message without a version
            name = name.decode()
        if type == TMessageType.EXCEPTION:
            result = TApplicationException()
            result.read(self.protocol)
        else:
            assert type == TMessageType.REPLY, type
            result = getattr(UnpkgService, name + "_result")()
            result.read(self.protocol)
            result = plain(result.success)
        self.protocol.readMessageEnd()
        return seqid, result


def expect_calls_work(sock=None):
    sock = sock or connect()
    sock.sendall(frame(find_one(77)))
    assert Replies(sock).next() == (77, expected("find_one")["reply"])


def expect_closed(sock):
    """The server closes without another byte; a reset counts, it had bytes not read."""
    try:
        rest = sock.recv(1000)
    except ConnectionResetError:
        rest = b""
    assert rest == b"", rest


def test_calls():
    transport = TSocket.TSocket("127.0.0.1", PORT)
    transport.setTimeout(TIMEOUT_S * 1000)
    wrapped = (TTransport.TFramedTransport if FRAMED else TTransport.TBufferedTransport)(transport)
    client = UnpkgService.Client(PROTOCOL(wrapped))
    wrapped.open()
    for _ in range(3):
        want = expected("find_one")
        assert plain(client.FindOne(FindOneRequest(**want["request"]))) == want["reply"]
        want = expected("publish")
        assert plain(client.Publish(PublishRequest(**want["request"]))) == want["reply"]
    assert client.Publish(PublishRequest("", 1)).code == 1
    assert client.Publish(PublishRequest("a" * 256, -(2**31))).message == "a" * 256 + "@-2147483648"
    assert client.Publish(PublishRequest("a" * 100000, 1)).code == 1
    wrapped.close()


def test_old_messages():
    """Without a version; answered in the same form, and strict ones on the same connection."""
    sock = connect()
    for seqid in range(1, 4):
        sock.sendall(frame(find_one(seqid, strict=False)))
        assert Replies(sock, strict=False).next() == (seqid, expected("find_one")["reply"])
        sock.sendall(frame(find_one(seqid)))
        assert Replies(sock, strict=True).next() == (seqid, expected("find_one")["reply"])
    raw = find_one(9, strict=False)
    sock.sendall(frame(raw))
    head = sock.recv(len(frame(raw[:11])) if FRAMED else 11)[-11:]
    assert head == b"\x00\x00\x00\x07FindOne", head


def test_many_at_once():
    sock = connect()
    seqids = list(range(-30, 30)) + [2**31 - 1, -(2**31)]
    sock.sendall(b"".join(frame(find_one(seqid)) for seqid in seqids))
    replies = Replies(sock)
    for seqid in seqids:
        assert replies.next() == (seqid, expected("find_one")["reply"])


def test_in_pieces():
    """Two calls, split at each byte."""
    calls = frame(find_one(1)) + frame(message("Publish", PublishRequest("x", 3), 2))
    sock = connect()
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    replies = Replies(sock)
    for at in range(1, len(calls)):
        sock.sendall(calls[:at])
        time.sleep(0.001)
        sock.sendall(calls[at:])
        assert replies.next() == (1, expected("find_one")["reply"])
        assert replies.next() == (2, {"code": 0, "message": "x@3"})


def test_unknown_method():
    sock = connect()
    replies = Replies(sock)
    for name in ("NoSuchMethod", "findone", "x" * 255, "\u00e9%s%n"):
        sock.sendall(frame(message(name, FindOneRequest("x"), 5)))
        seqid, result = replies.next()
        assert seqid == 5 and result.type == TApplicationException.UNKNOWN_METHOD, result
        assert name in result.message
        expect_calls_work(sock)


def test_missing_field():
    """Publish's fields are required."""
    sock = connect()
    replies = Replies(sock)
    for request in (FindOneRequest("name only"), FindOneRequest(None)):
        for _ in range(100):
            sock.sendall(frame(message("Publish", request, 6)))
            seqid, result = replies.next()
            assert seqid == 6 and result.type == TApplicationException.PROTOCOL_ERROR, result
        expect_calls_work(sock)


def test_missing_struct():
    """No request at all, and a request of another type, are skipped as other servers do."""
    sock = connect()
    sock.sendall(frame(message("FindOne", None, 7)))
    assert Replies(sock).next() == (7, expected("find_one")["reply"])

    def other(protocol):
        protocol.writeFieldBegin("request", TType.MAP, 1)
        protocol.writeMapBegin(TType.STRING, TType.LIST, 2)
        for key in ("a", "b"):
            protocol.writeString(key)
            protocol.writeListBegin(TType.DOUBLE, 20)
            for _ in range(20):
                protocol.writeDouble(1.5)
            protocol.writeListEnd()
        protocol.writeMapEnd()
        protocol.writeFieldEnd()
        for id, type in ((300, TType.BOOL), (301, TType.BYTE), (-5, TType.I64)):
            protocol.writeFieldBegin("more", type, id)
            {TType.BOOL: protocol.writeBool, TType.BYTE: protocol.writeByte,
             TType.I64: protocol.writeI64}[type](1)
            protocol.writeFieldEnd()

    sock.sendall(frame(message("FindOne", other, 8)))
    assert Replies(sock).next() == (8, expected("find_one")["reply"])
    expect_calls_work(sock)


def test_oneway():
    sock = connect()
    calls = [message("FindOne", FindOneRequest("x"), 8, TMessageType.ONEWAY),
             message("Publish", PublishRequest("x", 1), 8, TMessageType.ONEWAY),
             message("NoSuchMethod", FindOneRequest("x"), 8, TMessageType.ONEWAY),
             message("Publish", FindOneRequest("x"), 8, TMessageType.ONEWAY)]
    sock.sendall(b"".join(map(frame, calls)))
    expect_calls_work(sock)


def nested(depth):
    """A struct with that many levels inside, field 9 of the arguments."""
    def write(protocol):
        for _ in range(depth):
            protocol.writeFieldBegin("deep", TType.STRUCT, 9)
            protocol.writeStructBegin("deep")
        for _ in range(depth):
            protocol.writeFieldStop()
            protocol.writeStructEnd()
            protocol.writeFieldEnd()
    return write


def test_deep():
    """As deep as is allowed, then deeper."""
    sock = connect()
    sock.sendall(frame(message("FindOne", nested(63), 9)))
    assert Replies(sock).next() == (9, expected("find_one")["reply"])
    for depth in (64, 65, 1000, 100000):
        sock = connect()
        try:
            sock.sendall(frame(message("FindOne", nested(depth))))
        except (ConnectionResetError, BrokenPipeError):
            continue
        expect_closed(sock)
    expect_calls_work()


def replace(data, old, new):
    assert data.count(old) == 1, (data, old)
    return data.replace(old, new)


def malformed():
    """Messages that no client may send; each closes its connection."""
    good = find_one()
    for type in (0, TMessageType.REPLY, TMessageType.EXCEPTION, 5, 7):
        yield find_one(type=type)
    yield message("x" * 256, FindOneRequest("x"))
    if variant != "simple":  # which takes other names
        yield message("", FindOneRequest("x"))
        yield message("Find\0One", FindOneRequest("x"))
    yield b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
    yield bytes(100)
    yield b"\xff" * 100
    if PROTOCOL is BINARY:
        yield replace(good, b"\x80\x01", b"\x80\x02")
        yield replace(good, b"\x80\x01", b"\x80\x00")
        for size in (b"\xff\xff\xff\xff", b"\x80\x00\x00\x00", b"\x7f\xff\xff\xff"):
            yield replace(good, b"\0\0\0\x08", size)
        for type in (1, 5, 7, 9, 16, 17, 127, 255):
            yield replace(good, b"\x0c\0\x01", bytes([type]) + b"\0\x01")
        for count in (b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff"):
            for container in (b"\x0f\x02", b"\x0f\x0c", b"\x0e\x0b", b"\x0d\x02\x03", b"\x0d\x0c\x0c"):
                yield replace(good, b"\x0c\0\x01", container[:1] + b"\0\x01" + container[1:] + count)
        for element in (0, 1, 5, 16):
            yield replace(good, b"\x0c\0\x01", b"\x0f\0\x01" + bytes([element]) + b"\x7f\xff\xff\xff")
    else:
        yield replace(good, b"\x82\x21", b"\x83\x21")
        yield replace(good, b"\x82\x21", b"\x82\x22")
        for size in (b"\xff\xff\xff\xff\x07", b"\xff\xff\xff\xff\x0f", b"\xff" * 9 + b"\x01", b"\xff" * 10):
            yield replace(good, b"\x18\x08", b"\x18" + size)
            yield replace(good, b"\x1c\x18", b"\x19\xfc" + size + b"\x18")
            yield replace(good, b"\x1c\x18", b"\x1b" + size + b"\xcc\x18")
        for type in (13, 14, 15):
            yield replace(good, b"\x1c", bytes([0x10 | type]))
        yield replace(good, b"\x82\x21\x01", b"\x82\x21" + b"\x80" * 10 + b"\x01")


def malformed_frames():
    good = find_one()
    yield b"\xff\xff\xff\xff" + good
    yield b"\x80\0\0\0" + good
    yield b"\x7f\xff\xff\xff" + good
    yield b"\0\0\0\0" + frame(good)
    yield frame(good + b"\0")
    yield frame(good + good)
    for size in range(len(good)):
        yield frame(good[:size])


def test_malformed():
    """One at a time, each after a good call that is answered before the end."""
    for bad in [frame(bad) for bad in malformed()] + (list(malformed_frames()) if FRAMED else []):
        sock = connect()
        sock.sendall(frame(find_one(3)) + bad)
        assert Replies(sock).next() == (3, expected("find_one")["reply"])
        try:
            sock.shutdown(socket.SHUT_WR)
        except OSError:  # closed already
            pass
        expect_closed(sock)
    expect_calls_work()


def test_body_limit():
    """The server runs with --body-limit 1000."""
    sock = connect()
    name = "a" * (1000 - len(message("Publish", PublishRequest("", 1))))
    if PROTOCOL is COMPACT:
        name = name[1:]
    at_limit = message("Publish", PublishRequest(name, 1))
    assert len(at_limit) == 1000
    sock.sendall(frame(at_limit))
    assert Replies(sock).next()[1]["code"] == 1
    over = name + "a" if variant != "simple" else 1001 * "a"  # where each string has the limit
    sock.sendall(frame(message("Publish", PublishRequest(over, 1))))
    expect_closed(sock)


def rss_bytes():
    with open("/proc/%d/statm" % PID) as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def test_memory():
    """What peers promise, and what they don't read, takes no memory."""
    expect_calls_work()
    before = rss_bytes()
    promises = []
    promise = frame(message("Publish", PublishRequest("a" * (15 << 20), 1)))[:1000]
    for _ in range(50):
        sock = connect()
        sock.sendall(promise)
        promises.append(sock)
    sock = connect_and_never_read()
    call = frame(find_one(0))
    sock.sendall(call)
    reply = sock.recv(1000)
    sent = send_until_full(sock, call * 1000)
    assert rss_bytes() - before < 5 << 20, (before, rss_bytes(), sent)
    # Then it reads, and gets every reply it is owed.
    owed = sent // len(call) * len(reply)
    received = bytearray()
    while len(received) < owed:
        received += sock.recv(1 << 20)
    assert received == reply * (sent // len(call))
    assert rss_bytes() - before < 5 << 20, (before, rss_bytes(), sent)


def test_mutations():
    """Random damage with a fixed seed; the server lives on and answers."""
    seed = random.Random(5)
    for _ in range(200):
        data = bytearray(frame(find_one()) + frame(message("Publish", PublishRequest("x", 3), 2)))
        for _ in range(seed.randint(1, 4)):
            at = seed.randrange(len(data))
            kind = seed.randrange(4)
            if kind == 0:
                data[at] = seed.randrange(256)
            elif kind == 1:
                data[at] ^= 1 << seed.randrange(8)
            elif kind == 2:
                del data[at:at + seed.randint(1, 8)]
            else:
                data[at:at] = seed.choice([b"\0", b"\xff", b"\x7f\xff\xff\xff", bytes(data[:at])])
        sock = connect()
        try:
            sock.sendall(data)
            sock.shutdown(socket.SHUT_WR)
            while sock.recv(65536):
                pass
        except (ConnectionResetError, BrokenPipeError, OSError):
            pass
        sock.close()
    expect_calls_work()


def test_drain():
    """SIGTERM while a message is half here: it is finished and answered."""
    sock = connect()
    call = frame(find_one(4))
    sock.sendall(call[:-3])
    time.sleep(0.1)
    os.kill(PID, 15)
    time.sleep(0.1)
    sock.sendall(call[-3:])
    assert Replies(sock).next() == (4, expected("find_one")["reply"])
    expect_closed(sock)


def has_ended():
    try:
        with open("/proc/%d/stat" % PID) as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_stop():
    """SIGTERM while a peer neither reads nor writes, having filled both directions."""
    sock = connect_and_never_read()
    send_until_full(sock, frame(find_one()) * 1000)
    os.kill(PID, 15)
    deadline = time.monotonic() + TIMEOUT_S
    while not has_ended():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    sock.close()


for server in sys.argv[2:]:
    variant, PORT, PID = server.split(":")
    PORT, PID = int(PORT), int(PID)
    PROTOCOL, FRAMED = VARIANTS[variant]
    globals()["test_" + sys.argv[1]]()
