"""Keys as they are pressed, or lines where there is no keyboard.

By hand, because click's ``getchar`` loses what is typed ahead: between two keys it gives the terminal back, drops what
came in the meantime, and returns several keys at once as if they were one, Ctrl-C among them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_ENDS = {"A": "up", "B": "down", "C": "right", "D": "left"}
_ARROWS = {f"\x1b{kind}{end}": key for kind in "[O" for end, key in _ENDS.items()}
_ARROWS |= {"\x1b[5~": "up", "\x1b[6~": "down"}  # a page up and down
_WINDOWS_ARROWS = {"K": "left", "M": "right", "H": "up", "P": "down", "I": "up", "Q": "down"}
END = ""  # what reading gives when there is nothing more to come


@contextmanager
def answers() -> Iterator[Callable[[], str]]:
    """Give a function that waits for a key and returns it; for a line, if input is not a terminal.

    Arrow keys are ``"left"``, ``"right"``, ``"up"`` and ``"down"``; the end of the input is :data:`END`.
    """
    if not sys.stdin.isatty():
        yield _line
    elif sys.platform == "win32":
        yield _windows_key
    else:
        import termios
        import tty

        keyboard = sys.stdin.fileno()
        before = termios.tcgetattr(keyboard)
        # Keys at once and without echo, those typed ahead too; Ctrl-C works as ever.
        tty.setcbreak(keyboard, termios.TCSADRAIN)
        try:
            yield _key
        finally:
            termios.tcsetattr(keyboard, termios.TCSADRAIN, before)


def _line() -> str:
    line = sys.stdin.readline()
    return line.strip().lower() or " " if line else END


def _key() -> str:
    import os
    import select

    keyboard = sys.stdin.fileno()
    pressed = os.read(keyboard, 1).decode(errors="ignore")
    if pressed == "\x04":  # Ctrl-D
        return END
    # What an arrow key sends comes at once; the Escape key sends nothing more.
    while pressed.startswith("\x1b") and select.select([keyboard], [], [], 0.02)[0]:
        pressed += os.read(keyboard, 1).decode(errors="ignore")
        if pressed[-1].isalpha() and pressed[-1] != "O":
            break
    return _ARROWS.get(pressed, pressed.lower())


def _windows_key() -> str:
    import msvcrt

    pressed = msvcrt.getwch()  # type: ignore[attr-defined]
    if pressed in ("\x00", "\xe0"):
        return _WINDOWS_ARROWS.get(msvcrt.getwch(), " ")  # type: ignore[attr-defined]
    if pressed == "\x03":
        raise KeyboardInterrupt
    return END if pressed in ("\x04", "\x1a") else pressed.lower()
