"""The least of a row of numbers, and a row in order, without more memory than there is."""

from __future__ import annotations

from copeland.kernels.mark import kernel


@kernel
def take_cheapest(row, n, taken, room):
    """Mark the n least of a row, the first of equals; return their sum."""
    bound = find_nth(row, n, room)
    equals = n
    for value in row:
        equals -= int(value < bound)
    total = 0.0
    for at in range(len(row)):
        taken[at] = row[at] < bound or (row[at] == bound and equals > 0)
        if row[at] == bound:
            equals -= 1
        if taken[at]:
            total += row[at]
    return total


@kernel
def find_nth(row, n, room):
    """Return the n-th least of a row: Hoare's search."""
    copy_row(row, room)
    low, high = 0, len(row) - 1
    while low < high:
        pivot = room[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while room[i] < pivot:
                i += 1
            while room[j] > pivot:
                j -= 1
            if i <= j:
                room[i], room[j] = room[j], room[i]
                i += 1
                j -= 1
        if n - 1 <= j:
            high = j
        elif n - 1 >= i:
            low = i
        else:
            break
    return room[n - 1]


@kernel
def copy_row(row, room):
    """Copy a row."""
    for at in range(len(row)):
        room[at] = row[at]


@kernel
def sort(row):
    """Sort a row in place, the least first: Shell's way."""
    gap = 1
    while gap < len(row) // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for place in range(gap, len(row)):
            value, at = row[place], place
            while at >= gap and row[at - gap] > value:
                row[at] = row[at - gap]
                at -= gap
            row[at] = value
        gap //= 3
