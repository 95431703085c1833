"""An upstream for the cities proxy with a habit, over HTTP and gRPC.

Usage: cities_upstream.py HABIT. Prints READY port=N grpc=M, then a line "asked LEG" for each request
and "cancelled LEG" for each that its client gave up; LEG is rest or grpc.
"""
import concurrent.futures
import socket
import sys
import threading
import time

import grpc

HABIT = sys.argv[1]
ONE = b'{"cities":[{"country":"AD","name":"Vila","lat":42.50,"lng":1.0e0}]}'
ONE_MESSAGE = b"\x0a\x14\x0a\x02AD\x12\x04Vila\x1d\x00\x00\x2a\x42\x25\x00\x00\x80\x3f"
BODIES = {
    "cut-json": ONE[:-1],
    "no-list": b'{"cities":{}}',
    "far": b'{"cities":[{"country":"AD","name":"Vila","lat":91,"lng":1}]}',
    "latin": b'{"cities":[{"country":"AD","name":"Vil\xe0","lat":9,"lng":1}]}',
}
MESSAGES = {
    "cut-json": ONE_MESSAGE[:-1],
    "no-list": b"\x0a\xff",
    "far": ONE_MESSAGE.replace(b"\x2a\x42", b"\xf8\x42"),
    "latin": ONE_MESSAGE.replace(b"Vila", b"Vil\xe0"),
}
DELAY_S = {"slow": 60, "delay": 0.3}.get(HABIT, 0)


def say(line):
    print(line, flush=True)


def has_gone(client, seconds):
    """True when the client closes within this time."""
    client.settimeout(seconds)
    try:
        return client.recv(1) == b""
    except TimeoutError:
        return False
    except ConnectionError:
        return True
    finally:
        client.settimeout(None)


def reply(client):
    body = BODIES.get(HABIT, ONE)
    head = b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n"
    if HABIT == "error":
        return client.sendall(head % (b"500 No", len(body)) + body)
    if HABIT == "cut":
        return client.sendall(head % (b"200 OK", 1000) + body)
    if HABIT == "garbage":
        return client.sendall(b"\x00\x00\x00\x00\xff garbage\r\n\r\n")
    if HABIT == "chunks":
        client.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        client.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for byte in body:
            client.sendall(b"1\r\n%c\r\n" % byte)
        return client.sendall(b"0\r\n\r\n")
    if HABIT == "until-end":
        return client.sendall(b"HTTP/1.1 200 OK\r\n\r\n" + body)
    return client.sendall(head % (b"200 OK", len(body)) + body)


def serve(client):
    with client:
        while request := client.recv(4096):
            if HABIT not in ("garbage", "cut"):
                assert request.startswith(b"GET /cities HTTP/1.1\r\n"), request
            say("asked rest")
            if DELAY_S and has_gone(client, DELAY_S):
                say("cancelled rest")
                return
            reply(client)
            if HABIT in ("cut", "until-end", "closes"):
                return


def accept(listener):
    while True:
        client, _ = listener.accept()
        threading.Thread(target=serve, args=(client,), daemon=True).start()


def get_cities(_request, context):
    say("asked grpc")
    if DELAY_S:
        over = threading.Event()
        context.add_callback(over.set)
        if over.wait(DELAY_S):
            say("cancelled grpc")
            return b""
    if HABIT == "error":
        context.abort(grpc.StatusCode.INTERNAL, "no")
    return MESSAGES.get(HABIT, ONE_MESSAGE)


def main():
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    threading.Thread(target=accept, args=(listener,), daemon=True).start()
    if HABIT in ("garbage", "cut"):
        port = listener.getsockname()[1]
        say(f"READY port={port} grpc={port}")
        time.sleep(120)
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(8))
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("cityinfo.GeoCity", {
        "GetCities": grpc.unary_unary_rpc_method_handler(get_cities)})])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    say(f"READY port={listener.getsockname()[1]} grpc={port}")
    time.sleep(120)


main()
