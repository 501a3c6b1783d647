"""Writes bills into docs/cost.md, computed from the template, the counts in costs.json and the prices here: what
a million verifications cost, what a stranger can spend in a day, and both for the OpenID provider.

    .tools/aws-tools/bin/python tests/deployment/bill.py
"""

import json
import sys

from cost_table import COUNTS, DOCUMENT, PRICES, ROOT, quantities, replaced, row

sys.path.append(str(ROOT / "infra" / "rules"))
import alarms  # noqa: E402
from model import Template  # noqa: E402

# US dollars, us-east-1, 2026: per gigabyte of ingested logs, and of logs stored for a month; per gigabyte-second of
# a function on arm64; per month for an alarm's metric, one of our metrics, a key, and a secret.
LOGS, KEPT, COMPUTE = 0.50, 0.03, 0.0000133334
ALARM, METRIC, KEY, SECRET = 0.10, 0.30, 1.00, 0.40
# Bytes of log: API Gateway's line; a function's line and its counters; Lambda's two lines about an invocation, which
# the defaults leave out.
ACCESS, OWN, REPORT = 300, 550, 600
# Milliseconds that Lambda charges per invocation. The dispatcher waits for the receiver.
BUSY = {"acquire": 2, "inbound-sms": 3, "dispatcher": 100}
# Polls of an idle queue per month: five pollers, three times a minute, before Lambda removes some.
POLLS = 5 * 3 * 43_200
MONTH = 43_200
SECONDS = 86_400
# US dollars per gigabyte that leaves AWS, and the kilobytes of a page of the OpenID provider with its headers.
TRANSFER, PAGE = 0.09, 10
# US dollars per million minutes of a WebSocket. An idle WebSocket is closed after ten.
CONNECTED, MINUTES = 0.25, 10


def memory(template, function):
    """Returns a function's memory in gigabytes."""
    _, properties = template.functions()[function]
    return properties["MemorySize"] / 1024


def logged_by_lambda(template):
    """Returns the bytes that Lambda logs about an invocation with the template's defaults."""
    return REPORT if template.source["Parameters"]["ReportLines"]["Default"] == "On" else 0


def counted(*rows):
    """Returns what rows of the table of costs use."""
    counts = json.loads(COUNTS.read_text(encoding="utf-8"))
    return [quantities(counts[row]) for row in rows]


def verification(template):
    """Returns what a million verified confirmations cost, over HTTP, by kind and without KMS."""
    used = counted("acquisition", "verificationOverHttp")
    amounts = {name: sum(part[name] for part in used) for name in PRICES}
    busy = sum(memory(template, name) * millis / 1e3 for name, millis in BUSY.items())
    logged = amounts["requests"] * ACCESS + amounts["invocations"] * (OWN + logged_by_lambda(template))
    return {
        "requests": amounts["requests"] * PRICES["requests"],
        "invocations": amounts["invocations"] * PRICES["invocations"],
        "their duration": busy * COMPUTE * 1e6,
        "reads and writes": sum(amounts[kind] * PRICES[kind] for kind in ("readUnits", "writeUnits")),
        "queues": amounts["queueRequests"] * PRICES["queueRequests"],
        "logs, kept for a month": logged * (LOGS + KEPT) / 1e3,
    }


def answering(template):
    """Returns the functions that answer HTTP requests with the template's defaults."""
    return [name for name in template.answering() if name != "openid"]


def fixed(template):
    """Returns what a deployment costs in a month without any traffic, and at most, by kind."""
    watched = [
        max(1, len(alarms.watched(alarm)))
        for name, alarm in template.properties("AWS::CloudWatch::Alarm").items()
        if template.resources[name].get("Condition") in ("HasAlarms", "HasListAlarm")
    ]
    sweep, = counted("sweep")
    each = sum(sweep[name] * price for name, price in PRICES.items()) + (OWN + logged_by_lambda(template)) * LOGS / 1e3
    return {
        f"{len(watched)} alarms over {sum(watched)} metrics": sum(watched) * ALARM,
        "our metrics, if all occur": len([*alarms.metrics(), *alarms.of_logs(template), *answering(template)]) * METRIC,
        "polls of both queues": 2 * POLLS * PRICES["queueRequests"] / 1e6,
        "the sweep": MONTH * each / 1e6,
        "the signing key and two secrets": KEY + 2 * SECRET,
    }


