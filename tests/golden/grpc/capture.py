"""Prints requests and replies of protos/*.proto as Python's protobuf encodes them: NAME HEX.

    protoc -I protos --python_out=DIR unpkg.proto city.proto echo.proto
    PYTHONPATH=DIR /usr/bin/python3 tests/golden/grpc/capture.py > tests/golden/grpc/python.txt
"""
import json

import city_pb2
import echo_pb2
import unpkg_pb2
from google.protobuf import json_format

with open("protos/expect/find_one.json", encoding="utf-8") as file:
    find_one = json.load(file)

MESSAGES = {
    "find_one": unpkg_pb2.FindOneRequest(**find_one["request"]),
    "find_one_reply": json_format.ParseDict(find_one["reply"], unpkg_pb2.FindOneResponse()),
    "publish": unpkg_pb2.PublishRequest(name="koa-thrift", version=-3),
    "publish_reply": unpkg_pb2.PublishResponse(message="koa-thrift@-3"),
    "publish_nothing": unpkg_pb2.PublishRequest(),
    "publish_nothing_reply": unpkg_pb2.PublishResponse(
        code=1, message="name must have 1 to 256 bytes"),
    "echo": echo_pb2.CallRequest(name="w\u00f6rld \U0001f30d"),
    "echo_reply": echo_pb2.CallResponse(msg="Hello w\u00f6rld \U0001f30d"),
    "cities_reply": city_pb2.CitiesReply(cities=[
        city_pb2.City(country="AD", name="Sant Juli\u00e0 de L\u00f2ria",
                      lat=42.46372, lng=1.49129),
        city_pb2.City(country="ST", name="Null", lat=0, lng=-6.5),
    ]),
}

for name, message in MESSAGES.items():
    print(name, message.SerializeToString().hex() or "-")
