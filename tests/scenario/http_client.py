"""A raw-socket client of the HTTP servers, for 10-http-servers.bats.

Usage: http_client.py TEST PORT PID
TEST is the name of a function below without its test_. The server of that port and process
serves GET / and GET /plaintext as http-hello does.
"""
import os
import random
import select
import signal
import socket
import sys
import time

TIMEOUT_S = 20
HELLO = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
PLAIN = b"GET /plaintext HTTP/1.1\r\nHost: a\r\n\r\n"
BODIES = {HELLO: b"Hello world", PLAIN: b"Hello, World!"}


def connect():
    return socket.create_connection(("127.0.0.1", PORT), TIMEOUT_S)


def read_all(peer):
    """What comes until the server closes."""
    parts = []
    while True:
        part = peer.recv(1 << 20)
        if not part:
            return b"".join(parts)
        parts.append(part)


def replies_of(data):
    """(status, body) of each reply in data, which all must be complete and have lengths."""
    found = []
    while data:
        head, data = data.split(b"\r\n\r\n", 1)
        lines = head.split(b"\r\n")
        length = next(int(line[16:]) for line in lines if line.startswith(b"Content-Length: "))
        assert len(data) >= length, (head, data)
        found.append((int(lines[0][9:12]), data[:length]))
        data = data[length:]
    return found


def ask(request):
    """The replies to a request, after which the client has no more to say."""
    with connect() as peer:
        peer.sendall(request)
        peer.shutdown(socket.SHUT_WR)
        return replies_of(read_all(peer))


def check_alive():
    assert ask(HELLO) == [(200, b"Hello world")]


