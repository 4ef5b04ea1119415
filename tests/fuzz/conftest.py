"""The folder in which commands and functions are tried."""

import shutil

import pytest
from fuzzing import CONTENTS, SUFFIXES

import copeland


@pytest.fixture(scope="session")
def template(tmp_path_factory):
    """A folder with good files and with files of every hostile content under every name."""
    from copeland.forecast.forecast import forecast_of
    from copeland.ranking import all_features, letor, synthetic
    from copeland.ranking.clicks import click_model
    from copeland.ranking.estimation import Protocol, estimate

    folder = tmp_path_factory.mktemp("fuzz")
    for name, content in CONTENTS.items():
        for suffix in SUFFIXES:
            (folder / f"{name}{suffix}").write_bytes(content)
    for name in ("folder", "folder.csv", "folder.npz"):
        (folder / name).mkdir()
    work = copeland.create_study(
        "tea", ["green", "black", "white"], f"sqlite:///{folder}/s.db", voters="independent"
    )
    for _ in range(3):
        work.tell(work.ask(voter="ann"), "left", voter="ann")
    work.ask(voter="ann")
    work.export(folder / "votes.csv")
    (folder / "cert.json").write_text(_certificate(work))
    forecast_of(work.standing().start, 1, 1)  # compiles what plans need before any clock runs
    work.storage.dispose()
    (folder / "options.csv").write_text("name,text\ngreen,grass\nblack,earth\n")
    (folder / "old.csv").write_text("id,answer\none,1\ntwo,2\nthree,3\n")
    (folder / "new.csv").write_text("id,answer\none,I\ntwo,II\nthree,3\n")
    (folder / "items.csv").write_text("name,text\none,1\ntwo,2\n")
    (folder / "items.jsonl").write_text('"one"\n{"text": "two"}\n')
    runs = copeland.simulate("cyclic-4", "random", 10, 2)
    copeland.simulation.result_folder.write(runs, folder / "results")
    collection = synthetic(queries=2, documents=3, features=5, seed=0)
    letor.write(collection, folder / "letor.txt")
    protocol = Protocol(click_model("perfect", 5), 20)
    found = estimate(collection, all_features(collection), protocol, folder / "parts")
    found.save(folder / "estimate.npz")
    shutil.copytree(folder, folder.with_name("kept"))
    return folder


def _certificate(work):
    from copeland.study.results.certificate_file import certificate_to_file

    return certificate_to_file(work)[1]
