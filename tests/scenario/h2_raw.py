"""A raw-socket client of gRPC servers over HTTP/2, for peers that mean ill.

Usage: h2_raw.py TEST PORT PID
TEST is the name of a function below without its test_.
"""
import os
import signal
import socket
import struct
import sys
import time

TIMEOUT_S = 20
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM, ACK, END_HEADERS = 1, 1, 4
ENHANCE_YOUR_CALM = 11
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
EMPTY = b"\0\0\0\0\0"
FIND_ONE = "/unpkg.Unpkg/FindOne"
CITIES = "/cityinfo.GeoCity/GetCities"


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def settings(*pairs):
    return frame(SETTINGS, 0, 0, b"".join(struct.pack(">HI", *pair) for pair in pairs))


def text(value):
    return bytes([len(value)]) + value.encode()


def request(stream, path, body=EMPTY, end=True):
    """RFC 7541: POST and http of the static table, then literals by names of it."""
    block = (b"\x83\x86\x04" + text(path) + b"\x01" + text("h") +
             b"\x0f\x10" + text("application/grpc"))
    return (frame(HEADERS, END_HEADERS, stream, block) +
            frame(DATA, END_STREAM if end else 0, stream, body))


def connect(first=settings()):
    peer = socket.create_connection(("127.0.0.1", PORT), TIMEOUT_S)
    peer.sendall(PREFACE + first)
    return peer


class Frames:
    """The frames that come from a peer: (type, flags, stream, payload)."""

    def __init__(self, peer):
        self.peer = peer
        self.data = b""

    def __iter__(self):
        return self

    def __next__(self):
        while len(self.data) < 9 or len(self.data) < 9 + int.from_bytes(self.data[:3], "big"):
            try:
                more = self.peer.recv(1 << 16)
            except ConnectionResetError:
                more = b""
            if not more:
                raise StopIteration
            self.data += more
        length = int.from_bytes(self.data[:3], "big")
        kind, flags, stream = struct.unpack(">BBI", self.data[3:9])
        payload, self.data = self.data[9:9 + length], self.data[9 + length:]
        return kind, flags, stream, payload

    def until(self, kind, flags=0):
        return next(f for f in self if f[0] == kind and f[1] & flags == flags)


def goaway_error(payload):
    return struct.unpack(">II", payload[:8])[1]


def memory_kib():
    with open(f"/proc/{PID}/status", encoding="utf-8") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))


def cpu_s():
    with open(f"/proc/{PID}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def check_alive():
    with connect() as peer:
        frames = Frames(peer)
        peer.sendall(request(1, FIND_ONE))
        assert b"rpc-server-benchmark" in frames.until(DATA)[3]
        frames.until(HEADERS, END_STREAM)


def test_slow_readers():
    """Windows that do not open, and sockets that are not read, cost little memory."""
    check_alive()
    before = memory_kib()
    shut = [connect(settings((4, 0))) for _ in range(4)]
    deaf = [connect(settings((4, 1 << 30)) + frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 1 << 30)))
            for _ in range(4)]
    for peer in shut + deaf:
        peer.sendall(b"".join(request(2 * i + 1, CITIES) for i in range(900)))
    time.sleep(0.5)
    check_alive()
    # All 7200 replies would be 290 MB.
    used = memory_kib() - before
    assert used < 100 << 10, used
    # The windows open: everything comes.
    peer = shut[0]
    peer.sendall(settings((4, 1 << 20)) + frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 1 << 30)))
    ends = 0
    for kind, flags, _, _ in Frames(peer):
        ends += kind == HEADERS and flags & END_STREAM
        if ends == 900:
            break
    assert ends == 900
    for peer in shut + deaf:
        peer.close()


def flood(what, n):
    """Sends n of a kind. Returns the error of the server's GOAWAY."""
    with connect() as peer:
        try:
            for i in range(0, n, 50):
                peer.sendall(b"".join(what(i + k) for k in range(50)))
        except OSError:
            pass
        for kind, _, _, payload in Frames(peer):
            if kind == GOAWAY:
                return goaway_error(payload)
    return None  # the reset of the connection overtook it


