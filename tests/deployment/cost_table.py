"""What sessions cost on AWS: a table in docs/operations.md, from counts and prices.

    python3 tests/deployment/cost_table.py    writes the table anew from costs.json

The counts are those of real calls; `test_costs.py` measures them and holds costs.json to them. With
COUNTERSIGN_WRITE_COSTS=1 it writes costs.json instead.
"""

import json
from pathlib import Path

COUNTS = Path(__file__).with_name("costs.json")
DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "operations.md"
BEGIN, END = "<!-- cost-table:begin -->", "<!-- cost-table:end -->"

# US dollars for a million, us-east-1, 2026, on demand.
PRICES = {
    "requests": 1.00,
    "invocations": 0.20,
    "writeUnits": 0.625,
    "readUnits": 0.125,
    "queueRequests": 0.40,
    "signatures": 15.00,
    "messages": 1.00,
}
COLUMNS = {
    "requests": "HTTP API",
    "invocations": "Lambda",
    "writeUnits": "write units",
    "readUnits": "read units",
    "queueRequests": "SQS",
    "signatures": "KMS",
    "messages": "socket",
}
ROWS = {
    "acquisition": "a session begun",
    "verification": "its text through AWS End User Messaging, and the webhook delivered",
    "verificationOverHttp": "its text through a provider over HTTP, and the webhook delivered",
    "furtherAttempt": "each further attempt at a webhook",
    "status": "a look at a session",
    "sweep": "the sweep, each minute, where nothing is due",
    "loginOpened": "a login begun",
    "loginWatched": "its browser at the socket",
    "loginScanned": "a phone that opens it, and the browser's look",
    "loginConfirmed": "its confirmation, the browser's look, and the payload taken",
    "loginWebhook": "its webhook, for an app that wants one",
}
# For each message sent Lambda receives and deletes one in our name, and these are paid for too.
# Under load both go by batches of ten.
REQUESTS_A_MESSAGE = 3


def quantities(count):
    """How much of each thing that has a price one row takes."""
    calls = count["calls"]
    return {
        "requests": count["requests"],
        "invocations": sum(count["invocations"].values()),
        "writeUnits": count["writeUnits"],
        "readUnits": count["readUnits"],
        "queueRequests": calls.get("sqs:SendMessage", 0) * REQUESTS_A_MESSAGE,
        "signatures": calls.get("kms:Sign", 0),
        "messages": count["messages"],
    }


def dollars(amounts):
    """What a million of a row costs."""
    return sum(amounts[name] * price for name, price in PRICES.items())


def number(value):
    """Without a fraction where it has none; nothing for none."""
    return f"{value:g}" if value else ""


def table(counts):
    """The table in Markdown."""
    head = ["", *COLUMNS.values(), "$ a million"]
    lines = [row(head), row(["---"] + ["---:"] * (len(head) - 1))]
    for name, title in ROWS.items():
        amounts = quantities(counts[name])
        cells = [number(amounts[column]) for column in COLUMNS]
        lines.append(row([title, *cells, f"{dollars(amounts):.2f}"]))
    prices = [f"{PRICES[column]:.3f}".removesuffix("0") for column in COLUMNS]
    lines.append(row(["*$ for a million of it*", *prices, ""]))
    return "\n".join(lines)


def row(cells):
    return "| " + " | ".join(cells) + " |"


def written(document, counts):
    """The document with its table as it should be."""
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise SystemExit(f"{DOCUMENT.name} has no {BEGIN} ... {END}")
    return f"{before}{BEGIN}\n{table(counts)}\n{END}{after}"


def main():
    document = DOCUMENT.read_text(encoding="utf-8")
    wanted = written(document, json.loads(COUNTS.read_text(encoding="utf-8")))
    DOCUMENT.write_text(wanted, encoding="utf-8")


if __name__ == "__main__":
    main()
