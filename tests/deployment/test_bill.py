"""Tests that verifications are cheap, that a stranger cannot spend much with the template's defaults, and that the page
says what both cost."""

import bill
from cost_table import DOCUMENT
from model import Template

# US dollars.
MOST_A_MILLION = 12
MOST_A_DAY = 22
MOST_A_DAY_OPENID = 15


def test_million_verifications_cost_less_than_twelve_dollars_without_kms():
    assert sum(bill.verification(Template()).values()) < MOST_A_MILLION


def test_stranger_spends_less_than_twenty_two_dollars_a_day():
    assert bill.total(Template()) < MOST_A_DAY


def test_openid_provider_that_is_off_costs_nothing():
    template = Template()
    assert sum("openid" in name for name in bill.answering(template)) == 0
    conditions = {name: one.get("Condition") for name, one in template.resources.items() if "OpenId" in name}
    assert conditions and None not in conditions.values()


def test_stranger_spends_less_than_fifteen_dollars_a_day_with_the_openid_provider():
    more = sum(cost for *_, cost in bill.kinds_of_routes(Template(), openid=True))
    assert 0 < more < MOST_A_DAY_OPENID


def test_ten_thousand_pages_cost_a_stranger_s_target_a_few_cents():
    found = bill.provider(Template())
    assert found["10,000 pages that a stranger opens"] < 0.05


def test_page_has_the_bills():
    document = DOCUMENT.read_text(encoding="utf-8")
    assert document == bill.with_tables(document, Template()), "tests/deployment/bill.py updates it"
