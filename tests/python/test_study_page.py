# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The page of a study in a browser without a window."""

from __future__ import annotations

import shutil

import pytest

import study_world
from hornbeam.study import report

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """The open page, the errors it met and the addresses it asked for."""
    pytest.importorskip("plotly", reason="requirements-study.txt is not installed")
    browser_path = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))), None)
    if browser_path is None:
        pytest.skip("no chromium on the search path")
    path = report.write(study_world.small_study(), tmp_path_factory.mktemp("study"))
    with playwright.sync_playwright() as driver:
        try:
            browser = driver.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        except playwright.Error as error:
            pytest.skip(f"chromium does not start: {error}")
        page = browser.new_page(viewport={"width": 390, "height": 800})
        errors, asked = [], []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda told: errors.append(told.text) if told.type == "error" else None)
        page.on("dialog", lambda dialog: (errors.append("dialog"), dialog.dismiss()))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        yield page, errors, asked
        browser.close()


def test_plots_are_drawn_and_nothing_is_fetched(opened):
    page, errors, asked = opened
    assert page.locator(".plot svg.main-svg").count() >= 5
    assert page.locator("#performance .bars path").count() > 5
    assert errors == []
    assert all(address.startswith(("file:", "data:", "blob:")) for address in asked)


def test_it_fits_a_phone(opened):
    page, _, _ = opened
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_filters_and_switches_redraw(opened):
    page, errors, _ = opened
    whole = page.locator("#problem option").count()
    page.select_option("#set", index=1)
    assert 0 < page.locator("#problem option").count() < whole
    curve = "document.getElementById('profile').data[0].y.join()"
    before = page.evaluate(curve)
    page.select_option("#normalisation", "cutoff")
    assert page.evaluate(curve) != before
    assert errors == []


def test_hovering_names_the_configuration(opened):
    page, _, _ = opened
    page.locator("#performance").scroll_into_view_if_needed()
    box = page.locator("#performance .bars path").first.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.locator("#performance .hovertext").first.wait_for()
    assert "register_tile" in page.locator("#performance .hovertext").first.text_content()
