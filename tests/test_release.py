"""A release: one version in all files, and a tag that publishes what was built and tried."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml

from copeland.version import __version__

ROOT = Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PUBLISH = ROOT / ".github" / "workflows" / "publish.yml"


def read_workflow(path):
    return yaml.load(path.read_text(), Loader=yaml.BaseLoader)  # its `on` is a word, not a truth


def check_tag(*words):
    return subprocess.run([ROOT / ".ci" / "tag", *words], capture_output=True, text=True)


def test_a_tag_is_the_version_that_the_changelog_and_the_citation_have():
    heads = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)
    citation = yaml.load((ROOT / "CITATION.cff").read_text(), Loader=yaml.BaseLoader)
    assert heads[:2] == ["Unreleased", f"{__version__} ({citation['date-released']})"]
    assert citation["version"] == __version__
    assert check_tag(f"v{__version__}").returncode == 0
    for wrong in ([], [__version__], [f"v{__version__}.1"], ["main"]):
        refused = check_tag(*wrong)
        assert refused.returncode == 1 and __version__ in refused.stderr


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_action_is_pinned_to_a_commit_and_may_only_read(path):
    workflow = read_workflow(path)
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        for step in job["steps"]:
            assert re.fullmatch(
                r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", step.get("uses", "a/b@" + 40 * "0")
            )


def test_a_tag_publishes_the_files_that_were_built_once_and_tried():
    workflow = read_workflow(PUBLISH)
    build, publish = workflow["jobs"]["build"], workflow["jobs"]["publish"]
    assert workflow["on"] == {"push": {"tags": ["v*"]}}
    assert list(workflow["jobs"]) == ["build", "publish"] and publish["needs"] == "build"
    assert [step["run"] for step in build["steps"] if "run" in step] == [
        '.ci/tag "$GITHUB_REF_NAME"',
        "make dist",
    ]
    assert not any("run" in step for step in publish["steps"])
    kept, taken = build["steps"][-1], publish["steps"][0]
    assert kept["with"]["name"] == taken["with"]["name"] == "dist"
    assert publish["permissions"] == {"id-token": "write"} and "secrets" not in PUBLISH.read_text()


def test_making_the_files_tries_them():
    chore = re.search(r"^dist:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert chore[1].splitlines()[-1] == "\t.ci/smoke"
    smoke = (ROOT / ".ci" / "smoke").read_text()
    for part in ("--help", "simulate", "study tell", "README.md", "/healthz", "--version"):
        assert part in smoke


def test_until_a_release_is_on_an_index_every_page_installs_from_a_checkout():
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    assert [
        page.name for page in pages if re.search(r"pip install '?copeland", page.read_text())
    ] == []
    for page, place in ((pages[0], "git clone"), (ROOT / "docs" / "index.md", "In a checkout")):
        assert place in page.read_text() and re.search(r"pip install '?\.", page.read_text())
