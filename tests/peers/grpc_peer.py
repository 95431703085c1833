#!/usr/bin/python3
"""A gRPC server by Python's gRPC library, which counts what it is asked, for tests of rpcbench load.

It serves the suite's calls, and of a service of its own:
    /test.Test/CodeN   fails with the gRPC code N, in trailers alone; LateCodeN after a header
    /test.Test/Large   1 MiB
    /test.Test/Length  how many bytes the request has, as text
    /test.Test/Pause   answers after 20 ms
Prints READY port=N, and at its end, for each method, calls:METHOD=N, and at_once=N: the most
calls that it had at once.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import signal
import sys
import threading
import time

import grpc

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "build/gen/py"))

import city_pb2
import echo_pb2
import unpkg_pb2

CODES = {code.value[0]: code for code in grpc.StatusCode}
LARGE = bytes(i % 251 for i in range(1 << 20))


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return json.load(file)


def find_one(_):
    return FIND_ONE


def publish(request):
    asked = unpkg_pb2.PublishRequest.FromString(request)
    if OPTIONS.constant:
        asked = unpkg_pb2.PublishRequest(name="rpc-server-benchmark", version=2)
    return unpkg_pb2.PublishResponse(
        message=f"{asked.name}@{asked.version}").SerializeToString()


def get_cities(_):
    return CITIES


def call(request):
    name = echo_pb2.CallRequest.FromString(request).name
    if name == "32byte":
        return echo_pb2.CallResponse(payload=os.urandom(32)).SerializeToString()
    if OPTIONS.constant:
        name = "world"
    return echo_pb2.CallResponse(msg=f"Hello {name}").SerializeToString()


def large(_):
    return LARGE


def length(request):
    return str(len(request)).encode()


def pause(_):
    time.sleep(0.02)
    return b"paused"


METHODS = {
    "/unpkg.Unpkg/FindOne": find_one, "/unpkg.Unpkg/Publish": publish,
    "/cityinfo.GeoCity/GetCities": get_cities, "/echo.Streams/Call": call,
    "/test.Test/Large": large, "/test.Test/Length": length, "/test.Test/Pause": pause,
}


class Handler(grpc.GenericRpcHandler):
    """Finds the method of a call, and counts calls."""

    def __init__(self, stop_after, stop):
        self.lock = threading.Lock()
        self.calls = collections.Counter()
        self.running = self.at_once = 0
        self.stop_after = stop_after
        self.stop = stop

    def begin(self, name):
        with self.lock:
            self.calls[name] += 1
            self.running += 1
            self.at_once = max(self.at_once, self.running)
            if sum(self.calls.values()) == self.stop_after:
                self.stop.set()

    def service(self, details):
        path = details.method
        name = path.rsplit("/", 1)[1]

        def answer(request, context):
            self.begin(name)
            try:
                if path in METHODS:
                    return METHODS[path](request)
                if "LateCode" in name:
                    context.send_initial_metadata(())
                context.abort(CODES[int(name.split("Code")[1])], "as asked")
            finally:
                with self.lock:
                    self.running -= 1

        if path not in METHODS and not path.startswith(("/test.Test/Code", "/test.Test/LateCode")):
            return None
        return grpc.unary_unary_rpc_method_handler(answer)


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--port", type=int, default=0)
    p.add_argument("--max-streams", type=int, help="that a connection may have at once")
    p.add_argument("--stop-after", type=int, help="calls, after which it winds down")
    p.add_argument("--threads", type=int, default=16)
    p.add_argument("--constant", action="store_true", help="look at no request")
    return p.parse_args()


def main():
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    handler = Handler(OPTIONS.stop_after, stop)
    arguments = [("grpc.max_receive_message_length", -1)]
    if OPTIONS.max_streams:
        arguments.append(("grpc.max_concurrent_streams", OPTIONS.max_streams))
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(OPTIONS.threads), (handler,),
                         options=arguments)
    port = server.add_insecure_port(f"127.0.0.1:{OPTIONS.port}")
    server.start()
    print(f"READY port={port}", flush=True)
    stop.wait()
    server.stop(10).wait()
    for name, count in sorted(handler.calls.items()):
        print(f"calls:{name}={count}")
    print(f"at_once={handler.at_once}", flush=True)


OPTIONS = parse()
FIND_ONE = unpkg_pb2.FindOneResponse(**read("protos/expect/find_one.json")["reply"]) \
    .SerializeToString()
CITIES = city_pb2.CitiesReply(cities=[
    city_pb2.City(**c) for c in read("servers/common/cities-1500.json")["cities"]
]).SerializeToString()
main()
