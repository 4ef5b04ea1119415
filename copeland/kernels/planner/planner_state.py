"""What the planner knows: the votes, what they prove, and the plan to prove the rest."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, TypeVar

import numpy as np

from copeland.errors import InvalidParameter
from copeland.kernels.arrays import ABSENT, Bools, Floats, Ints, new_record, put_in, take_out
from copeland.kernels.mark import kernel

Record = TypeVar("Record", bound=tuple[Any, ...])

NONE = -1

# Places in arrays of three.
WIN, WIN_GROWTH, LOSS = range(3)  # levels: for a win with l = 0, its growth with ln(l + 1), a loss
DELTA, EPOCH, DEPENDENT = range(3)  # promises; the last, whether votes may depend on each other

# A claim is priced at its believed gap plus so many standard deviations. With more of it, close options are
# tried for longer before a plan is given up; with less, a plan that had bad luck. For votes less is cheaper.
OPTIMISM_FOR_REGRET = 2.0
OPTIMISM_FOR_VOTES = 1.5
CHALLENGERS = 16  # the options of the highest plausible scores are planned for; if more, plans change too often
REFUTERS = 64  # the cheapest open losses that are remembered of each option, at most;
MANY_REFUTERS = 256  # all of them where they are shown together, among up to so many options
FEW = 8  # so many refuters are enough among many options: looking at all of them would take K^2 prices
FIRST_ROOM = 256  # pairs; doubled whenever they are used up
# Before there are votes gaps are taken to be near .2, as if eight votes had said so; then strengths count
# for 1 / (2 gap)^2 votes.
FIRST_GAP_SQUARED, FIRST_GAP_VOTES, FIRST_PRIOR = 0.04, 8.0, 6.25

# A tournament: the smallest of many numbers that change one at a time. Leaf i of a tree with room for K numbers is at
# K + i; node n holds the smaller of nodes 2n and 2n + 1.


def new_tree(leaves: int) -> Floats:
    """Return a tree whose leaves are all infinite."""
    return np.full(2 * leaves, math.inf)


@kernel
def put(tree, leaf, value):
    """Set a leaf, and the winners on the way to the top."""
    node = len(tree) // 2 + leaf
    tree[node] = value
    while node > 1:
        node //= 2
        smaller = min(tree[2 * node], tree[2 * node + 1])
        if tree[node] == smaller:
            return
        tree[node] = smaller


@kernel
def smallest(tree):
    """Return the smallest leaf's number."""
    return tree[1]


@kernel
def lowest_leaf(tree):
    """Return a leaf that holds the smallest number."""
    leaves = len(tree) // 2
    node = 1
    while node < leaves:
        node = 2 * node if tree[2 * node] <= tree[2 * node + 1] else 2 * node + 1
    return node - leaves


# Votes of the pairs that met, and nothing of those that did not: memory for 100,000 options. Each pair that ever met has
# an entry; a hash table leads from the pair to it, and from each option a linked list runs through its entries. Kernels
# allocate nothing: when the entries are used up the table is full, and `with_room` returns a larger copy.


class Meetings(NamedTuple):
    """The pairs that met, in the order of their first meeting."""

    slots: Ints  # a power of two of them: the entry of a pair by its hash, NONE if free
    first: Ints  # by entry: the lower of its two options
    second: Ints  # by entry: the higher
    won: Ints  # entries x 2: votes for the first, for the second
    tied: Ints  # by entry
    paid: Floats  # by entry: what its votes cost, in wins; at least 1 each
    pending: Ints  # by entry: answers under way
    following: Ints  # entries x 2: the entry that follows in the first's list, in the second's
    head: Ints  # by option: where its list begins
    met: Ints  # by option: how many others it met
    size: Ints  # (1,): the number of entries in use


def new_meetings(k: int, room: int) -> Meetings:
    """Return K options that never met, with entries for ``room`` pairs."""
    return new_record(
        Meetings,
        k,
        vectors="met",
        # At most half of them in use: chains stay short.
        slots=np.full(1 << (2 * room).bit_length(), NONE, np.int64),
        first=np.zeros(room, np.int64),
        second=np.zeros(room, np.int64),
        won=np.zeros((room, 2), np.int64),
        tied=np.zeros(room, np.int64),
        paid=np.zeros(room),
        pending=np.zeros(room, np.int64),
        following=np.full((room, 2), NONE, np.int64),
        head=np.full(k, NONE, np.int64),
    )


