"""Tests that verifications are cheap, that a stranger cannot spend much with the template's defaults, and that the page
says what both cost."""

import bill
from cost_table import DOCUMENT
from model import Template

# US dollars.
MOST_A_MILLION = 12
MOST_A_DAY = 20


def test_million_verifications_cost_less_than_twelve_dollars_without_kms():
    assert sum(bill.verification(Template()).values()) < MOST_A_MILLION


def test_stranger_spends_less_than_twenty_dollars_a_day():
    assert bill.total(Template()) < MOST_A_DAY


def test_page_has_both_bills():
    document = DOCUMENT.read_text(encoding="utf-8")
    assert document == bill.with_tables(document, Template()), "tests/deployment/bill.py updates it"