def answered(template):
    """Returns what a million refused requests cost behind their API: function, a read of the table, logs."""
    busy = 0.25 * 0.002 * COMPUTE * 1e6
    logged = ACCESS + OWN + logged_by_lambda(template)
    return PRICES["invocations"] + PRICES["readUnits"] + busy + logged * LOGS / 1e3


def in_use(template, condition):
    """Returns whether a route is that of a provider in use with the template's defaults."""
    either = template.source["Conditions"][condition].get("Fn::Or", [])
    defaults = {name: parameter["Default"] for name, parameter in template.source["Parameters"].items()}
    return any(defaults[given["Ref"]] == wanted for given, wanted in (one["Fn::Equals"] for one in either))


def limit(template, settings):
    """Returns the default of the parameter that limits a route, in requests a second."""
    return template.source["Parameters"][settings["ThrottlingRateLimit"]["Ref"]]["Default"]


# Reads of the table beyond one by a request that is refused: the keys that can have made a signature, and those of tests.
MORE_READS = {"ANY /passkeys/identify": 4}
# The conditions of the routes and the alarms of the OpenID provider, which is off by default.
OPENID, OPENID_ALARMS = "HasOpenId", "HasOpenIdAlarms"
# What a million requests to its routes use more than refused ones: a page leaves AWS, and a call starts a text.
ANSWERS = {"ANY /authorize": "openIdOpened", "ANY /authorize/{call}": "openIdStarted"}


def openid_answered(template, route):
    """Returns what a million requests to a route of the OpenID provider cost behind their API, if they are not refused."""
    if route not in ANSWERS:
        return answered(template)
    used, = counted(ANSWERS[route])
    stored = sum(used[kind] * PRICES[kind] for kind in ("readUnits", "writeUnits"))
    sent = PAGE * TRANSFER if ANSWERS[route] == "openIdOpened" else 0
    return answered(template) + stored + sent


def provider(template):
    """Returns what the OpenID provider costs, by kind: a month without logins, a million of them, and a stranger's pages."""
    watched = [
        alarm
        for name, alarm in template.properties("AWS::CloudWatch::Alarm").items()
        if template.resources[name].get("Condition") == OPENID_ALARMS
    ]
    rows = counted("openIdOpened", "openIdStarted", "openIdTexted", "openIdLoggedIn")
    amounts = {name: sum(part[name] for part in rows) for name in PRICES}
    logged = amounts["requests"] * ACCESS + amounts["invocations"] * (OWN + logged_by_lambda(template))
    busy = amounts["invocations"] * memory(template, "openid") * 0.003 * COMPUTE * 1e6
    calls = sum(amounts[name] * price for name, price in PRICES.items())
    opened, started = (PRICES["requests"] + openid_answered(template, route) for route in ANSWERS)
    return {
        f"a month: its key, its secret, {len(watched)} alarms, a metric": KEY + SECRET + len(watched) * ALARM + METRIC,
        "a million logins": calls + busy + logged * (LOGS + KEPT) / 1e3 + PAGE * TRANSFER,
        "10,000 pages that a stranger opens": opened / 100,
        "10,000 pages, and a text started on each": (opened + started) / 100,
    }


def stranger(template):
    """Yields each kind of route with the template's defaults: its name, how many there are, their limit, and dollars a day."""
    yield from kinds_of_routes(template, openid=False)
    socket = template.properties("AWS::ApiGatewayV2::Stage")["SocketApiStage"]
    rate = limit(template, socket["DefaultRouteSettings"])
    # A function each opens and closes it, and it is idle in between.
    price = PRICES["messages"] + 2 * answered(template) + CONNECTED * MINUTES
    yield "connections to the socket", 1, rate, rate * SECONDS * price / 1e6


