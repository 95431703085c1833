"""Records what clients send to a gRPC server over HTTP/2.

    /usr/bin/python3 tests/golden/http2/capture.py PORT_OF_A_SERVER
writes the files beside this one: all bytes of one connection, in the client's direction.
"""
import os
import socket
import subprocess
import sys
import tempfile
import threading

import grpc

HERE = os.path.dirname(os.path.abspath(__file__))
BODY = b"\0\0\0\0\x03\n\x01a"  # FindOneRequest{name: "a"} behind its prefix
PATH = "/unpkg.Unpkg/FindOne"
TYPE = "content-type: application/grpc"


def pump(source, sink, record):
    while True:
        try:
            data = source.recv(1 << 16)
            if not data:
                break
            record += data
            sink.sendall(data)
        except OSError:
            break
    for peer in source, sink:
        try:
            peer.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def record(name, talk):
    """Runs talk(port) against a proxy, and keeps what the client sent."""
    sent = bytearray()
    listener = socket.create_server(("127.0.0.1", 0))
    client = threading.Thread(target=talk, args=(listener.getsockname()[1],))
    client.start()
    near, _ = listener.accept()
    far = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    back = threading.Thread(target=pump, args=(far, near, bytearray()))
    back.start()
    pump(near, far, sent)
    back.join()
    client.join()
    with open(f"{HERE}/{name}", "wb") as file:
        file.write(sent)


def grpcio(port):
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        call = channel.unary_unary(PATH)
        for _ in range(3):
            call(BODY[5:], timeout=20)


def run(*command):
    def talk(port):
        with tempfile.NamedTemporaryFile() as body:
            body.write(BODY)
            body.flush()
            url = f"http://127.0.0.1:{port}{PATH}"
            subprocess.run([body.name if part == "BODY" else "@" + body.name if part == "@BODY"
                            else url if part == "URL" else part for part in command],
                           check=True, stdout=subprocess.DEVNULL)
    return talk


record("grpcio", grpcio)
record("curl", run("curl", "-s", "--http2-prior-knowledge", "-H", TYPE, "-H", "TE: trailers",
                   "--data-binary", "@BODY", "URL"))
record("nghttp", run("nghttp", "-H", ":method: POST", "-H", TYPE, "-H", "te: trailers",
                     "-d", "BODY", "URL"))
record("h2load", run("h2load", "-n", "20", "-m", "10", "-H", TYPE, "-d", "BODY", "URL"))