def with_room(meetings: Meetings, room: int) -> Meetings:
    """Return the same meetings with entries for ``room`` pairs."""
    larger = new_meetings(len(meetings.head), room)
    copy_into(larger, meetings._replace(slots=meetings.slots[:0]))  # which go by the room
    size = int(larger.size[0])
    _index_all(larger.slots, larger.first[:size], larger.second[:size])
    return larger


def copy_into(larger: Record, record: Record) -> Record:
    """Write what the arrays of a record hold into those of a larger one; return that."""
    for room, kept in zip(larger, record, strict=True):
        room[: len(kept)] = kept
    return larger


def _index_all(slots: Ints, first: Ints, second: Ints) -> None:
    """Put every entry where :func:`entry_of` will look for it: all at once, round by round."""
    waiting = np.arange(len(first))
    at = pair_hash(first, second) & (len(slots) - 1)
    while len(waiting):
        free = slots[at] == NONE
        _, placed = np.unique(at[free], return_index=True)  # of those that want a slot, one has it
        chosen = np.flatnonzero(free)[placed]
        slots[at[chosen]] = waiting[chosen]
        left = np.ones(len(waiting), bool)
        left[chosen] = False
        waiting, at = waiting[left], (at[left] + 1) & (len(slots) - 1)


@kernel
def pair_hash(a, b):
    """Return a whole number from 0 that looks random, for a < b."""
    x = (a * 0x1E3779B1 + b * 0x45EBCA77) & 0xFFFFFFFF
    x = ((x ^ (x >> 16)) * 0x7FEB352D) & 0xFFFFFFFF
    return x ^ (x >> 15)


@kernel
def full(meetings):
    """Tell whether there is no entry left for a new pair."""
    return meetings.size[0] == len(meetings.first)


@kernel
def entry_of(meetings, i, j):
    """Return the entry of a pair, NONE if it never met."""
    return meetings.slots[_slot(meetings, min(i, j), max(i, j))]


@kernel
def enter(meetings, i, j):
    """Return the entry of a pair, made now if it never met; there must be room."""
    a, b = min(i, j), max(i, j)
    slot = _slot(meetings, a, b)
    if meetings.slots[slot] != NONE:
        return meetings.slots[slot]
    entry = meetings.size[0]
    meetings.size[0] += 1
    meetings.slots[slot] = entry
    meetings.first[entry] = a
    meetings.second[entry] = b
    meetings.following[entry, 0] = meetings.head[a]
    meetings.following[entry, 1] = meetings.head[b]
    meetings.head[a] = meetings.head[b] = entry
    meetings.met[a] += 1
    meetings.met[b] += 1
    return entry


@kernel
def _slot(meetings, a, b):
    """Return the slot that holds the pair a < b, or the free one where it belongs."""
    mask = len(meetings.slots) - 1
    slot = pair_hash(a, b) & mask
    entry = meetings.slots[slot]
    while entry != NONE and (meetings.first[entry] != a or meetings.second[entry] != b):
        slot = (slot + 1) & mask
        entry = meetings.slots[slot]
    return slot


@kernel
def side_of(meetings, entry, option):
    """Return 0 if the option is the entry's first, 1 if it is its second."""
    return 0 if meetings.first[entry] == option else 1


@kernel
def claim_of(meetings, entry, winner):
    """Return the number that :class:`Claims` has for "the winner beats the other of this entry"."""
    return 2 * entry + side_of(meetings, entry, winner)


@kernel
def opponent(meetings, entry, option):
    """Return whom the option met in this entry."""
    return meetings.first[entry] + meetings.second[entry] - option


@kernel
def after(meetings, entry, option):
    """Return the entry that follows in the option's list, NONE at its end."""
    return meetings.following[entry, side_of(meetings, entry, option)]


# Claims "i beats j", each with the evidence for it; those strong enough are held. Evidence fades against a level that
# rises with time, so the claims held are kept in a heap, the weakest first: what falls below the level is found without
# a search.


class Claims(NamedTuple):
    """Two claims for each entry of the meetings: 2 e says that the first beats the second, 2 e + 1 the reverse."""

    evidence: Floats  # by claim, in nats
    place: Ints  # by claim: where in the heap, ABSENT if it is not held
    heap: Ints  # the claims held, the weakest first
    size: Ints  # (1,): how many are held
    lost: Ints  # by option: the claims held against it
    won: Ints  # by option: the claims held for it


def new_claims(k: int, room: int) -> Claims:
    """Return room for the claims of ``room`` entries, none of them held."""
    return new_record(
        Claims,
        k,
        vectors="lost won",
        evidence=np.zeros(2 * room),
        place=np.full(2 * room, ABSENT, np.int64),
        heap=np.zeros(2 * room, np.int64),
    )


