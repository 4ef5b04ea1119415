"""Input and surroundings that mean no good, one by one; tests/fuzz makes up more of them."""

import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from contextlib import suppress

import numpy as np
import pytest
from typer.testing import CliRunner

import copeland
from copeland.certificate.certificate import Certificate, certify
from copeland.cli import app
from copeland.errors import InvalidMatrix, InvalidParameter
from copeland.matrix import PreferenceMatrix
from copeland.support.npz import read_array, read_arrays

pytestmark = pytest.mark.slow  # left out of `make fast`

NESTED = "[" * 100_000


def run(*words, **how):
    return CliRunner().invoke(app, [str(word) for word in words], prog_name="copeland", **how)


def refused(*words, code=2):
    """The one sentence with which a command refuses."""
    result = run(*words)
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == code, result.output
    (sentence,) = result.stderr.splitlines()
    assert sentence.startswith("copeland: ")
    return sentence


def process(*words, folder, code="from copeland.cli import main; main()", **how):
    """The command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, words)],
        cwd=folder,
        stderr=subprocess.PIPE,
        **{"stdout": subprocess.PIPE} | how,
    )


def header(shape, descr="<f8"):
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    text += b" " * (63 - (10 + len(text)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


# Arrays in files


@pytest.mark.parametrize(
    "content",
    [
        header((10**6, 10**6)),
        header((60_000, 60_000)),
        header((2, 2)),
        header((-2, -2)),
        header((10**12,), "|V0"),
        header((2, 2), "|O") + b"x" * 64,
        header((2, 2)).replace(b"}", b" "),
        b"\x93NUMPY\x01\x00\x10\x00" + b"(" * 16,
        b"\x93NUMPY\x09\x09",
        b"",
    ],
)
def test_an_array_that_is_not_what_it_claims_is_refused_before_memory_is_taken(tmp_path, content):
    (tmp_path / "m.npy").write_bytes(content)
    with pytest.raises(ValueError):
        read_array(tmp_path / "m.npy")
    with zipfile.ZipFile(tmp_path / "m.npz", "w") as archive:
        archive.writestr("p.npy", content)
    with pytest.raises(ValueError):
        read_arrays(tmp_path / "m.npz")
    for name in ("m.npy", "m.npz"):
        assert name in refused("winners", tmp_path / name)


@pytest.mark.quick
def test_arrays_are_read_as_numpy_reads_them(tmp_path):
    arrays = {"p": np.eye(3), "names": np.array(["a", "bc"]), "one": np.array(3, np.int8)}
    np.savez_compressed(tmp_path / "a.npz", **arrays)
    np.save(tmp_path / "a.npy", np.asfortranarray(np.arange(6.0).reshape(2, 3)))
    found = read_arrays(tmp_path / "a.npz")
    assert {k: v.tolist() for k, v in found.items()} == {k: v.tolist() for k, v in arrays.items()}
    assert read_array(tmp_path / "a.npy").tolist() == [[0, 1, 2], [3, 4, 5]]
    assert read_arrays((tmp_path / "a.npz").read_bytes()).keys() == arrays.keys()


def test_every_broken_byte_of_an_archive_is_refused_or_harmless(tmp_path):
    copeland.load("cyclic-4").save(tmp_path / "m.npz")
    whole = (tmp_path / "m.npz").read_bytes()
    for place in range(len(whole)):
        broken = bytearray(whole)
        broken[place] ^= 0xFF
        (tmp_path / "broken.npz").write_bytes(broken)
        try:
            PreferenceMatrix.load(tmp_path / "broken.npz")
        except InvalidMatrix as error:
            assert "broken.npz" in str(error)


# JSON


@pytest.mark.parametrize(
    "content",
    [
        NESTED,
        '{"p": ' + NESTED,
        '{"p": [[0.5, 0.6], [0.4, 0.5]], "labels": 5}',
        '{"p": [[0.5, 1' + "0" * 400 + "], [0.4, 0.5]]}",
        '{"p": {"a": 1}}',
        "null",
    ],
)
def test_a_matrix_file_of_odd_json_is_refused(tmp_path, content):
    (tmp_path / "m.json").write_text(content)
    assert "m.json" in refused("winners", tmp_path / "m.json")


@pytest.mark.quick
def test_a_byte_order_mark_is_no_obstacle(tmp_path):
    (tmp_path / "m.json").write_text("[[0.5, 0.6], [0.4, 0.5]]", "utf-8-sig")
    assert run("winners", tmp_path / "m.json").exit_code == 0


CERTIFICATE = json.loads(certify([[0, 9], [1, 0]]).to_json())


@pytest.mark.sampled(40)
@pytest.mark.parametrize(
    "text",
    [
        NESTED,
        *("null", "5", "[]", "{}", '"x"', "[1]", '{"format": 1}'),
        *(
            json.dumps(CERTIFICATE | {name: value})
            for name in CERTIFICATE
            for value in (None, "x", 10**30, -1, [], [[0, 1]], {}, True, [99])
            if (name, value) != ("active", None)  # that is how it is
            and (name, value) not in (("digest", "x"), ("votes", 10**30), ("is_all", True))
            and not (name in ("best", "possible", "beats", "ties") and value == [])
            and not (name in ("beats", "ties") and value == [[0, 1]])
            and (name, value) != ("active", [])
        ),
    ],
)
def test_no_other_json_is_taken_for_a_certificate(tmp_path, text):
    with suppress(InvalidParameter):
        Certificate.from_json(text).statement  # noqa: B018, it must not break on what was let in
    (tmp_path / "c.json").write_text(text)
    refused("study", "verify", tmp_path / "c.json", "--storage", f"sqlite:///{tmp_path}/no.db")


def test_addresses_with_open_brackets_and_names_that_no_database_keeps_are_refused(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("COPELAND_STORAGE", f"sqlite:///{tmp_path}/s.db")
    run("study", "create", "tea", "-o", "green", "-o", "black")
    for url in ("http://[::1", "http://localhost:port/", "http://localhost:99999999"):
        sentence = refused("study", "judge", "tea", "--model", "m", "--url", url)
        assert "not the address of a chat endpoint" in sentence
    for name in ("\udcff", "t\0a", ""):
        assert "there is no study" in refused("study", "status", name)


# Outputs


def test_a_reader_that_has_enough_ends_the_command_quietly(tmp_path):
    for words in (("problems",), ("problems", "--json")):
        started = process(*words, folder=tmp_path)
        started.stdout.read(1)
        started.stdout.close()
        assert started.stderr.read() == b""
        started.stderr.close()
        assert started.wait() in (0, 141)  # 0 if all was written before


@pytest.mark.skipif(sys.platform == "win32", reason="shells of Windows close no streams")
def test_a_command_runs_with_its_outputs_closed(tmp_path):
    words = f"{sys.executable} -c 'from copeland.cli import main; main()'"
    for end, code in (("problems >&-", 0), ("problems 2>&- >/dev/null", 0), ("nonsense 2>&-", 2)):
        done = subprocess.run(["sh", "-c", f"{words} {end}"], capture_output=True, cwd=tmp_path)
        assert (done.returncode, done.stderr, done.stdout) == (code, b"", b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk_is_said_in_a_sentence(tmp_path):
    with open("/dev/full", "w") as full:
        started = process("problems", folder=tmp_path, stdout=full)
        said = started.communicate()[1].decode()
    assert started.returncode == 1
    assert said.startswith("copeland: ") and len(said.splitlines()) == 1


def test_an_output_that_lacks_letters_gets_them_escaped(tmp_path):
    env = os.environ | {"PYTHONIOENCODING": "ascii", "COPELAND_STORAGE": "sqlite:///s.db"}
    for words in (("create", "thé", "-o", "été", "-o", "hiver"), ("list",)):
        started = process("study", *words, folder=tmp_path, env=env)
        out, err = started.communicate()
        assert (started.returncode, err) == (0, b"")
        assert rb"th\xe9" in out


# Ctrl-C


def test_a_command_that_is_stopped_says_so(monkeypatch):
    def stop(*words):
        raise KeyboardInterrupt

    monkeypatch.setattr("copeland.problems.load", stop)
    assert refused("winners", "cyclic-4", code=130) == "copeland: stopped."


def test_an_import_of_votes_that_is_stopped_leaves_nothing_behind(tmp_path, monkeypatch):
    from copeland.study.log.event_log import Log

    monkeypatch.setenv("COPELAND_STORAGE", f"sqlite:///{tmp_path}/s.db")
    run("study", "create", "tea", "-o", "green", "-o", "black")
    votes = tmp_path / "votes.csv"
    votes.write_text("left,right,outcome\n" + "green,black,left\n" * 5)
    append = Log.append

    def stop(self, events):
        append(self, events)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Log, "append", stop)
        assert refused("study", "import", "tea", votes, code=130) == "copeland: stopped."
    assert json.loads(run("study", "status", "tea", "--json").stdout)["votes"] == 0
    assert run("study", "import", "tea", votes).exit_code == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no such signal")
def test_ctrl_c_while_python_imports_is_one_sentence(tmp_path):
    for pause in (0.15, 0.3):
        code = (
            "import sys, builtins, signal\n"
            "from copeland.cli import main\n"
            "assert 'numpy' not in sys.modules\n"  # nothing slow happens before main
            "print('go', flush=True)\n"
            "main()"
        )
        started = process("winners", "cyclic-4", folder=tmp_path, code=code)
        assert started.stdout.readline() == b"go\n"
        time.sleep(pause)
        started.send_signal(signal.SIGINT)
        said = started.communicate()[1].decode()
        if started.returncode != 0:  # else it was done before
            assert (started.returncode, said) == (130, "copeland: stopped.\n")


# Modules


def test_modules_are_there_as_the_docs_name_them():
    code = "import copeland; copeland.simulation.result_folder.versions(); copeland.problems.names(); copeland.theory.winners"
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        copeland.nonsense  # noqa: B018


# Databases


@pytest.fixture(params=["closed", "open"])
def read_only(request, tmp_path, monkeypatch):
    """A study in a file that may not be written: at rest, or while its writer still has it open."""
    from copeland.study.log import storage

    file = tmp_path / "s.db"
    work = copeland.create_study(
        "tea", ["green", "black"], f"sqlite:///{file}", voters="independent"
    )
    work.tell(work.ask(voter="ann"), "left", voter="ann")
    assert work.ask(voter="bob").id == 4
    if request.param == "closed":
        work.storage.dispose()
        assert not file.with_name("s.db-wal").exists()
    # Whoever may write everywhere cannot take that away from a file: say so in its place.
    monkeypatch.setattr(storage, "_is_read_only", lambda path: path == str(file))
    monkeypatch.setenv("COPELAND_STORAGE", f"sqlite:///{file}")
    yield tmp_path
    work.storage.dispose()


def test_a_read_only_database_can_be_looked_at(read_only):
    assert json.loads(run("study", "status", "tea", "--json").stdout)["votes"] == 1
    assert run("study", "list").exit_code == 0
    run("study", "certify", "tea", "--out", read_only / "c.json")
    assert run("study", "verify", read_only / "c.json").exit_code == 0
    for command, file in (("export", "v.csv"), ("report", "p.html")):
        words = ("--out", read_only / file) if command == "report" else (read_only / file,)
        assert run("study", command, "tea", *words).exit_code == 0
        assert (read_only / file).stat().st_size > 0


def test_a_read_only_database_takes_nothing_and_says_so(read_only):
    (read_only / "v.csv").write_text("left,right,outcome\ngreen,black,left\n")
    for words in (
        ("ask", "tea"),
        ("tell", "tea", "4", "left", "--voter", "bob"),
        ("undo", "tea", "--last"),
        ("close", "tea"),
        ("option", "add", "tea", "oolong"),
        ("import", "tea", read_only / "v.csv"),
        ("create", "milk", "-o", "a", "-o", "b"),
    ):
        assert "is read-only" in refused("study", *words)
    assert json.loads(run("study", "status", "tea", "--json").stdout)["votes"] == 1


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_file_without_the_right_to_write_is_read_only(tmp_path):
    copeland.create_study(
        "tea", ["green", "black"], f"sqlite:///{tmp_path}/s.db", voters="independent"
    )
    (tmp_path / "s.db").chmod(0o444)
    assert copeland.open_study("tea", f"sqlite:///{tmp_path}/s.db").standing().votes == 0


# Votes where a matrix is asked for


@pytest.mark.parametrize(
    "content",
    [
        "left,right,outcome\na,b,left\nb,a,left\na,b,a\na,c,tie\nb,c,right\nc,b,left\nb,c,skip\n",
        "winner,loser\na,b\nb,a\na,b\na,c\nc,a\nc,b\n",
        "a,b,c\n0,2,1\n1,0,0\n1,1,0\n",
    ],
)
def test_winners_reads_votes_and_counts(tmp_path, content):
    (tmp_path / "v.csv").write_text(content)
    found = PreferenceMatrix.load(tmp_path / "v.csv")
    assert found.labels == ("a", "b", "c")
    assert found.p.round(3).tolist() == [[0.5, 0.667, 0.5], [0.333, 0.5, 0.0], [0.5, 1.0, 0.5]]
    assert run("winners", tmp_path / "v.csv").exit_code == 0


def test_winners_reads_what_a_study_exports(tmp_path):
    work = copeland.create_study("tea", ["green", "black"], voters="independent")
    told = [work.tell(work.ask(voter="ann"), "green", voter="ann") for _ in range(3)]
    work.undo(told[0])
    work.export(tmp_path / "v.csv")
    assert PreferenceMatrix.load(tmp_path / "v.csv").p[0, 1] in (0.0, 1.0)


# Words of the command line


def test_grades_are_those_of_the_labels(tmp_path, monkeypatch):
    monkeypatch.setenv("COPELAND_CACHE", str(tmp_path / "cache"))
    rows = [f"{grade} qid:{q} 1:{grade} 2:{q}\n" for q in (1, 2) for grade in (0, 1, 2)]
    (tmp_path / "three.txt").write_text("".join(rows))
    words = ("rankers", "estimate", tmp_path / "three.txt", "--comparisons", "20", "--out")
    made = run(*words, tmp_path / "own.npz")
    assert made.exit_code == 0, made.stderr
    assert "the labels go up to 2: 3 grades" in made.stderr
    assert run(*words, tmp_path / "told.npz", "--grades", "3").exit_code == 0
    own, told = (read_arrays(tmp_path / f"{name}.npz") for name in ("own", "told"))
    assert own["wins"].tolist() == told["wins"].tolist()
    assert "from 0 to 1" in refused(*words, tmp_path / "no.npz", "--grades", "2")
    error = next(line for line in made.stdout.splitlines() if "standard error" in line)
    assert len(error.split(": ")[1]) <= 6  # not sixteen digits
