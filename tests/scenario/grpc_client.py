"""Calls a gRPC server by Python's gRPC library, for the scenarios of the gRPC servers.

Usage: PYTHONPATH=GENERATED grpc_client.py TEST PORT PID
TEST is the name of a function below without its test_.
"""
import concurrent.futures
import json
import os
import signal
import sys
import time

import city_pb2
import echo_pb2
import grpc
import unpkg_pb2
from google.protobuf import empty_pb2, json_format

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
TIMEOUT_S = 20
FIND_ONE = "/unpkg.Unpkg/FindOne"
UNLIMITED = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]


def expect(call):
    with open(f"{ROOT}/protos/expect/{call}.json", encoding="utf-8") as file:
        return json.load(file)


def connect(*options):
    return grpc.insecure_channel(f"127.0.0.1:{PORT}", UNLIMITED + list(options))


def stub(channel, path, reply=None):
    """A method that takes a message or bytes, and gives a message, or bytes without @reply."""
    return channel.unary_unary(
        path,
        request_serializer=lambda m: m if isinstance(m, bytes) else m.SerializeToString(),
        response_deserializer=reply.FromString if reply else None)


def code_of(path, request, timeout=TIMEOUT_S, **options):
    """The code and the details that a call fails with."""
    with connect() as channel:
        try:
            stub(channel, path)(request, timeout=timeout, **options)
        except grpc.RpcError as error:
            return error.code(), error.details()
    return grpc.StatusCode.OK, ""


def check_alive():
    with connect() as channel:
        call = stub(channel, FIND_ONE, unpkg_pb2.FindOneResponse)
        reply = call(unpkg_pb2.FindOneRequest(name="a"), timeout=TIMEOUT_S)
        assert json_format.MessageToDict(reply) == expect("find_one")["reply"]


def test_calls():
    """All methods, several times on one connection."""
    with connect() as channel, open(f"{ROOT}/servers/common/cities-1500.json",
                                    encoding="utf-8") as file:
        cities = json.load(file)["cities"]
        find_one = stub(channel, FIND_ONE, unpkg_pb2.FindOneResponse)
        publish = stub(channel, "/unpkg.Unpkg/Publish", unpkg_pb2.PublishResponse)
        get_cities = stub(channel, "/cityinfo.GeoCity/GetCities", city_pb2.CitiesReply)
        echo = stub(channel, "/echo.Streams/Call", echo_pb2.CallResponse)
        for _ in range(3):
            reply = find_one(unpkg_pb2.FindOneRequest(name="koa"))
            assert json_format.MessageToDict(reply) == expect("find_one")["reply"]
            reply = publish(unpkg_pb2.PublishRequest(name="koa", version=-3))
            assert (reply.code, reply.message) == (0, "koa@-3")
            reply = get_cities(empty_pb2.Empty())
            assert [(c.country, c.name) for c in reply.cities] == \
                [(c["country"], c["name"]) for c in cities]
            assert echo(echo_pb2.CallRequest(name="w\u00f6rld")).msg == "Hello w\u00f6rld"
            payloads = {echo(echo_pb2.CallRequest(name="32byte")).payload for _ in range(5)}
            assert len(payloads) == 5 and {len(p) for p in payloads} == {32}


def test_many():
    """Many calls at once, on several connections."""
    def run(number):
        with connect(("grpc.use_local_subchannel_pool", 1)) as channel:
            publish = stub(channel, "/unpkg.Unpkg/Publish", unpkg_pb2.PublishResponse)
            cities = stub(channel, "/cityinfo.GeoCity/GetCities")
            futures = [publish.future(unpkg_pb2.PublishRequest(name=f"a{number}", version=i))
                       for i in range(200)]
            sizes = [cities.future(b"") for i in range(20)]
            assert [f.result(TIMEOUT_S).message for f in futures] == \
                [f"a{number}@{i}" for i in range(200)]
            assert len({len(f.result(TIMEOUT_S)) for f in sizes}) == 1

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(run, range(4)))


def test_errors():
    code = grpc.StatusCode
    assert code_of("/unpkg.Unpkg/Nope", b"")[0] == code.UNIMPLEMENTED
    assert code_of("/unpkg.Nope/FindOne", b"")[0] == code.UNIMPLEMENTED
    assert code_of(FIND_ONE, b"\xff")[0] == code.INVALID_ARGUMENT
    assert code_of(FIND_ONE, b"x" * 100, compression=grpc.Compression.Gzip)[0] == \
        code.UNIMPLEMENTED
    got, details = code_of("/echo.Streams/Call", echo_pb2.CallRequest(name="error"))
    assert got not in (code.OK, code.UNIMPLEMENTED) and details, (got, details)
    check_alive()


def test_body_limit():
    """The server runs with --body-limit 1000."""
    limit = 1000
    fits = unpkg_pb2.FindOneRequest(name="x" * (limit - 3))
    assert fits.ByteSize() == limit
    assert code_of(FIND_ONE, fits)[0] == grpc.StatusCode.OK
    for size in limit - 2, 100 * limit, 1000 * limit:
        big = unpkg_pb2.FindOneRequest(name="x" * size)
        assert code_of(FIND_ONE, big)[0] == grpc.StatusCode.RESOURCE_EXHAUSTED
    check_alive()


def test_header_limit():
    """The server runs with the default of 16 KiB, less than the client would send."""
    assert code_of(FIND_ONE, b"\n\x01a", metadata=[("a", "x" * 10000)])[0] == grpc.StatusCode.OK
    assert code_of(FIND_ONE, b"\n\x01a", metadata=[("a", "x" * 20000)])[0] == \
        grpc.StatusCode.RESOURCE_EXHAUSTED
    check_alive()


def test_given_up():
    """Calls that are too late, or cancelled, before the server looks at them; some may get
    there before it stops."""
    code = grpc.StatusCode
    with connect() as channel:
        cities = stub(channel, "/cityinfo.GeoCity/GetCities")
        cities(b"", timeout=TIMEOUT_S)
        os.kill(PID, signal.SIGSTOP)
        try:
            late = [cities.future(b"", timeout=0.2) for _ in range(100)]
            cancelled = [cities.future(b"", timeout=TIMEOUT_S) for _ in range(100)]
            time.sleep(0.1)
            for future in cancelled:
                future.cancel()
            assert code.DEADLINE_EXCEEDED in {f.code() for f in late}
            assert {f.code() for f in late} <= {code.OK, code.DEADLINE_EXCEEDED}
            assert {f.code() for f in cancelled} <= {code.OK, code.CANCELLED}
        finally:
            os.kill(PID, signal.SIGCONT)
        assert cities(b"", timeout=TIMEOUT_S)
    check_alive()


def test_drain():
    """Calls that are sent while the server is told to end all succeed, until it says goodbye."""
    with connect(("grpc.enable_retries", 0)) as channel:
        find_one = stub(channel, FIND_ONE)
        find_one(b"\n\x01a", timeout=TIMEOUT_S)
        futures = [find_one.future(b"\n\x01a", timeout=TIMEOUT_S) for _ in range(100)]
        os.kill(PID, signal.SIGTERM)
        start = time.monotonic()
        assert all(f.result(TIMEOUT_S) for f in futures)
        while os.path.exists(f"/proc/{PID}/fd/0") and time.monotonic() - start < TIMEOUT_S:
            time.sleep(0.01)


TEST, PORT, PID = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
globals()[f"test_{TEST}"]()
