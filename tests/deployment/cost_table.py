"""Writes the table of costs in docs/cost.md from the counts in costs.json and the prices here.

    python3 tests/deployment/cost_table.py

`test_write_units.py` counts real calls and fails if costs.json differs. With COUNTERSIGN_WRITE_COSTS=1
it updates costs.json instead.
"""

import json
from pathlib import Path

COUNTS = Path(__file__).with_name("costs.json")
ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "cost.md"
BEGIN, END = "<!-- cost-table:begin -->", "<!-- cost-table:end -->"

# US dollars per million, on demand, us-east-1, 2026.
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
    "acquisition": "starting a confirmation",
    "verification": "its text through AWS End User Messaging, and its webhook",
    "verificationOverHttp": "its text through an HTTP provider, and its webhook",
    "nonce": "its nonce, if the provider does not sign the body",
    "parts": "its second part, if its code is split between them",
    "furtherAttempt": "each further attempt at a webhook",
    "status": "reading a confirmation",
    "sweep": "the sweep, each minute, if nothing is due",
    "loginOpened": "creating a login",
    "loginWatched": "its browser's connection to the socket",
    "loginScanned": "opening it on a phone, and the browser's request",
    "loginConfirmed": "confirming it, the browser's request, and redeeming it",
    "loginProven": "verifying its proof with a registered key",
    "loginWebhook": "its webhook, if the app has a callback",
    "keyRegistered": "registering an association key",
    "keyRevoked": "revoking an association key",
    "phoneSetUp": "setting a phone up without an app",
    "phoneWebhook": "its webhook, if the app has a callback",
    "openIdOpened": "opening the page of the OpenID provider",
    "openIdStarted": "starting its text",
    "openIdTexted": "its text through AWS End User Messaging",
    "openIdLoggedIn": "its return, the client's tokens and the claims",
}
# Send, receive and delete: Lambda makes the latter two calls, which are also charged. Under load, both handle
# batches of ten messages.
REQUESTS_PER_MESSAGE = 3


def quantities(count):
    """Returns how much one row uses of each thing that has a price."""
    calls = count["calls"]
    return {
        "requests": count["requests"],
        "invocations": sum(count["invocations"].values()),
        "writeUnits": count["writeUnits"],
        "readUnits": count["readUnits"],
        "queueRequests": calls.get("sqs:SendMessage", 0) * REQUESTS_PER_MESSAGE,
        "signatures": calls.get("kms:Sign", 0),
        "messages": count["messages"],
    }


def dollars(amounts):
    """Returns what a million of a row cost, in US dollars."""
    return sum(amounts[name] * price for name, price in PRICES.items())


def number(value):
    """Formats a number without trailing zeros. Zero is an empty cell."""
    return f"{value:g}" if value else ""


def table(counts):
    """Returns the table in Markdown."""
    head = ["", *COLUMNS.values(), "$ per million"]
    lines = [row(head), row(["---"] + ["---:"] * (len(head) - 1))]
    for name, title in ROWS.items():
        amounts = quantities(counts[name])
        cells = [number(amounts[column]) for column in COLUMNS]
        lines.append(row([title, *cells, f"{dollars(amounts):.2f}"]))
    prices = [f"{PRICES[column]:.3f}".removesuffix("0") for column in COLUMNS]
    lines.append(row(["*$ per million*", *prices, ""]))
    return "\n".join(lines)


def row(cells):
    return "| " + " | ".join(cells) + " |"


def with_table(document, counts):
    """Returns the document with its table replaced by the one for `counts`."""
    return replaced(document, BEGIN, END, table(counts))


def replaced(document, begin, end, new):
    """Returns the document with what stands between two marks replaced."""
    before, found, rest = document.partition(begin)
    _, ended, after = rest.partition(end)
    if not (found and ended):
        raise SystemExit(f"{DOCUMENT.name} has no {begin} ... {end}")
    return f"{before}{begin}\n{new}\n{end}{after}"


def main():
    document = DOCUMENT.read_text(encoding="utf-8")
    wanted = with_table(document, json.loads(COUNTS.read_text(encoding="utf-8")))
    DOCUMENT.write_text(wanted, encoding="utf-8")


if __name__ == "__main__":
    main()
