"""The partition keys that requests to DynamoDB name, and the kinds of items that they belong to."""

import re


def partitions_of(request):
    """Returns the partition keys of a request about items or one partition of a table."""
    if "RequestItems" in request:
        return [key["pk"]["S"] for wanted in request["RequestItems"].values() for key in wanted["Keys"]]
    if "TransactItems" in request:
        return [partition_of(one) for item in request["TransactItems"] for one in item.values()]
    partition = partition_of(request)
    return [] if partition is None else [partition]


def partition_of(request):
    """Returns the partition key of a request about one item or one partition of a table, or `None`."""
    item = request.get("Key") or request.get("Item")
    if item:
        return item["pk"]["S"]
    # Policies limit only the index of apps to one partition.
    if request.get("IndexName", "apps") != "apps":
        return None
    # The first condition is on the partition key: a name and a value.
    condition = request.get("KeyConditionExpression", "")
    found = re.match(r"\s*\(?\s*\S+\s*=\s*(:\w+)", condition)
    return request["ExpressionAttributeValues"][found[1]]["S"] if found else None


def kind_of(partition):
    """Returns the kind of a partition's items, as the pattern that policies have for it: `QR#*`."""
    kind, mark, _ = partition.partition("#")
    return f"{kind}#*" if mark else kind
