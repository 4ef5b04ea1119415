"""The ledger, counted anew from a log with plain lists: what every ballot is, in which order, and how many units a certificate counts."""

import numpy as np

COST = 5


class Ballot:
    """An entry: a ballot, a vote that nobody asked for, or a pair and a case."""

    def __init__(self, pair, unit, dealt, start=0.0, lease=0.0, voter=None):
        self.pair, self.unit, self.dealt, self.voter = pair, unit, dealt, voter
        self.start, self.lease = start, lease
        self.state = "held"  # or answered, skipped, taken back, gone
        self.worth = 0
        self.said = []  # (winner or None, times, whether it is what was undone)

    def in_time(self, now):
        return abs(now - self.start) < self.lease

    def name_at(self, now):
        if self.state == "held":
            return "open" if self.in_time(now) else "missing"
        return "missing" if self.state == "gone" else self.state


class PlainLedger:
    def __init__(self, log, voters, missing, both_bad, lease, now, skips_tie=False):
        self.skips_tie, self.ties = skips_tie, set()
        self.voters, self.ignores, self.both_bad = voters, missing == "ignored", both_bad
        self.entries, self.units, self.counted, self.k = {}, [], 0, 0
        self.members = {}  # the cases of each cluster, if there are any
        self.excused, self.changed = set(), set()
        for event in log:
            getattr(self, f"_{event.kind}", lambda _e, _l: None)(event, lease)
        self.now = now

    def _created(self, event, _):
        self.k = len(event.body["options"])
        self.members = event.body.get("clusters", {}).get("cases", {})

    def _added(self, _event, _):
        self.k += 1

    def _excused(self, event, _):
        self.excused.add(event.voter)

    def _readmitted(self, event, _):
        self.excused.remove(event.voter)

    def _asked(self, event, lease):
        lease = (event.body or {}).get("lease", lease)
        if self.ignores:  # the oldest whose lease has ended are forgotten
            for one in [one for one in self.entries.values() if one.state == "held"]:
                if one.in_time(event.time):
                    break
                one.state = "gone"
            self._advance()
        key = self._key(event, event.number)
        one = self.entries.get(key)
        if one is not None and one.state in ("held", "taken back"):
            one.start, one.lease, one.voter = event.time, lease, event.voter
            return
        about = (event.time, lease, event.voter)
        self._enter(key, Ballot((event.left, event.right), self._unit(event, key), True, *about))

    def _unit(self, event, key):
        if self.members:
            of = [name for name, cases in self.members.items() if event.item in cases]
            return key[0], of[0]
        return event.voter if self.voters == "people" and event.voter is not None else key

    def _enter(self, key, entry):
        entry.item = key[1] if isinstance(key, tuple) else None
        old = self.entries.pop(key, None)
        if old is not None:  # a case that is handed out anew keeps its past, and has a new place
            self.entries[key, id(old)] = old
        self.entries[key] = entry
        after = (
            0 if self.members else self.counted
        )  # a cluster that is counted takes in its other cases
        if not any(unit == entry.unit for unit in self.units[after:]):
            self.units.append(entry.unit)
        entry.place = len(self.units) - 1 - self.units[::-1].index(entry.unit)

    def _key(self, event, number):
        if self.voters == "judge":
            return frozenset((event.left, event.right)), event.item
        return number

    def _meaning(self, event):
        if event.repeats is not None or event.outcome in ("skip", "error"):
            return None
        if event.outcome == "both_bad":
            return "tie" if self.both_bad == "tie" else None
        return event.outcome

    def _say(self, event, key, times, undone=False):
        winner = {"left": event.left, "right": event.right}.get(event.outcome)
        self.entries[key].said.append((winner, times, undone))

    def _voted(self, event, _):
        body = event.body or {}
        if not body.get("proves", True):
            return
        key = self._key(event, event.ballot or event.number)
        one, meaning, times = self.entries.get(key), self._meaning(event), body.get("times", 1)
        if event.outcome == "error":
            if self.ignores and one is not None and one.state == "held":
                one.state = "gone"
                self._advance()
            return
        if one is None or (event.ballot is None and one.state not in ("held", "taken back")):
            if meaning is None:
                return
            one = Ballot((event.left, event.right), self._unit(event, key), False)
            one.state = "answered"
            self._enter(key, one)
        elif one.state in ("held", "taken back") or (
            # What was said is undone, or another judge answers the case, where it may be a repeat.
            event.ballot is not None and (meaning is not None or self.voters != "judge")
        ):
            one.state = "skipped" if meaning is None else "answered"
        if meaning is not None:
            again = body.get("again") == "undone"
            self._say(event, key, times)
            if again or key in self.changed:
                self._say(event, key, -times, undone=True)
            if not again:
                one.worth += times
        self._count_skip(event, key)
        self._advance()

    def _undone(self, event, _):
        body = event.body or {}
        if not body.get("proves", True):
            return
        key = self._key(event, body.get("ballot") or event.undoes)
        meaning, times = self._meaning(event), body.get("times", 1)
        one = self.entries.get(key)
        if "own" in body and one is not None and one.state in ("held", "taken back"):
            return
        if "own" not in body:
            if meaning is not None:
                self._say(event, key, -times)
                self._say(event, key, times, undone=True)
            return
        if meaning is not None:
            self._say(event, key, -times)
            self._say(event, key, times, undone=True)
            self.changed.add(key)
            one.worth -= times
        elif self.voters == "judge" or (event.outcome == "error" and not self.ignores):
            return
        one.state = "taken back"

    def _counted(self, event, _):
        meaning = self._meaning(event._replace(repeats=None))
        if meaning is None:
            return
        key = self._key(event, (event.body or {}).get("ballot") or event.counts)
        if key not in self.entries:
            self._enter(key, Ballot((event.left, event.right), self._unit(event, key), False))
            self.entries[key].place = -1  # it came as a repeat, and is counted at once
        one = self.entries[key]
        if one.state != "answered":
            one.state = "answered"
        self._say(event, key, 1)
        self._say(event, key, -1, undone=True)
        self._count_skip(event, key)
        self._advance()

    def _count_skip(self, event, key):
        """Of exactly these cases, one that was handed out and skipped is a tie until there is a vote on it."""
        past = [e for e in self.entries.values() if e.pair and e.item == event.item]
        votes = sum(
            times
            for e in past
            if set(e.pair) == {event.left, event.right}
            for _, times, undone in e.said
            if not undone
        )
        has_vote = votes - (key in self.ties) > 0
        is_tie = self.skips_tie and not has_vote and (key in self.ties or event.ballot is not None)
        if is_tie != (key in self.ties):
            step = 1 if is_tie else -1
            self.entries[key].said.append((None, step, False))
            if key in self.changed or (event.body or {}).get("again") == "undone":
                self.entries[key].said.append((None, -step, True))
            self.ties ^= {key}

    def _worths(self, gone=()):
        for place in range(self.counted, len(self.units)):
            mine = [one for one in self.entries.values() if one.place == place]
            held = [one for one in mine if one.state in ("held", "taken back") and one not in gone]
            missing = self.outcome(self.units[place])[0][4] if self.members else len(held)
            yield sum(one.worth for one in mine) - COST * missing

    def outcome(self, unit):
        """What is known of a pair on a cluster, and was before any vote was undone: won, lost, tied, skipped, missing."""
        pair, cluster = unit
        first, found = min(pair), ([0] * 5, [0] * 5)
        for case in self.members[cluster]:
            one = self.entries.get((pair, case))
            if one is None or one.state in ("held", "taken back"):
                for outcome in found:
                    outcome[4] += 1
                continue
            past = [e for e in self.entries.values() if e.unit == unit and e.item == case]
            said = [one for entry in past for one in entry.said]
            for outcome, undone in zip(found, ((False,), (False, True)), strict=True):
                sums = [0, 0, 0]
                for winner, times, is_undone in said:
                    if is_undone in undone:
                        sums[2 if winner is None else int(winner != first)] += times
                outcome[:3] = [a + b for a, b in zip(outcome[:3], sums, strict=True)]
                outcome[3] += not any(sums)
        return tuple(map(tuple, found))

    def outcomes(self):
        """The outcomes of the clusters that are counted, in their order, each with its pair."""
        return [(*sorted(unit[0]), self.outcome(unit)) for unit in self.units[: self.counted]]

    def _best(self, gone=()):
        best = number = total = 0
        for n, worth in enumerate(self._worths(gone), 1):
            total += worth
            if total >= best:
                best, number = total, n
        return number

    def _advance(self):
        self.counted += self._best()

    def tables(self):
        """Wins, ties, undone wins, undone ties and missing answers of the units that are counted."""
        late = [
            one
            for one in self.entries.values()
            if one.state == "held" and not one.in_time(self.now)
        ]
        gone = late if self.ignores else []
        m = self.counted + (self._best(gone) if gone else 0)
        found = [np.zeros((self.k, self.k), int) for _ in range(5)]
        for one in self.entries.values():
            if one.place >= m:
                continue
            i, j = one.pair
            for winner, times, undone in one.said:
                wins, ties = found[2:4] if undone else found[:2]
                if winner is None:
                    ties[[i, j], [j, i]] += times
                else:
                    wins[winner, i + j - winner] += times
            if one.state in ("held", "taken back") and one not in gone:
                found[4][[i, j], [j, i]] += 1
        return found

    def _name(self, one):
        excused = one.voter in self.excused and one.state in ("held", "taken back")
        return "excused" if excused else one.name_at(self.now)

    def totals(self):
        """How many ballots were handed out, and what became of them."""
        dealt = [self._name(one) for one in self.entries.values() if one.dealt]
        names = ("answered", "skipped", "taken back", "open", "missing", "excused")
        return (len(dealt), *(dealt.count(name) for name in names))
