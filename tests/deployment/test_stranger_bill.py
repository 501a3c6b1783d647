"""Tests that a stranger cannot spend much with the template's defaults, and that the page says how much."""

import stranger_bill
from cost_table import DOCUMENT
from model import Template

# US dollars a day.
MOST = 20


def test_stranger_spends_less_than_twenty_dollars_a_day():
    assert stranger_bill.total(Template()) < MOST


def test_page_has_the_bill():
    document = DOCUMENT.read_text(encoding="utf-8")
    wanted = stranger_bill.table(Template())
    between = document.split(stranger_bill.BEGIN)[1].split(stranger_bill.END)[0]
    assert between.strip() == wanted, "stranger_bill.py updates it"
