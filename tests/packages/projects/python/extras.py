"""The extras `limits` and `testing`, used as installed."""

from countersign import Countersign, PhoneRefusedError
from countersign.limits import Limit, StartLimiter
from countersign.testing import TestPhone


def limited() -> int:
    limiter = StartLimiter(per_browser=Limit(2, 60))
    starts = [limiter.take(browser="1", address="2001:db8::1", phone_number="+12025550100") for _ in range(3)]
    return sum(refusal is None for refusal in starts)


def refused() -> str:
    client = Countersign(url="https://countersign.example", api_key="cs_test_secret", app_key="cs_app_test")
    try:
        TestPhone(client, user_id="zoe").open("http://shop.example?sessionId=qrs_" + 32 * "0")
    except PhoneRefusedError as refusal:
        return refusal.reason
    return "none"


if __name__ == "__main__":
    print(limited(), refused())
