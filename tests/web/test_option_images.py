"""Images that a CSV file names: one for each option, or one for each option and item."""

import re
from dataclasses import replace

import pytest
from test_admin import create, links, png
from web_client import asks, send, vote

pytestmark = pytest.mark.slow  # left out of `make fast`

ITEMS = [
    ("A red cat", "flux", "cat-flux.png", "A cat on a mat."),
    ("A red cat", "sdxl", "cat-sdxl.png", "A cat in the rain."),
    ("Two dogs", "flux", "dogs-flux.png", "Dogs at a lake."),
    ("Two dogs", "sdxl", "dogs-sdxl.png", "Dogs on a sofa."),
]


def files(rows, head="item,name,image,text", chosen=None):
    table = "\n".join([head, *(",".join(row) for row in rows)])
    names = chosen if chosen is not None else [row[-2] for row in rows]
    images = [
        ("images", (name, png((40 * n + 10, 9, 9), (40 + n, 30)), "image/png"))
        for n, name in enumerate(names)
    ]
    return [("csv", ("rows.csv", table.encode(), "text/csv")), *images]


def test_each_item_is_shown_with_its_own_images(site):
    shared = create(site.admin(), pasted="", files=files(ITEMS))
    assert shared.url.path.endswith("/share")
    study = site.server.study(site.page())
    assert [option.name for option in study.options] == ["flux", "sdxl"]
    alts = {"A red cat": {"A cat on a mat.", "A cat in the rain."}}
    alts["Two dogs"] = {"Dogs at a lake.", "Dogs on a sofa."}
    widths = {
        "A cat on a mat.": 40,
        "A cat in the rain.": 41,
        "Dogs at a lake.": 42,
        "Dogs on a sofa.": 43,
    }
    seen = set()
    for _ in range(
        40
    ):  # chance deals one of the two items each time: 40 miss one in 1 of 5e11 runs
        if seen == set(alts):
            break
        browser, page = site.voter(links(shared)[0])
        shown = dict(re.findall(r'<img src="([^"]+)" alt="([^"]*)"', page.text))
        item = next(item for item in alts if item in page.text)
        assert set(shown.values()) == alts[item] and "flux" not in page.text
        for address, alt in shown.items():
            assert width(browser.get(address)) == widths[alt]
        vote(browser, page)
        seen.add(study.votes()[-1].item)
    assert seen == set(alts)


def width(answer):
    import io

    from PIL import Image

    return Image.open(io.BytesIO(answer.content)).width


def test_without_items_the_file_gives_names_and_words(site):
    rows = [("new", "b.png", "A blue page."), ("old", "a.png", "A grey page.")]
    shared = create(site.admin(), pasted="", files=files(rows, "name,image,text"))
    _, page = site.voter(links(shared)[0])
    assert asks(page) and 'alt="A blue page."' in page.text and "old" not in page.text


def test_the_preview_shows_an_item_and_its_images(site):
    admin = site.admin()
    create(admin, pasted="", files=files(ITEMS))
    page = admin.get(f"/admin/s/{site.page().slug}/preview")
    assert "A red cat" in page.text and page.text.count("/admin/media/") == 2
    address = re.search(r"/admin/media/\w+", page.text)[0]
    assert admin.get(address).status_code == 200


def test_the_forecast_counts_options_and_not_images(site):
    from web_client import send

    admin = site.admin()
    form = admin.get("/admin/new")
    page = send(admin, form, "/admin/new/expect", files=files(ITEMS), people="3")
    assert "With 2 options and 3 voters" in page.text


def test_a_name_in_what_an_item_shows_is_pointed_out(site):
    rows = [*ITEMS[:3], ("Two dogs", "sdxl", "dogs-sdxl.png", "Dogs by SDXL.")]
    admin = site.admin()
    create(admin, pasted="", files=files(rows))
    assert "could read a name" in admin.get(f"/admin/s/{site.page().slug}/options").text


@pytest.mark.quick
@pytest.mark.parametrize(
    ("rows", "chosen"),
    [
        (ITEMS, ["cat-flux.png"]),
        (ITEMS, [*(row[2] for row in ITEMS), "other.png"]),
        ([*ITEMS[:3], ("Two dogs", "sdxl", "dogs-sdxl.png", "")], None),
        ([*ITEMS[:3], ("", "sdxl", "dogs-sdxl.png", "Dogs.")], None),
        ([*ITEMS[:3], ("Two dogs", "sdxl", "", "Dogs.")], [row[2] for row in ITEMS[:3]]),
        ([*ITEMS, ITEMS[0]], None),
    ],
)
def test_a_file_that_does_not_fit_its_images_creates_nothing(site, rows, chosen):
    answer = create(site.admin(), pasted="", files=files(rows, chosen=chosen))
    assert answer.status_code == 422 and 'role="alert"' in answer.text
    assert site.server.store.pages() == []


def test_a_deleted_study_takes_its_images_with_it_and_leaves_those_that_others_show(site):
    rows = [("one", "1.png", "first"), ("two", "2.png", "second")]
    create(site.admin(), pasted="", files=files(rows, "name,image,text"))
    page = site.page()
    digests = {pane.media for pane in site.server.panes(page).values()}
    admin = site.admin()
    path = f"/admin/s/{page.slug}"
    send(admin, admin.get(f"{path}/manage"), f"{path}/duplicate", name="other")
    send(admin, admin.get(f"{path}/manage"), f"{path}/manage", does="delete", name=page.name)
    assert site.page(page.name) is None and len(digests) == 2
    assert all(site.server.store.image(one) for one in digests)
    site.server.delete(site.page("other"))
    assert not any(site.server.store.image(one) for one in digests)
    assert site.storage.names() == []


def test_results_and_the_dashboard_show_the_images(site):
    rows = [("one", "1.png", "first"), ("two", "2.png", "second")]
    create(site.admin(), pasted="", files=files(rows, "name,image,text"))
    page, admin = site.page(), site.admin()
    board = admin.get(f"/admin/s/{page.slug}/summary").text
    found = re.findall(r'<img class="thumb" src="([^"]+)"', board)
    assert sorted(width(admin.get(one)) for one in found) == [40, 41]
    assert site.browser().get(f"/r/{page.slug}/images/0").status_code == 404  # nobody may read yet
    site.server.store.save_page(replace(page, results="live"))
    public = site.browser()
    found = re.findall(r'<img class="thumb" src="([^"]+)"', public.get(f"/r/{page.slug}").text)
    assert sorted(width(public.get(one)) for one in found) == [40, 41]
    assert public.get(f"/r/{page.slug}/images/9").status_code == 404


def test_the_image_of_a_proved_winner_is_large_and_has_its_words(site):
    rows = [("one", "1.png", "first words"), ("two", "2.png", "second words")]
    create(site.admin(), pasted="", voters="independent", files=files(rows, "name,image,text"))
    page = replace(site.page(), results="live")
    site.server.store.save_page(page)
    places = f"/admin/s/{page.slug}/summary", f"/r/{page.slug}"
    for path in places:
        shown = site.admin().get(path).text
        assert "winners" not in shown and shown.count('alt="first words"') == 1
    study = site.server.study(page)
    study.add_votes([{"winner": "two", "loser": "one", "n": 40}])
    for path in (*places, f"/r/{page.slug}@{study.number}"):
        shown = site.admin().get(path).text
        large = re.search(
            r'<div class="winners">\s*<figure><img src="([^"]+)" alt="([^"]+)"', shown
        )
        assert large is not None and large[2] == "second words"
        assert width(site.admin().get(large[1])) == 41
        assert shown.count("<figcaption>") == 1