@kernel
def is_held(claims, claim):
    """Tell whether a claim counts as proved."""
    return claims.place[claim] != ABSENT


@kernel
def set_evidence(claims, claim, winner, loser, evidence, level):
    """Give a claim its evidence; it is held if that is above the level."""
    claims.evidence[claim] = evidence
    if evidence > level:
        new = int(not is_held(claims, claim))
        claims.won[winner] += new
        claims.lost[loser] += new
        put_in(claims, claims.evidence, claim)
    elif is_held(claims, claim):
        release(claims, claim, winner, loser)


@kernel
def release(claims, claim, winner, loser):
    """Hold a claim no longer."""
    claims.won[winner] -= 1
    claims.lost[loser] -= 1
    take_out(claims, claims.evidence, claim)


@kernel
def weakest(claims):
    """Return the least evidence of the claims held; infinite if there are none."""
    return claims.evidence[claims.heap[0]] if claims.size[0] > 0 else math.inf


# Losses that are shown together, by the evidence of several pairs against one option; `prices` adds it up.


class Joint(NamedTuple):
    """Claims of more nats than the charge, a list for each loser, from its weakest up; what they show."""

    used: Bools  # (1,): whether evidence is added up at all
    nats: Floats  # by claim: n d; 0 if it is in no list
    stronger: Ints  # by claim: the next one in the list, NONE at its end
    weaker: Ints  # by claim: the one before it
    weakest: Ints  # by option: where its list begins
    number: Ints  # by option: the length of its list
    shown: Ints  # by option: losses that are shown, together or singly
    until: Floats  # a tree over the options: J of these, infinite where single claims show them
    share: Ints  # by option: parts in which the evidence for its last loss is planned; see `prices`
    aim: Floats  # by option: the nats that each part is to have
    slack: Floats  # by option: nats by which aims turned out to fall short


def new_joint(k: int, room: int, used: bool) -> Joint:
    """Return K options without evidence, with room for the claims of ``room`` entries."""
    claims = 2 * room if used else 0
    return new_record(
        Joint,
        k,
        vectors="number shown aim slack",
        used=used,
        nats=np.zeros(claims),
        stronger=np.full(claims, NONE, np.int64),
        weaker=np.full(claims, NONE, np.int64),
        weakest=np.full(k, NONE, np.int64),
        until=new_tree(k),
        share=np.ones(k, np.int64),
    )


# All of it: the planner


class Planner(NamedTuple):
    """What was voted, what that proves, and the plan to prove the rest."""

    meetings: Meetings
    claims: Claims
    joint: Joint
    points: Floats  # by option: votes won, and half of those tied
    votes: Ints  # by option
    credit: Floats  # by option: plausible wins over those it met
    skipped: Ints  # by option: l, the comparisons that its certificate leaves unproved
    asking: Bools  # by option: False while it is paused
    levels: Floats  # (3,): the evidence that a claim needs; see WIN, WIN_GROWTH, LOSS
    costly: Bools  # (1,): whether prices are regret, or votes
    optimism: Floats  # (1,): standard deviations by which a gap may be larger than believed
    caution: Floats  # (1,): evidence beyond ln t that few votes need, if they are regret
    promise: Floats  # (3,): whence the levels come, if they are votes; see DELTA, EPOCH, DEPENDENT
    margin: Floats  # (1,): "i beats j" means p_ij > 1/2 - margin
    exclusive: Bools  # (1,): whether a claim that is held rules the other of its pair out of plans
    contradicted: Bools  # (1,): whether what is laid out needs a claim that is ruled out by now
    prior: Floats  # (1,): votes that strengths count for
    gaps: Floats  # (2,): to estimate it, sums over pairs of weights and of weighted squared gaps
    counted: Ints  # (1,): votes in all
    compared_at: Ints  # (1,): the votes at the last comparison
    edition: Ints  # (1,): number of the edition that lists of losses must have to be up to date
    listed_at: Ints  # (1,): the votes when the edition began
    edition_level: Floats  # (1,): the level for a loss by then
    wanted: Ints  # (1,): how many losses of each option are to be listed at least
    top: Floats  # (1,): the highest plausible score
    champion: Ints  # (1,)
    chosen_at: Ints  # (1,): the votes when it was chosen, or confirmed
    plans_made: Ints  # (1,): how many plans that took, or as much work
    last_price: Floats  # by option: weight of its last plan, see `plan`; 0 if a new one is due
    price: Floats  # (1,): of what can be asked of the champion's certificate, now
    price_when_chosen: Floats  # (1,): or when it was last confirmed
    planned: Bools  # by option: whether the champion is to be proved to beat it
    refuter: Ints  # by option: who is to prove that it loses once more
    leaf_price: Floats  # 2 K: of the champion's win over each option; of the other losses of each
    unproved: Ints  # (1,): how many of these are not free
    risk: Floats  # a tree over the 2 K leaves: those to ask for, the riskiest first
    challengers: Ints
    cheap: Ints  # K x room: who would prove a loss of each option, the cheapest first
    cheap_price: Floats
    cheap_risk: Floats  # standard deviations by which each is believed to win, when it was listed
    cheap_edition: Ints  # by option: the edition of its row
    row: Floats  # room for a number of each option
    fresh: Bools  # room for K
    left_out: Bools  # room for K
    heap: Ints  # room for K options

    def counts(self) -> tuple[Ints, Ints]:
        """Return wins and ties of all pairs, K x K."""
        met, k = self.meetings, len(self.points)
        size = int(met.size[0])
        first, second = met.first[:size], met.second[:size]
        wins, ties = np.zeros((k, k), np.int64), np.zeros((k, k), np.int64)
        wins[first, second], wins[second, first] = met.won[:size].T
        ties[first, second] = ties[second, first] = met.tied[:size]
        return wins, ties


