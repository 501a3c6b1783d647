"""Tests of `capacity`, against the rules in DynamoDB's developer guide."""

import pytest

import capacity

DUE = {
    "IndexName": "due",
    "KeySchema": [{"AttributeName": "shard"}, {"AttributeName": "at"}],
    "Projection": {"ProjectionType": "KEYS_ONLY"},
}
KEYS = ["pk", "sk"]


def item(due=None, **more):
    held = {"pk": {"S": "a"}, "sk": {"S": "b"}, **more}
    if due is not None:
        held |= {"shard": {"N": "3"}, "at": {"N": str(due)}}
    return held


def test_item_size_is_the_sum_of_its_names_and_values():
    assert capacity.item_size({}) == 0
    assert capacity.item_size({"name": {"S": "é"}}) == 4 + 2
    assert capacity.item_size({"n": {"N": "1234567890123"}}) == 1 + 8
    assert capacity.item_size({"n": {"N": "-12"}}) == 1 + 3
    assert capacity.item_size({"b": {"B": "AAECAw=="}}) == 1 + 4
    assert capacity.item_size({"b": {"B": b"four"}}) == 1 + 4
    assert capacity.item_size({"m": {"M": {"k": {"BOOL": True}}}}) == 1 + 3 + 1 + 1 + 1
    assert capacity.item_size({"l": {"L": [{"S": "ab"}]}}) == 1 + 3 + 1 + 2
    assert capacity.item_size({"s": {"SS": ["ab", "c"]}}) == 1 + 3


@pytest.mark.parametrize(
    ("old", "new", "units"),
    [
        (None, item(), 1),
        (None, item(x={"S": "a" * 1100}), 2),
        # The larger of the old and the new item counts.
        (item(x={"S": "a" * 1100}), item(), 2),
        # The condition failed.
        (None, None, 1),
        # The item enters the index, stays, moves, and leaves.
        (item(), item(due=1), 2),
        (item(due=1), item(due=1, x={"S": "more"}), 1),
        (item(due=1), item(due=2), 3),
        (item(due=2), item(), 2),
    ],
)
def test_write_is_charged_for_the_item_and_its_index_entries(old, new, units):
    assert capacity.write_units(old, new, [DUE], KEYS) == units


def test_eventually_consistent_read_costs_half():
    assert capacity.read_units([], True) == 1
    assert capacity.read_units([item()], True) == 1
    assert capacity.read_units([item(x={"S": "a" * 5000})], True) == 2
    assert capacity.read_units([item()], False) == 0.5
