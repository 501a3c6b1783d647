"""Writes into docs/operations.md what a stranger can spend in a day, computed from the template's defaults and the
prices here.

    .tools/aws-tools/bin/python tests/deployment/stranger_bill.py
"""

import sys
from pathlib import Path

from cost_table import DOCUMENT, PRICES, ROOT, replaced, row

sys.path.append(str(ROOT / "infra" / "rules"))
from model import Template  # noqa: E402

BEGIN, END = "<!-- stranger:begin -->", "<!-- stranger:end -->"
SECONDS = 86_400
# US dollars for a gigabyte of logs, and for a gigabyte-second of a function on arm64; us-east-1, 2026.
LOGS, COMPUTE = 0.50, 0.0000133334
# Bytes that one refused request logs: API Gateway's line, the function's two, and Lambda's two.
LOGGED = 350 + 480 + 600
# Time that Lambda charges for it, in seconds, with 256 MB.
BUSY = 0.002 * 0.25
# US dollars for a million minutes of a connection. An idle one is closed after ten.
CONNECTED, MINUTES = 0.25, 10


def answered():
    """Returns what a million refused requests cost behind their API: function, a read of the table, logs."""
    return PRICES["invocations"] + PRICES["readUnits"] + BUSY * COMPUTE * 1e6 + LOGGED * LOGS / 1e3


def limit(template, settings):
    """Returns the default of the parameter that limits a route, in requests a second."""
    return template.source["Parameters"][settings["ThrottlingRateLimit"]["Ref"]]["Default"]


def rows(template):
    """Yields each kind of route: its name, how many there are, their limit, and dollars a day."""
    stages = template.properties("AWS::ApiGatewayV2::Stage")
    http, socket = stages["HttpApiStage"], stages["SocketApiStage"]
    found = {}
    for route in template.properties("AWS::ApiGatewayV2::Route").values():
        if route["ApiId"] == {"Ref": "HttpApi"}:
            settings = http["RouteSettings"].get(route["RouteKey"], http["DefaultRouteSettings"])
            found.setdefault(settings["ThrottlingRateLimit"]["Ref"], []).append(limit(template, settings))
    for name, limits in sorted(found.items()):
        price = PRICES["requests"] + answered()
        yield f"routes with `{name}`", len(limits), limits[0], sum(limits) * SECONDS * price / 1e6
    rate = limit(template, socket["DefaultRouteSettings"])
    # Opened and closed by a function each, and left idle.
    price = PRICES["messages"] + 2 * answered() + CONNECTED * MINUTES
    yield "connections to the socket", 1, rate, rate * SECONDS * price / 1e6


def table(template):
    """Returns the table in Markdown."""
    found = list(rows(template))
    lines = [row(["", "routes", "a second, each", "$ a day"]), row(["---", "---:", "---:", "---:"])]
    lines += [row([name, str(count), f"{rate:g}", f"{cost:.2f}"]) for name, count, rate, cost in found]
    lines.append(row(["*all*", "", "", f"{total(template):.2f}"]))
    return "\n".join(lines)


def total(template):
    """Returns dollars a day."""
    return sum(cost for *_, cost in rows(template))


def main():
    document = Path(DOCUMENT).read_text(encoding="utf-8")
    DOCUMENT.write_text(replaced(document, BEGIN, END, table(Template())), encoding="utf-8")


if __name__ == "__main__":
    main()