def kinds_of_routes(template, openid):
    """Yields each kind of route of the HTTP API, those of the OpenID provider or all others, likewise."""
    http = template.properties("AWS::ApiGatewayV2::Stage")["HttpApiStage"]
    found = {}
    for route in template.properties("AWS::ApiGatewayV2::Route").values():
        if route["ApiId"] == {"Ref": "HttpApi"}:
            settings = http["RouteSettings"].get(route["RouteKey"], http["DefaultRouteSettings"])
            condition, used, unused = settings.get("Fn::If", (None, None, None))
            if (condition == OPENID) != openid:
                continue
            if openid:
                settings = used
            elif condition:
                settings = used if condition == "HasList" or in_use(template, condition) else unused
            # The signature of a text is verified without the table.
            signed = route["RouteKey"].startswith("ANY /inbound-sms/")
            behind = openid_answered(template, route["RouteKey"]) if openid else answered(template)
            more = MORE_READS.get(route["RouteKey"], -1 if signed else 0)
            price = PRICES["requests"] + behind + more * PRICES["readUnits"]
            rate = limit(template, settings)
            found.setdefault(settings["ThrottlingRateLimit"]["Ref"], []).append((rate, rate * SECONDS * price / 1e6))
    for name, costs in sorted(found.items()):
        yield f"routes with `{name}`", len(costs), costs[0][0], sum(cost for _, cost in costs)


def total(template):
    """Returns what a stranger can spend, in dollars a day."""
    return sum(cost for *_, cost in stranger(template))


def tables(template):
    """Returns the tables in Markdown, by the name of their marks."""
    whole, month = verification(template), fixed(template)
    lines = [row(["a million verifications", "$"]), row(["---", "---:"])]
    lines += [row([name, f"{cost:.2f}"]) for name, cost in whole.items()]
    lines.append(row(["*all, with a local key*", f"{sum(whole.values()):.2f}"]))
    lines.append(row(["*all, with KMS*", f"{sum(whole.values()) + PRICES['signatures']:.2f}"]))
    lines += ["", row(["a month, without traffic", "$"]), row(["---", "---:"])]
    lines += [row([name, f"{cost:.2f}"]) for name, cost in month.items()]
    lines.append(row(["*all*", f"{sum(month.values()):.2f}"]))
    found = [row(["", "routes", "a second, each", "$ a day"]), row(["---", "---:", "---:", "---:"])]
    found += [row([name, str(count), f"{rate:g}", f"{cost:.2f}"]) for name, count, rate, cost in stranger(template)]
    found.append(row(["*all*", "", "", f"{total(template):.2f}"]))
    whole_openid = [row(["the OpenID provider", "$"]), row(["---", "---:"])]
    whole_openid += [row([name, f"{cost:.2f}"]) for name, cost in provider(template).items()]
    more = list(kinds_of_routes(template, openid=True))
    others = [row(["", "routes", "a second, each", "$ a day"]), row(["---", "---:", "---:", "---:"])]
    others += [row([name, str(count), f"{rate:g}", f"{cost:.2f}"]) for name, count, rate, cost in more]
    others.append(row(["*all*", "", "", f"{sum(cost for *_, cost in more):.2f}"]))
    return {"whole": "\n".join(lines), "stranger": "\n".join(found), "openid": "\n".join([*whole_openid, "", *others])}


def with_tables(document, template):
    """Returns the document with the tables as they are now."""
    for name, new in tables(template).items():
        document = replaced(document, f"<!-- {name}:begin -->", f"<!-- {name}:end -->", new)
    return document


def main():
    document = DOCUMENT.read_text(encoding="utf-8")
    DOCUMENT.write_text(with_tables(document, Template()), encoding="utf-8")


if __name__ == "__main__":
    main()
