"""An HTTP/1.1 server with one odd habit, for the scenarios of rpcbench load.

Usage: odd_server.py HABIT. Prints READY port=N, and on SIGTERM what it saw, as
"accepted=N requests=N". Each habit is a coroutine named after it.
"""

import asyncio
import signal
import sys

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
seen = {"accepted": 0, "requests": 0}


async def request(reader):
    """Reads one request without a body; counts it. Raises when the peer has closed."""
    head = await reader.readuntil(b"\r\n\r\n")
    seen["requests"] += 1
    return head


async def plain(reader, writer):
    while True:
        await request(reader)
        writer.write(OK)


async def slow(reader, writer):
    """Answers each request after 200 ms."""
    while True:
        await request(reader)
        await asyncio.sleep(0.2)
        writer.write(OK)


async def silent(reader, writer):
    while True:
        await request(reader)


async def one_by_one(reader, writer):
    """Takes eight requests, then answers one every 20 ms."""
    while True:
        for _ in range(8):
            await request(reader)
        for _ in range(8):
            await asyncio.sleep(0.02)
            writer.write(OK)


async def until_close(reader, writer):
    """A body without a length, ended by the close."""
    await request(reader)
    writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + b"x" * 5000)


async def five_each(reader, writer):
    """Closes after five replies without saying so."""
    for _ in range(5):
        await request(reader)
        writer.write(OK)


async def hangs_up(reader, writer):
    await request(reader)


async def first_ten(reader, writer):
    """Serves the first ten connections only; the others are accepted and never read."""
    if seen["accepted"] > 10:
        await asyncio.sleep(60)
    await plain(reader, writer)


async def twice(reader, writer):
    while True:
        await request(reader)
        writer.write(OK + OK)


async def errors(reader, writer):
    while True:
        await request(reader)
        writer.write(b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")


async def every_third_wrong(reader, writer):
    while True:
        await request(reader)
        writer.write(OK if seen["requests"] % 3 else OK[:-1] + b"!")


async def garbage(reader, writer):
    while True:
        await request(reader)
        writer.write(b"HTP/1.1 200 OK\r\n\r\n")
        await writer.drain()


async def trickle(reader, writer):
    """One byte at a time, with an interim reply, chunks and a trailer."""
    while True:
        await request(reader)
        for byte in (
            b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            b"1;x\r\nh\r\n1\r\ni\r\n0\r\nA: b\r\n\r\n"
        ):
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0)


async def changing(reader, writer):
    """Another header in each reply, so that no two replies are the same bytes."""
    while True:
        await request(reader)
        number = b"X-Number: %d\r\n" % seen["requests"]
        writer.write(OK.replace(b"\r\n\r\n", b"\r\n" + number + b"\r\n"))


async def huge(reader, writer):
    """64 MB in each reply."""
    chunk = b"y" * (1 << 20)
    while True:
        await request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (64 << 20))
        for _ in range(64):
            writer.write(chunk)
            await writer.drain()


async def main(habit):
    async def serve(reader, writer):
        seen["accepted"] += 1
        try:
            await habit(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=1024)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    print(f"READY port={server.sockets[0].getsockname()[1]}", flush=True)
    await stop.wait()
    print(f"accepted={seen['accepted']} requests={seen['requests']}", flush=True)


asyncio.run(main(globals()[sys.argv[1]]))