def new_planner(k: int, costly: bool, margin: float, joint: bool = False) -> Planner:
    """Return a planner of K options without a vote; ``joint`` lets losses be shown together."""
    room = FIRST_ROOM
    refuters = k if joint and k <= MANY_REFUTERS else min(k, REFUTERS)
    return new_record(
        Planner,
        k,
        vectors="points votes credit skipped last_price planned cheap_edition row fresh left_out heap",
        meetings=new_meetings(k, room),
        claims=new_claims(k, room),
        joint=new_joint(k, room, joint),
        asking=np.ones(k, np.bool_),
        levels=np.zeros(3),
        costly=costly,
        optimism=OPTIMISM_FOR_REGRET if costly else OPTIMISM_FOR_VOTES,
        promise=np.zeros(3),
        margin=margin,
        exclusive=costly and margin == 0,
        prior=FIRST_PRIOR,
        gaps=np.array([FIRST_GAP_VOTES, FIRST_GAP_VOTES * FIRST_GAP_SQUARED]),
        edition=1,
        wanted=refuters if k <= 2 * REFUTERS else FEW,
        champion=NONE,  # before the first comparison
        refuter=np.full(k, NONE, np.int64),
        leaf_price=np.zeros(2 * k),
        risk=new_tree(2 * k),
        challengers=np.full(min(k, CHALLENGERS), NONE, np.int64),
        cheap=np.full((k, refuters), NONE, np.int64),
        cheap_price=np.zeros((k, refuters)),
        cheap_risk=np.zeros((k, refuters)),
    )


def check_margin(name: str, margin: float) -> None:
    """Refuse a margin that is not a gap."""
    if not 0 <= margin < 0.5:
        raise InvalidParameter(f"{name}: margin is {margin}; it must be at least 0 and below 1/2.")


def with_more_pairs(planner: Planner) -> Planner:
    """Return the planner with room for twice as many pairs."""
    k, room = len(planner.points), 2 * len(planner.meetings.first)
    joint = new_joint(k, room, bool(planner.joint.used[0]))
    return planner._replace(
        meetings=with_room(planner.meetings, room),
        claims=copy_into(new_claims(k, room), planner.claims),
        joint=copy_into(joint, planner.joint),
    )


@kernel
def win_level(planner, l):
    """Return the evidence that a win of the champion needs, if l of its comparisons stay unproved.

    With l > 0 the win must also count as a loss of the other.
    """
    level = planner.levels[WIN] + planner.levels[WIN_GROWTH] * math.log(l + 1.0)
    return max(level, planner.levels[LOSS]) if l > 0 else level


@kernel
def loss_level(planner):
    """Return the evidence that a loss of another option needs."""
    return planner.levels[LOSS]


@kernel
def count_shown_losses(planner, j):
    """Return how many losses of j are shown."""
    return planner.joint.shown[j] if planner.joint.used[0] else planner.claims.lost[j]


@kernel
def is_refuted(planner, entry, i):
    """Tell whether the other option of an entry is proved to beat i, so that no plan may say the reverse."""
    other = claim_of(planner.meetings, entry, i) ^ 1
    return planner.exclusive[0] and is_held(planner.claims, other)


@kernel
def is_shown(planner, i, j):
    """Tell whether i is proved to beat j by the evidence that a loss of j needs."""
    entry = entry_of(planner.meetings, i, j)
    return entry != NONE and is_held(planner.claims, claim_of(planner.meetings, entry, i))
