"""Calls GetCities by Python's gRPC library and compares the reply with the file.

Usage: PYTHONPATH=GENERATED cities_client.py PORT FILE
"""
import json
import struct
import sys

import city_pb2
import grpc
from google.protobuf import empty_pb2


def as_float(number):
    return struct.unpack("f", struct.pack("f", number))[0]


def main():
    with open(sys.argv[2], encoding="utf-8") as file:
        expected = [(c["country"], c["name"], as_float(c["lat"]), as_float(c["lng"]))
                    for c in json.load(file)["cities"]]
    with grpc.insecure_channel(f"127.0.0.1:{sys.argv[1]}") as channel:
        call = channel.unary_unary("/cityinfo.GeoCity/GetCities",
                                   request_serializer=empty_pb2.Empty.SerializeToString,
                                   response_deserializer=city_pb2.CitiesReply.FromString)
        reply = call(empty_pb2.Empty(), timeout=20)
    assert [(c.country, c.name, c.lat, c.lng) for c in reply.cities] == expected


main()
