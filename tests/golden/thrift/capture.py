"""Prints the lines of python.txt. Needs build/gen/py (make check makes it)."""
import json
import os
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
sys.path.insert(0, os.path.join(ROOT, "build/gen/py"))

from thrift.protocol import TBinaryProtocol, TCompactProtocol
from thrift.Thrift import TMessageType, TType
from thrift.transport import TTransport
from unpkg import UnpkgService
from unpkg.ttypes import FindOneRequest, FindOneResponse, PublishRequest, PublishResponse, Repository

ENCODINGS = {
    "binary": lambda memory: TBinaryProtocol.TBinaryProtocol(memory),
    "old": lambda memory: TBinaryProtocol.TBinaryProtocol(memory, strictWrite=False),
    "compact": TCompactProtocol.TCompactProtocol,
}


def expected(call):
    with open(os.path.join(ROOT, "protos/expect", call + ".json")) as file:
        return json.load(file)


def find_one(protocol):
    client = UnpkgService.Client(protocol)
    client.send_FindOne(FindOneRequest(**expected("find_one")["request"]))


def publish(protocol):
    client = UnpkgService.Client(protocol)
    client._seqid = -1
    client.send_Publish(PublishRequest(**expected("publish")["request"]))


def reply(protocol, name, result, seqid):
    protocol.writeMessageBegin(name, TMessageType.REPLY, seqid)
    result.write(protocol)
    protocol.writeMessageEnd()


def find_one_reply(protocol):
    fields = expected("find_one")["reply"]
    fields["repository"] = Repository(**fields["repository"])
    reply(protocol, "FindOne", UnpkgService.FindOne_result(FindOneResponse(**fields)), 0)


def publish_reply(protocol):
    fields = expected("publish")["reply"]
    reply(protocol, "Publish", UnpkgService.Publish_result(PublishResponse(**fields)), -1)


def all_types(protocol):
    """One field of each type, then containers inside each other."""
    p = protocol
    p.writeMessageBegin("Any", TMessageType.ONEWAY, 2**31 - 1)
    p.writeStructBegin("args")
    scalars = [
        (TType.BOOL, p.writeBool, True), (TType.BOOL, p.writeBool, False),
        (TType.BYTE, p.writeByte, -1), (TType.I16, p.writeI16, -300),
        (TType.I32, p.writeI32, 2**31 - 1), (TType.I64, p.writeI64, -(2**63)),
        (TType.DOUBLE, p.writeDouble, 1.5), (TType.STRING, p.writeString, ""),
        (TType.STRING, p.writeString, "x" * 130),
    ]
    for number, (type, write, value) in enumerate(scalars):
        p.writeFieldBegin("f", type, 7 * number - 5)
        write(value)
        p.writeFieldEnd()
    for id, values in ((1000, []), (1001, [True, False]), (-1002, [True] * 20)):
        p.writeFieldBegin("f", TType.LIST, id)
        p.writeListBegin(TType.BOOL, len(values))
        for value in values:
            p.writeBool(value)
        p.writeListEnd()
        p.writeFieldEnd()
    p.writeFieldBegin("f", TType.MAP, 5)
    p.writeMapBegin(TType.I32, TType.SET, 2)
    for key in (1, -1):
        p.writeI32(key)
        p.writeSetBegin(TType.STRUCT, 2)
        for _ in range(2):
            p.writeStructBegin("s")
            p.writeFieldBegin("f", TType.MAP, 1)
            p.writeMapBegin(TType.STRING, TType.DOUBLE, key + 1)
            for _ in range(key + 1):
                p.writeString("k")
                p.writeDouble(-0.5)
            p.writeMapEnd()
            p.writeFieldEnd()
            p.writeFieldStop()
            p.writeStructEnd()
        p.writeSetEnd()
    p.writeMapEnd()
    p.writeFieldEnd()
    p.writeFieldStop()
    p.writeStructEnd()
    p.writeMessageEnd()


for encoding, factory in ENCODINGS.items():
    for write in (find_one, publish, find_one_reply, publish_reply, all_types):
        memory = TTransport.TMemoryBuffer()
        write(factory(memory))
        print(encoding, write.__name__, memory.getvalue().hex())
