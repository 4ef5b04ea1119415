"""What the owner of a study does in a real browser, and what the voters make of it."""

import pytest
from browsing import says
from web_client import Site

pytestmark = pytest.mark.usefixtures("few_worlds")


@pytest.mark.slow
@pytest.mark.quick
def test_on_this_computer_alone_the_page_says_so_and_how_phones_come_in(live, somebody):
    live.study()
    live.link()
    page = somebody().see_study("/share")
    says(page.locator(".here-alone"), "Only this computer can open these links.")
    says(page.locator(".here-alone code"), "copeland serve --office")
    assert page.locator("img.qr").count() == 0  # no phone could follow it


def test_on_a_network_the_link_and_its_code_are_for_the_address_of_that():
    site = Site(url="http://192.168.1.20:8000")
    site.study()
    site.link()
    page = site.admin().get(f"/admin/s/{site.page().slug}/share").text
    assert 'value="http://192.168.1.20:8000/v/' in page and "/qr/" in page
    assert "Only this computer" not in page
