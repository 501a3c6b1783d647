"""Reads frames from standard input. Checks that Python's compact form of each body has the same bytes,
and that its metadata has the caller's value. Prints a report at the end."""

import json
import struct
import sys

HEAD = struct.Struct(">IIIB")


def check(written: str, body: str, comparable: bool) -> tuple[bool, bool]:
    again = json.dumps(json.loads(body), separators=(",", ":"), ensure_ascii=False)
    # `1e20` is written as an integer, and Python's integers are exact, so they are compared as doubles.
    metadata = json.loads(body, parse_int=float)["metadata"]
    return comparable and again == body, metadata == json.loads(written, parse_int=float)


def main() -> None:
    report = {"read": 0, "reserialised": 0, "kept": 0, "verified": 0, "wrong": []}
    stream = sys.stdin.buffer
    while head := stream.read(HEAD.size):
        *lengths, comparable = HEAD.unpack(head)
        written, body, _signature = (stream.read(length) for length in lengths)
        reserialised, kept = check(written.decode(), body.decode(), comparable == 1)
        report["read"] += 1
        report["reserialised"] += reserialised
        report["kept"] += kept
        right = kept and (reserialised or not comparable)
        if not right and len(report["wrong"]) < 5:
            report["wrong"].append(body.decode())
    print(json.dumps(report))


main()
