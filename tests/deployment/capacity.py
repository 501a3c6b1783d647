"""Computes what DynamoDB charges for one call from the items that it touched.

The rules are in the developer guide, "Item sizes and formats" and "Read and write operations". A unit
writes up to 1 KB and reads up to 4 KB. Each index entry that is put, replaced or removed is charged. An
entry whose key changes is charged twice.
"""

import base64
import math

WRITE_UNIT = 1024
READ_UNIT = 4096


def item_size(item):
    """Returns the bytes of an item in the low-level form, `{"name": {"S": "value"}}`."""
    return sum(len(name.encode()) + value_size(value) for name, value in item.items())


def value_size(value):
    """Returns the bytes of one value. A binary may be `bytes`, or base 64 as on the wire."""
    (kind, content), = value.items()
    if kind == "S":
        return len(content.encode())
    if kind == "N":
        return number_size(content)
    if kind == "B":
        return len(content if isinstance(content, bytes) else base64.b64decode(content))
    if kind in ("BOOL", "NULL"):
        return 1
    if kind == "M":
        return 3 + len(content) + item_size(content)
    if kind == "L":
        return 3 + len(content) + sum(value_size(member) for member in content)
    return sum(value_size({kind[0]: member}) for member in content)


def number_size(text):
    """Returns the bytes of a number: one per two significant digits, one for the exponent, one for a sign."""
    digits = text.lstrip("-").replace(".", "").strip("0") or "0"
    return math.ceil(len(digits) / 2) + 1 + text.startswith("-")


def write_units(old, new, indexes=(), keys=()):
    """Returns the units of one write that found the item `old` and left `new`. Either may be `None`.

    `indexes` is in the form that DescribeTable returns, and `keys` holds the names of the table's own
    keys. For a write whose condition failed, `new` is `old`.
    """
    size = max(item_size(old or {}), item_size(new or {}))
    units = max(1, math.ceil(size / WRITE_UNIT))
    return units + sum(index_units(index, keys, old, new) for index in indexes)


def index_units(index, keys, old, new):
    """Returns the units that the same write takes in one index."""
    names = [key["AttributeName"] for key in index["KeySchema"]]
    before, after = (entry(index, names, keys, item) for item in (old, new))
    if before == after:
        return 0
    if before is None or after is None:
        return math.ceil(item_size(after or before) / WRITE_UNIT)
    if all(before[name] == after[name] for name in names):
        return math.ceil(max(item_size(before), item_size(after)) / WRITE_UNIT)
    return sum(math.ceil(item_size(one) / WRITE_UNIT) for one in (before, after))


def entry(index, names, keys, item):
    """Returns an item's entry in an index, or `None` if the item lacks a key of the index."""
    if item is None or any(name not in item for name in names):
        return None
    projection = index["Projection"]
    if projection["ProjectionType"] == "ALL":
        return item
    kept = {*names, *keys, *projection.get("NonKeyAttributes", [])}
    return {name: value for name, value in item.items() if name in kept}


def read_units(items, consistent):
    """Returns the units of one read. The items of a Query are charged by their total size."""
    units = max(1, math.ceil(sum(item_size(item) for item in items) / READ_UNIT))
    return units if consistent else units / 2