def memory_kib():
    with open(f"/proc/{PID}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))


def cpu_s():
    with open(f"/proc/{PID}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_pipeline():
    """Thousands of requests at once, answered in order."""
    requests = random.Random(1).choices([HELLO, PLAIN], k=5000)
    assert ask(b"".join(requests)) == [(200, BODIES[request]) for request in requests]


def test_head():
    """The reply to HEAD is a head alone, with the length that GET would have."""
    for target in b"/", b"/nope":
        heads = []
        for method in b"GET", b"HEAD":
            with connect() as peer:
                peer.sendall(method + b" %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" % target)
                heads.append(read_all(peer).split(b"\r\n\r\n"))
        assert heads[0][1] != b"" and heads[1][1] == b"", heads
        assert b"Content-Length: %d" % len(heads[0][1]) in heads[0][0]
        assert b"Content-Length: %d" % len(heads[0][1]) in heads[1][0]


def test_pieces():
    """Requests in pieces of any size, each on its way before the next is sent."""
    pieces = random.Random(2)
    with connect() as peer:
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        data = (HELLO + PLAIN) * 20
        while data:
            size = pieces.randint(1, 12)
            peer.sendall(data[:size])
            data = data[size:]
            time.sleep(0.0005)
        peer.shutdown(socket.SHUT_WR)
        assert len(replies_of(read_all(peer))) == 40


def test_many_connections():
    """Connections that come and go: nothing is kept of them."""
    before = None
    for _ in range(4):
        peers = [connect() for _ in range(200)]
        for peer in peers:
            peer.sendall(HELLO + HELLO[:10])
        for peer in peers:
            assert replies_of(peer.recv(4096)) == [(200, b"Hello world")]
            peer.close()
        check_alive()
        before = before or memory_kib()
    assert memory_kib() < before + 1024, (before, memory_kib())


def test_back_pressure():
    """Peers that send and do not read: the server stops reading, and goes on when they read."""
    check_alive()
    before = memory_kib()
    block = HELLO * 1000
    peers = [connect() for _ in range(3)]
    sent = [0] * len(peers)
    for i, peer in enumerate(peers):
        peer.setblocking(False)
        while select.select([], [peer], [], 0.3)[1]:
            at = sent[i] % len(block)
            sent[i] += peer.send(block[at:] + block[:at])
            assert sent[i] < 200 << 20, "the server reads on"
    assert min(sent) > 100000
    grown = memory_kib() - before
    assert grown < 16 * 1024, grown  # a sanitizer keeps some of what was freed
    check_alive()
    for peer, size in zip(peers, sent):
        peer.settimeout(TIMEOUT_S)
        count = size // len(HELLO)
        if size % len(HELLO) == 0:
            peer.shutdown(socket.SHUT_WR)
        while count > 0:
            data = peer.recv(1 << 20)
            assert data
            count -= data.count(b"w")  # of "world"; there is no other in a reply
        peer.close()


def test_refusal_is_read():
    """A body over the limit that is being sent all the same: its sender gets to read the reply."""
    with connect() as peer:
        peer.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n")
        for _ in range(20):
            peer.sendall(b"x" * 100000)
        assert replies_of(peer.recv(4096))[0][0] == 413
        peer.shutdown(socket.SHUT_WR)
        assert read_all(peer) == b""


def test_header_timeout():
    """With --header-timeout 100ms. A header block that does not end is answered by 408."""
    with connect() as slow, connect() as drop, connect() as idle, connect() as body:
        idle.sendall(HELLO)
        assert len(replies_of(idle.recv(4096))) == 1
        body.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nh")
        slow.sendall(HELLO + HELLO[:-2])
        while not select.select([drop], [], [], 0.05)[0]:
            drop.sendall(b"G" if drop.fileno() % 2 else b"X")
        assert [status for status, _ in replies_of(read_all(slow))] == [200, 408]
        assert [status for status, _ in replies_of(read_all(drop))] == [408]
        idle.sendall(HELLO)
        assert len(replies_of(idle.recv(4096))) == 1
        body.sendall(b"i")
        assert replies_of(body.recv(4096))[0][0] == 405


def test_idle_timeout():
    """With --idle-timeout 100ms. A silent connection is closed without a word."""
    with connect() as silent, connect() as served:
        served.sendall(HELLO)
        assert len(replies_of(read_all(served))) == 1
        assert read_all(silent) == b""


def wait_for_refusal():
    end = time.monotonic() + TIMEOUT_S
    while time.monotonic() < end:
        try:
            connect().close()
        except ConnectionError:
            return
    raise AssertionError("still accepts")


def test_drain():
    """SIGTERM: what is in flight is finished, idle connections are closed at once."""
    idle, half, body, unread = (connect() for _ in range(4))
    idle.sendall(HELLO)
    assert len(replies_of(idle.recv(4096))) == 1
    half.sendall(HELLO + HELLO[:12])
    assert len(replies_of(half.recv(4096))) == 1
    body.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nh")
    unread.setblocking(False)
    while select.select([], [unread], [], 0.2)[1]:
        unread.send(HELLO * 1000)
    os.kill(PID, signal.SIGTERM)
    assert read_all(idle) == b""
    wait_for_refusal()
    half.sendall(HELLO[12:])
    body.sendall(b"i")
    last = read_all(half)
    assert replies_of(last) == [(200, b"Hello world")] and b"Connection: close" in last
    assert replies_of(read_all(body))[0][0] == 405
    unread.settimeout(TIMEOUT_S)
    assert read_all(unread).count(b"Hello world") > 1000


def test_out_of_descriptors():
    """With 24 descriptors at most. No spin while they are used up, and new life after that."""
    peers = [connect() for _ in range(40)]
    time.sleep(0.1)
    before = cpu_s()
    time.sleep(0.5)
    assert cpu_s() - before < 0.05
    for peer in peers:
        peer.close()
    check_alive()


def mutate(request, dice):
    """A request with a few bytes changed, copied or cut out."""
    data = bytearray(request)
    for _ in range(dice.randint(1, 4)):
        at = dice.randrange(len(data))
        kind = dice.randrange(4)
        if kind == 0:
            data[at] = dice.randrange(256)
        elif kind == 1:
            data[at:at] = dice.choice([b"\r\n", b"\n", b"\r", b"\0", b" ", b":", b"\t", b"%", b"\xff"])
        elif kind == 2:
            data[at:at] = data[at : at + dice.randint(1, 40)]
        else:
            del data[at : at + dice.randint(1, 8)]
        data = data or bytearray(b"\r")
    return bytes(data)


def test_hostile():
    """Thousands of damaged requests, some of them reset: the server goes on."""
    dice = random.Random(3)
    seeds = [
        HELLO,
        PLAIN * 3,
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
        b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nA: b\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello",
        b"GET http://a/?b#c HTTP/1.0\r\nConnection: keep-alive, upgrade\r\nUpgrade: h2c\r\n\r\n",
        bytes(range(256)) * 4,
    ]
    for _ in range(30):
        peers = [connect() for _ in range(100)]
        for peer in peers:
            for _ in range(dice.randint(1, 3)):
                try:
                    peer.sendall(mutate(dice.choice(seeds), dice))
                except ConnectionError:
                    break
        for peer in peers:
            if dice.randrange(3) == 0:
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            peer.close()
        check_alive()


if __name__ == "__main__":
    PORT = int(sys.argv[2])
    PID = int(sys.argv[3])
    globals()["test_" + sys.argv[1]]()