def test_floods():
    def reset(i):
        return request(2 * i + 1, FIND_ONE, end=False) + \
            frame(RST_STREAM, 0, 2 * i + 1, struct.pack(">I", 8))

    def ping(_):
        return frame(PING, 0, 0, b"12345678")

    for what, n in (reset, 20000), (ping, 100000), (lambda _: settings(), 100000):
        assert flood(what, n) in (None, ENHANCE_YOUR_CALM)
        check_alive()


def test_header_timeout():
    """The server runs with --header-timeout 100ms."""
    begun = frame(HEADERS, 0, 1, b"\x83")
    peers = [socket.create_connection(("127.0.0.1", PORT), TIMEOUT_S) for _ in range(3)]
    for peer, start in zip(peers, (b"", PREFACE[:10], PREFACE + settings() + begun)):
        peer.sendall(start)
    with connect() as good:
        frames = Frames(good)
        frames.until(SETTINGS, ACK)
        for peer in peers:
            for _ in Frames(peer):
                pass
        good.sendall(request(1, FIND_ONE))
        frames.until(HEADERS, END_STREAM)
    check_alive()


def test_idle_timeout():
    """The server runs with --idle-timeout 100ms: a GOAWAY tells what it took up, then the end."""
    with connect() as peer, connect() as unused:
        frames = Frames(peer)
        peer.sendall(request(1, FIND_ONE) + request(3, FIND_ONE))
        for _ in range(2):
            frames.until(HEADERS, END_STREAM)
        assert struct.unpack(">II", frames.until(GOAWAY)[3][:8]) == (3, 0)
        assert next(frames, None) is None
        frames = Frames(unused)
        assert struct.unpack(">II", frames.until(GOAWAY)[3][:8]) == (0, 0)
        assert next(frames, None) is None
    check_alive()


def test_drain():
    """GOAWAY twice, a call in between and one in flight are finished."""
    with connect() as peer, connect() as idle:
        frames = Frames(peer)
        idle_frames = Frames(idle)
        idle_frames.until(SETTINGS, ACK)
        peer.sendall(request(1, FIND_ONE, b"\0\0", end=False))
        frames.until(SETTINGS, ACK)
        os.kill(PID, signal.SIGTERM)
        assert struct.unpack(">II", frames.until(GOAWAY)[3][:8]) == ((1 << 31) - 1, 0)
        ping = frames.until(PING)[3]
        peer.sendall(request(3, FIND_ONE) + frame(PING, ACK, 0, ping))
        assert struct.unpack(">II", frames.until(GOAWAY)[3][:8]) == (3, 0)
        assert frames.until(HEADERS, END_STREAM)[2] == 3
        # Too late, and ignored; then the end of what is in flight.
        peer.sendall(request(5, FIND_ONE) + frame(DATA, END_STREAM, 1, b"\0\0\0"))
        assert frames.until(HEADERS, END_STREAM)[2] == 1
        assert next(frames, None) is None
        # The idle one is told, too, and need only answer.
        idle_frames.until(GOAWAY)
        idle.sendall(frame(PING, ACK, 0, idle_frames.until(PING)[3]))
        idle_frames.until(GOAWAY)
        assert next(idle_frames, None) is None


def test_stubborn():
    """Peers that answer nothing do not hold up the end; the caller measures it."""
    peers = [connect(), socket.create_connection(("127.0.0.1", PORT), TIMEOUT_S)]
    peers[0].sendall(request(1, FIND_ONE, b"\0\0", end=False))
    Frames(peers[0]).until(SETTINGS, ACK)
    start = time.monotonic()
    os.kill(PID, signal.SIGTERM)
    for peer in peers:
        for _ in Frames(peer):
            pass
    assert time.monotonic() - start < TIMEOUT_S / 2


def test_other_protocols():
    for greeting in (b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03",
                     b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", PORT), TIMEOUT_S) as peer:
            peer.sendall(greeting)
            assert peer.recv(100) == b""
    check_alive()


def test_idle():
    """A connection with a call that waits for a far deadline takes no time."""
    with connect() as peer:
        frames = Frames(peer)
        peer.sendall(request(1, FIND_ONE, b"\0", end=False))
        frames.until(SETTINGS, ACK)
        before = cpu_s()
        time.sleep(1)
        assert cpu_s() - before < 0.5


TEST, PORT, PID = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
globals()[f"test_{TEST}"]()
