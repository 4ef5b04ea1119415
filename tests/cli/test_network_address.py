import socket

import pytest

from copeland.cli import serve
from copeland.cli.serve import find_network_address


@pytest.fixture
def network(monkeypatch):
    """A function that says what the route and the name of this computer tell."""

    def tell(route, name):
        monkeypatch.setattr(serve, "_find_route", lambda: route)
        monkeypatch.setattr(serve, "_look_up_name", lambda: name)

    return tell


@pytest.mark.parametrize(
    ("route", "name", "found"),
    [
        (["192.168.1.20"], ["127.0.1.1"], "192.168.1.20"),
        ([], ["127.0.1.1", "10.0.0.7"], "10.0.0.7"),  # a network without a way out
        (["100.64.3.4"], [], "100.64.3.4"),
        (["8.8.8.8"], ["172.16.0.2"], "172.16.0.2"),  # the internet is no local network
        (["8.8.8.8"], ["127.0.0.1"], None),
        ([], [], None),
    ],
)
def test_the_first_address_of_a_local_network_is_found(network, route, name, found):
    network(route, name)
    assert find_network_address() == found


def test_what_the_machine_itself_says_is_an_address_that_it_can_listen_at():
    address = find_network_address()
    if address is None:
        pytest.skip("this machine is on no local network")
    with socket.create_server((address, 0)) as one:
        assert one.getsockname()[0] == address


def test_a_socket_that_finds_no_way_and_a_name_that_is_unknown_are_no_errors(monkeypatch):
    def refuse(*_):
        raise OSError("no way")

    monkeypatch.setattr(socket, "gethostbyname_ex", refuse)
    monkeypatch.setattr(serve, "OUTSIDE", ("255.255.255.255", 9))  # which sockets refuse
    assert find_network_address() is None
