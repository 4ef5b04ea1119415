"""The cheapest plausible certificate: which option can be proved best at the lowest price, and how.

A *certificate* (c, l) is a proof that c is a Copeland winner: c is shown to beat all others but l, and
each of the others to lose at least l times. l is free. The planner prices every claim that is not proved
yet, optimistically, adds the prices up to certificates, works on the cheapest and asks for its riskiest
claim first: what is wrong with a plan shows early. docs/one-algorithm.md explains it on one page.

Votes may come in any order, and enter by their counts; only which plans were looked at before (the
champion, each option's l) is carried from step to step. Prices are regret (``costly``) or votes.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.kernels.claims import (
    Claims,
    claims_with_room,
    is_held,
    new_claims,
    release,
    weakest,
    weigh,
)
from copeland.kernels.evidence import log_evidence
from copeland.kernels.kl import kl
from copeland.kernels.mark import apart, kernel
from copeland.kernels.meetings import (
    NONE,
    Meetings,
    after,
    enter,
    entry_of,
    full,
    new_meetings,
    opponent,
    side_of,
    with_room,
)
from copeland.kernels.trees import lowest_leaf, new_tree, put, smallest

# Places in arrays of three.
WIN, WIN_GROWTH, LOSS = range(3)  # levels: for a win with l = 0, its growth with ln(l + 1), a loss
DELTA, EPOCH, DEPENDENT = range(3)  # promises; the last, whether votes may depend on each other

# A claim is priced at its believed gap plus so many standard deviations. Means hardly depend on it; for
# regret more of it cuts the tail of long runs, for votes less is cheaper at a hundred options.
OPTIMISM_FOR_REGRET = 3.5
OPTIMISM_FOR_VOTES = 1.5
LEAST_Z = 0.5  # below so many standard deviations, a claim is priced as a gamble instead
WIDEST_GAP = 0.47
LOYALTY = 0.9  # a challenger must undercut the champion's price by this factor
CHALLENGERS = 32  # the options of the highest plausible scores are planned for
REFUTERS = 64  # the cheapest open losses that are remembered of each option, at most
CREDIT_VOTES = 8.0  # votes by which a pair's credit is drawn towards one half
CREDIT_WIDTH = 1.5  # a lead of so many standard deviations earns a full win
LEAST_WORTH = 0.02  # of a duel between two winners, in wins: free, but not for ever
MOST_PRIOR = 32.0  # votes that strengths may count for
DEAR = 1e9  # dearer claims are priced by their logarithm, so that sums keep their digits
FAR = 1e15  # the price of what cannot be asked

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Planner(NamedTuple):
    """What was voted, what that proves, and the plan to prove the rest."""

    meetings: Meetings
    claims: Claims
    points: Floats  # by option: votes won, and half of those tied
    votes: Ints  # by option
    credit: Floats  # by option: plausible wins over those it met
    skipped: Ints  # by option: l, the comparisons that its certificate leaves unproved
    asking: Flags  # by option: False while it is paused
    levels: Floats  # (3,): the evidence that a claim needs; see WIN, WIN_GROWTH, LOSS
    costly: Flags  # (1,): whether prices are regret, or votes
    optimism: Floats  # (1,): standard deviations by which a gap may be larger than believed
    caution: Floats  # (1,): evidence beyond ln t that a decision needs, if they are regret
    promise: Floats  # (3,): what the levels come from, if they are votes; see DELTA, EPOCH, DEPENDENT
    margin: Floats  # (1,): "i beats j" means p_ij > 1/2 - margin
    prior: Floats  # (1,): votes that strengths count for
    gaps: Floats  # (2,): to estimate it, sums over the pairs of weights and of weighted squared gaps
    counted: Ints  # (1,): votes in all
    compared_at: Ints  # (1,): the votes at the last comparison
    edition: Ints  # (1,): number of the edition that lists of losses must have to be up to date
    listed_at: Ints  # (1,): the votes when the edition began
    edition_level: Floats  # (1,): the level for a loss by then
    top: Floats  # (1,): the highest plausible score
    champion: Ints  # (1,)
    price: Floats  # (1,): of the champion's certificate now
    price_when_chosen: Floats  # (1,)
    planned: Flags  # by option: whether the champion is to be proved to beat it
    refuter: Ints  # by option: who is to prove that it loses once more
    leaf_price: Floats  # 2 K: of the champion's win over each option; of the other losses of each
    unproved: Ints  # (1,): how many of these are not free
    risk: Floats  # a tree over the 2 K leaves: those to ask for, the riskiest first
    challengers: Ints
    cheap: Ints  # K x REFUTERS: who would prove a loss of each option, the cheapest first
    cheap_price: Floats
    cheap_edition: Ints  # by option: the edition of its row
    row: Floats  # room for K prices
    fresh: Flags  # room for K
    left_out: Flags  # room for K
    heap: Ints  # room for K options


FIRST_ROOM = 256  # pairs; doubled whenever they are used up


def new_planner(k: int, costly: bool, margin: float) -> Planner:
    """Return a planner of K options without a vote."""
    room = FIRST_ROOM
    return Planner(
        meetings=new_meetings(k, room),
        claims=new_claims(k, room),
        points=np.zeros(k),
        votes=np.zeros(k, np.int64),
        credit=np.zeros(k),
        skipped=np.zeros(k, np.int64),
        asking=np.ones(k, np.bool_),
        levels=np.zeros(3),
        costly=np.array([costly]),
        optimism=np.array([OPTIMISM_FOR_REGRET if costly else OPTIMISM_FOR_VOTES]),
        caution=np.zeros(1),
        promise=np.zeros(3),
        margin=np.array([margin], np.float64),
        prior=np.array([6.25]),
        gaps=np.array([8.0, 8.0 * 0.04]),  # eight votes' worth of gaps near .2
        counted=np.zeros(1, np.int64),
        compared_at=np.zeros(1, np.int64),
        edition=np.ones(1, np.int64),
        listed_at=np.zeros(1, np.int64),
        edition_level=np.zeros(1),
        top=np.zeros(1),
        champion=np.array([NONE]),  # none before the first comparison
        price=np.zeros(1),
        price_when_chosen=np.zeros(1),
        planned=np.zeros(k, np.bool_),
        refuter=np.full(k, NONE, np.int64),
        leaf_price=np.zeros(2 * k),
        unproved=np.zeros(1, np.int64),
        risk=new_tree(2 * k),
        challengers=np.full(min(k, CHALLENGERS), NONE, np.int64),
        cheap=np.full((k, min(k, REFUTERS)), NONE, np.int64),
        cheap_price=np.zeros((k, min(k, REFUTERS))),
        cheap_edition=np.zeros(k, np.int64),
        row=np.zeros(k),
        fresh=np.zeros(k, np.bool_),
        left_out=np.zeros(k, np.bool_),
        heap=np.zeros(k, np.int64),
    )


def with_more_pairs(planner: Planner) -> Planner:
    """Return the planner with room for twice as many pairs."""
    room = 2 * len(planner.meetings.first)
    return planner._replace(
        meetings=with_room(planner.meetings, room), claims=claims_with_room(planner.claims, room)
    )


def with_votes(planner: Planner, wins: NDArray[Any], ties: NDArray[Any]) -> Planner:
    """Return the planner with these votes counted too: wins of i over j, and ties on both sides."""
    for i, j in np.argwhere(np.triu(wins + wins.T + ties, 1) > 0).tolist():
        if full(planner.meetings):
            planner = with_more_pairs(planner)
        take_in(planner, i, j, int(wins[i, j]), int(wins[j, i]), int(ties[i, j]))
    make_due(planner)
    return planner


def with_options(planner: Planner, k: int) -> Planner:
    """Return the planner with new options, up to ``k`` in all; the champion stays."""
    old = len(planner.points)
    meetings = planner.meetings
    wider = new_planner(k, bool(planner.costly[0]), planner.margin[0])
    for name in ("levels", "caution", "promise"):
        getattr(wider, name)[:] = getattr(planner, name)
    while len(wider.meetings.first) < len(meetings.first):
        wider = with_more_pairs(wider)
    for entry in range(int(meetings.size[0])):
        i, j = int(meetings.first[entry]), int(meetings.second[entry])
        won, tied = meetings.won[entry].tolist(), int(meetings.tied[entry])
        take_in(wider, i, j, won[0], won[1], tied)
        wider.meetings.pending[entry] = meetings.pending[entry]
    wider.points[:old] = planner.points
    wider.skipped[:old] = planner.skipped
    wider.asking[:old] = planner.asking
    wider.champion[0] = planner.champion[0]
    if wider.champion[0] != NONE:
        compare(wider)
    return wider


# Beliefs


@kernel
def strength(planner, i):
    """Return the share of its votes that an option won, drawn towards 1/2 by two votes."""
    return (planner.points[i] + 1) / (planner.votes[i] + 2)


@kernel
def believed_gap(planner, entry, i, j):
    """Return mean and standard deviation of p_ij - (1/2 - margin), by votes and strengths."""
    prior = planner.prior[0]
    lead, n = 0.0, 0
    if entry != NONE:
        meetings = planner.meetings
        side = side_of(meetings, entry, i)
        lead = (meetings.won[entry, side] - meetings.won[entry, 1 - side]) / 2
        n = meetings.won[entry, 0] + meetings.won[entry, 1] + meetings.tied[entry]
    expected = (strength(planner, i) - strength(planner, j)) / 2
    mean = (lead + prior * expected) / (n + prior) + planner.margin[0]
    return mean, 0.5 / math.sqrt(n + prior)


@kernel
def plausible_score(planner, i):
    """Return the wins that an option may well have: by credit, and by strength where it never met."""
    unmet = len(planner.points) - 1 - planner.meetings.met[i]
    return planner.credit[i] + unmet * strength(planner, i)


@kernel
def pair_credit(meetings, entry, side):
    """Return between 0 and 1 how far the votes of a pair speak for one side."""
    won, lost = meetings.won[entry, side], meetings.won[entry, 1 - side]
    n = won + lost + meetings.tied[entry]
    if n == 0:
        return 0.5
    lead = (won - lost) / 2 / math.sqrt(n + CREDIT_VOTES)
    return min(max(0.5 + lead / CREDIT_WIDTH, 0.0), 1.0)


# Prices


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
def price(planner, i, j, level):
    """Return what it may take, optimistically, until "i beats j" has evidence above the level."""
    entry = entry_of(planner.meetings, i, j)
    if entry != NONE:
        claim = 2 * entry + side_of(planner.meetings, entry, i)
        if planner.claims.evidence[claim] > level:
            return 0.0
    if not (planner.asking[i] and planner.asking[j]):
        return FAR
    mean, deviation = believed_gap(planner, entry, i, j)
    gap = mean + planner.optimism[0] * deviation
    gamble = 1.0
    if gap < LEAST_Z * deviation:
        # As likely as a normal deviate so far out; never infinite, so no plan is out of reach.
        out = LEAST_Z - gap / deviation
        gamble = math.exp(min(out * out / 2, 300.0))
        gap = LEAST_Z * deviation
    votes = votes_to_prove(planner, entry, i, min(gap, WIDEST_GAP), level)
    cost = gamble * votes * worth(planner, i, j)
    return cost if cost < DEAR else DEAR * (1 + math.log(cost / DEAR))


@kernel
def votes_to_prove(planner, entry, i, gap, level):
    """Return how many votes with this gap raise the evidence of i above the level.

    Evidence is about D^2 / 2n of a lead D in n votes; n' further ones with drift v = 2 gap bring it to
    T when (D + n' v)^2 = 2 T (n + n').
    """
    lead, n, share = 0.0, 0.0, 1.0
    if entry != NONE:
        meetings, margin = planner.meetings, planner.margin[0]
        side = side_of(meetings, entry, i)
        tied = meetings.tied[entry]
        n += meetings.won[entry, 0] + meetings.won[entry, 1] + tied
        lead = meetings.won[entry, side] - meetings.won[entry, 1 - side] + 2 * margin * n
        if not planner.costly[0] and tied > 0:
            # Evidence takes a tie for so much of a win: what remains is a larger gap in fewer votes.
            counted = n - tied / (1 + 2 * margin)
            share = (counted + 1) / (n + 1)
            n = counted
            gap = min(gap / share, WIDEST_GAP)
    drift = 2 * gap
    nats = kl(0.5 + gap, 0.5)
    if planner.costly[0]:
        needed = max(level - math.log(max(level / nats, n, 1.0)), level / 2, 0.1)
    else:
        needed = level + 0.5 * math.log(n + 2 * level / (drift * drift)) - 0.9
    target = needed * drift * drift / (2 * nats)
    a = target - lead * drift
    square = a * a - drift * drift * (lead * lead - 2 * target * n)
    return max((a + math.sqrt(max(square, 0.0))) / (drift * drift), 1.0) / share


@kernel
def worth(planner, i, j):
    """Return the price of one vote: 1, or the regret that is plausible, in wins."""
    if not planner.costly[0]:
        return 1.0
    scores = (plausible_score(planner, i) + plausible_score(planner, j)) / 2
    return max(planner.top[0] - scores, LEAST_WORTH)


# The losses of each option


@apart
def refresh_losses(planner, j):
    """List anew who would prove a loss of option j at the lowest price.

    Of those it never met only the challengers come into question: the strong are cheap.
    """
    meetings = planner.meetings
    planner.cheap_edition[j] = planner.edition[0]
    for place in range(planner.cheap.shape[1]):
        planner.cheap[j, place] = NONE
    entry = meetings.head[j]
    while entry != NONE:
        k = opponent(meetings, entry, j)
        list_loss(planner, k, j, entry)
        entry = after(meetings, entry, j)
    for k in planner.challengers:
        if k != NONE and k != j and entry_of(meetings, k, j) == NONE:
            list_loss(planner, k, j, NONE)
    if planner.cheap[j, -1] == NONE and len(planner.points) > len(planner.challengers):
        for k in range(len(planner.points)):
            if k != j and entry_of(meetings, k, j) == NONE and not is_listed(planner, k, j):
                list_loss(planner, k, j, NONE)


@kernel
def is_listed(planner, k, j):
    """Tell whether k is among those who would prove a loss of j."""
    for place in range(planner.cheap.shape[1]):
        if planner.cheap[j, place] == k:
            return True
    return False


@kernel
def list_loss(planner, k, j, entry):
    """Put k among those who would prove a loss of j, unless that is proved or too dear."""
    if entry != NONE:
        claim = 2 * entry + side_of(planner.meetings, entry, k)
        if is_held(planner.claims, claim):
            return
    cost = price(planner, k, j, loss_level(planner))
    place = planner.cheap.shape[1] - 1
    last = planner.cheap[j, place]
    if last != NONE and planner.cheap_price[j, place] <= cost:
        return
    while place > 0:
        before = planner.cheap[j, place - 1]
        if before != NONE and planner.cheap_price[j, place - 1] <= cost:
            break
        planner.cheap[j, place] = before
        planner.cheap_price[j, place] = planner.cheap_price[j, place - 1]
        place -= 1
    planner.cheap[j, place] = k
    planner.cheap_price[j, place] = cost


@kernel
def relist_loss(planner, k, j, entry):
    """Bring the place of k among the refuters of j up to date."""
    if planner.cheap_edition[j] != planner.edition[0]:
        return  # the whole row will be listed anew when it is looked at
    found = False
    for place in range(planner.cheap.shape[1]):
        found = found or planner.cheap[j, place] == k
        if found and place + 1 < planner.cheap.shape[1]:
            planner.cheap[j, place] = planner.cheap[j, place + 1]
            planner.cheap_price[j, place] = planner.cheap_price[j, place + 1]
    if found:
        planner.cheap[j, -1] = NONE
    list_loss(planner, k, j, entry)
    held = is_held(planner.claims, 2 * entry + side_of(planner.meetings, entry, k))
    if held or planner.cheap[j, -1] == k:
        planner.cheap_edition[j] = 0  # one that is not listed may be cheaper now


@kernel
def losses_price(planner, j, number, without):
    """Return the price of so many further losses of j, the cheapest, but not those against one."""
    if planner.cheap_edition[j] != planner.edition[0]:
        refresh_losses(planner, j)
    total = 0.0
    last = 0.0
    for place in range(planner.cheap.shape[1]):
        k = planner.cheap[j, place]
        if number == 0 or k == NONE:
            break
        if k != without:
            last = planner.cheap_price[j, place]
            total += last
            number -= 1
    return total + number * (2 * last if last > 0 else FAR)


# Certificates


@kernel
def price_row(planner, i):
    """Price every win of option i, and list them in a heap, the dearest first."""
    level = win_level(planner, planner.skipped[i])
    size = 0
    for j in range(len(planner.row)):
        planner.left_out[j] = False
        planner.fresh[j] = False
        if j == i:
            continue
        planner.row[j] = price(planner, i, j, level)
        planner.heap[size] = j
        size += 1
        entry = entry_of(planner.meetings, i, j)
        planner.fresh[j] = entry == NONE or not is_held(
            planner.claims, 2 * entry + side_of(planner.meetings, entry, i)
        )
    for at in range(size // 2 - 1, -1, -1):
        _sink(planner, at, size)


@kernel
def _sink(planner, at, size):
    """Let an option sink in the heap of dear ones to where it belongs."""
    heap, row = planner.heap, planner.row
    option = heap[at]
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and row[heap[child + 1]] > row[heap[child]]:
            child += 1
        if row[option] >= row[heap[child]]:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = option


@kernel
def leave_out_dearest(planner, size):
    """Leave the dearest win of the row out, of ``size`` that are left in the heap."""
    dearest = planner.heap[0]
    planner.left_out[dearest] = True
    planner.heap[0] = planner.heap[size - 1]
    _sink(planner, 0, size - 1)


@apart
def plan(planner, i):
    """Return the price of the cheapest certificate of option i with l near what it was; keep that l."""
    k = len(planner.row)
    # Fewer than the losses it is shown to have would be hopeless; after many votes at once l is near them.
    before = planner.skipped[i] = max(planner.skipped[i], min(planner.claims.lost[i], k - 2))
    price_row(planner, i)
    best, best_l = math.inf, before
    for l in range(min(before + 1, k - 2) + 1):
        if l > 0:
            leave_out_dearest(planner, k - l)
        if l >= before - 1:
            wins = planned_wins(planner, i)
            total = wins + other_losses(planner, i, l, best - wins)
            if total < best:
                best, best_l = total, l
    planner.skipped[i] = best_l
    return best


@kernel
def planned_wins(planner, i):
    """Return the price of the wins that are not left out."""
    total = 0.0
    for j in range(len(planner.row)):
        if j != i and not planner.left_out[j]:
            total += planner.row[j]
    return total


@kernel
def other_losses(planner, i, l, enough):
    """Return the price of the losses that certificate (i, l) needs beside the wins of i."""
    total = 0.0
    if l == 0:
        return total
    for j in range(len(planner.row)):
        missing = losses_missing(planner, i, j, l, planner.left_out[j])
        if j != i and missing > 0:
            total += losses_price(planner, j, missing, i)
            if total > enough:
                break
    return total


@kernel
def losses_missing(planner, i, j, l, left_out):
    """Return how many losses of j must still be proved for (i, l), beside the one that i may prove."""
    return l - planner.claims.lost[j] - int(planner.fresh[j] and not left_out)


# The champion


@kernel
def begin(planner, rng):
    """Let chance decide between options that are alike: a millionth of a vote at most for each."""
    for i in range(len(planner.points)):
        planner.points[i] += 1e-6 * rng.random()


@kernel
def comparison_is_due(planner):
    """Tell whether to look for a cheaper certificate: now and then, or when this one became dearer."""
    k, new = len(planner.points), planner.counted[0] - planner.compared_at[0]
    if new >= max(k / 2, planner.counted[0] / 100):
        return True
    return new >= k / 16 and planner.price[0] > 1.05 * planner.price_when_chosen[0]


@kernel
def make_due(planner):
    """Have the next step compare."""
    planner.compared_at[0] = -len(planner.points)


@kernel
def pause(planner, option, paused):
    """Ask no more about an option, or ask again."""
    planner.asking[option] = not paused
    planner.edition[0] += 1  # listed losses are dearer now, or cheaper
    make_due(planner)


@kernel
def pend(planner, i, j, change):
    """Count answers of a pair that are under way; there must be room for a new pair."""
    met = entry_of(planner.meetings, i, j) != NONE
    entry = enter(planner.meetings, i, j)
    if not met:
        credit_pair(planner, entry, +1)
    planner.meetings.pending[entry] += change
    rate_pair(planner, entry)


@apart
def compare(planner):
    """Make the option of the cheapest certificate the champion, and lay out what there is to prove."""
    planner.compared_at[0] = planner.counted[0]
    estimate_prior(planner)
    name_challengers(planner)
    begin_edition(planner)
    champion = planner.champion[0]
    if champion == NONE:
        champion = planner.challengers[0]
    cost = plan(planner, champion)
    best, cheapest = champion, cost - (1 - LOYALTY) * (cost % FAR)
    for i in planner.challengers:
        if i != champion:
            cost = plan(planner, i)
            if cost < cheapest:
                best, cheapest = i, cost
    planner.champion[0] = best
    lay_out(planner)


@kernel
def estimate_prior(planner):
    """Let strengths count for as many votes as the gaps seen so far are wide: 1 / (2 gap)^2."""
    variance = max(planner.gaps[1] / planner.gaps[0], 1e-6)
    votes = min(max(1 / (4 * variance), 1.0), MOST_PRIOR)
    if not 0.9 < votes / planner.prior[0] < 1.1:
        planner.prior[0] = votes
        planner.edition[0] += 1


@kernel
def begin_edition(planner):
    """Forget the listed losses when prices have moved: a quarter more votes, or a higher level."""
    moved = planner.counted[0] > 1.25 * planner.listed_at[0]
    if moved or abs(loss_level(planner) - planner.edition_level[0]) > 0.2:
        planner.listed_at[0] = planner.counted[0]
        planner.edition_level[0] = loss_level(planner)
        planner.edition[0] += 1


@kernel
def name_challengers(planner):
    """List the options of the highest plausible scores, the highest first."""
    listed = planner.challengers
    for place in range(len(listed)):
        listed[place] = NONE
    for i in range(len(planner.points)):
        score = planner.row[i] = plausible_score(planner, i)
        place = len(listed) - 1
        if listed[place] != NONE and planner.row[listed[place]] >= score:
            continue
        while place > 0 and (listed[place - 1] == NONE or planner.row[listed[place - 1]] < score):
            listed[place] = listed[place - 1]
            place -= 1
        listed[place] = i
    planner.top[0] = planner.row[listed[0]]


@kernel
def lay_out(planner):
    """Choose the champion's wins to prove, and price and rate what is left to do."""
    k = len(planner.row)
    champion = planner.champion[0]
    l = planner.skipped[champion]
    price_row(planner, champion)
    for size in range(k - 1, k - 1 - l, -1):
        leave_out_dearest(planner, size)
    planner.price[0] = 0.0
    planner.unproved[0] = 0
    for leaf in range(2 * k):
        planner.leaf_price[leaf] = 0.0
    for j in range(k):
        planner.planned[j] = j != champion and not planner.left_out[j]
    for j in range(k):
        put(planner.risk, j, math.inf)
        put(planner.risk, k + j, math.inf)
        rate_win(planner, j)
        rate_losses(planner, j)
    planner.price_when_chosen[0] = planner.price[0]


@kernel
def rate_win(planner, j):
    """Price the champion's win over j, if it is planned, and rate how likely it is to fail."""
    if not planner.planned[j]:
        return
    champion = planner.champion[0]
    cost = price(planner, champion, j, win_level(planner, planner.skipped[champion]))
    set_leaf(planner, j, cost, risk(planner, champion, j, cost))


@kernel
def rate_losses(planner, j):
    """Price the other losses of j that are missing; name who is to prove one, the riskiest."""
    k = len(planner.points)
    champion = planner.champion[0]
    l = planner.skipped[champion]
    if l == 0 or j == champion:
        return
    entry = entry_of(planner.meetings, champion, j)
    planner.fresh[j] = entry == NONE or not is_held(
        planner.claims, 2 * entry + side_of(planner.meetings, entry, champion)
    )
    missing = losses_missing(planner, champion, j, l, not planner.planned[j])
    if missing <= 0:
        set_leaf(planner, k + j, 0.0, math.inf)
        return
    cost = losses_price(planner, j, missing, champion)
    least = math.inf
    for place in range(planner.cheap.shape[1]):
        i = planner.cheap[j, place]
        if i == NONE or missing == 0:
            break
        if i != champion:
            missing -= 1
            danger = risk(planner, i, j, planner.cheap_price[j, place])
            if danger < least:
                least = danger
                planner.refuter[j] = i
    set_leaf(planner, k + j, cost, least)


@kernel
def set_leaf(planner, leaf, cost, danger):
    """Set price and risk of one thing to prove."""
    planner.price[0] += cost % FAR - planner.leaf_price[leaf] % FAR
    planner.unproved[0] += int(cost > 0) - int(planner.leaf_price[leaf] > 0)
    planner.leaf_price[leaf] = cost
    put(planner.risk, leaf, danger)


@kernel
def risk(planner, i, j, cost):
    """Return by how many standard deviations "i beats j" is believed; infinite if not to be asked.

    Answers under way count for half a win each, and no more are asked for than the claim may cost.
    """
    if cost <= 0 or cost >= FAR:
        return math.inf
    entry = entry_of(planner.meetings, i, j)
    mean, deviation = believed_gap(planner, entry, i, j)
    if entry == NONE:
        return mean / deviation
    pending = planner.meetings.pending[entry]
    if pending > 0 and pending >= cost / worth(planner, i, j):
        return math.inf
    return mean / deviation + pending * deviation


@kernel
def next_pair(planner):
    """Return the riskiest pair of the champion's certificate; the champion twice if none is left."""
    champion = planner.champion[0]
    if smallest(planner.risk) == math.inf:
        return champion, champion
    leaf = lowest_leaf(planner.risk)
    k = len(planner.points)
    return (champion, leaf) if leaf < k else (planner.refuter[leaf - k], leaf - k)


# Votes


@apart
def take_in(planner, i, j, wins, losses, ties):
    """Count votes of a pair, weigh its claims, and bring the plan up to date."""
    entry = count_votes(planner, i, j, wins, losses, ties)
    weigh_claims(planner, entry)
    rate_pair(planner, entry)


@kernel
def count_votes(planner, i, j, wins, losses, ties):
    """Count votes of a pair; return its entry."""
    meetings = planner.meetings
    unmet = entry_of(meetings, i, j) == NONE
    entry = enter(meetings, i, j)
    if not unmet:
        credit_pair(planner, entry, -1)
    side = side_of(meetings, entry, i)
    meetings.won[entry, side] += wins
    meetings.won[entry, 1 - side] += losses
    meetings.tied[entry] += ties
    credit_pair(planner, entry, +1)
    n = wins + losses + ties
    planner.points[i] += wins + ties / 2
    planner.points[j] += losses + ties / 2
    planner.votes[i] += n
    planner.votes[j] += n
    planner.counted[0] += n
    return entry


@kernel
def credit_pair(planner, entry, change):
    """Count a pair in (+1) or out of (-1) the credits and the estimate of the gaps."""
    meetings = planner.meetings
    for side in range(2):
        option = meetings.first[entry] if side == 0 else meetings.second[entry]
        planner.credit[option] += change * pair_credit(meetings, entry, side)
    n = meetings.won[entry, 0] + meetings.won[entry, 1] + meetings.tied[entry]
    if n >= 4:
        gap = (meetings.won[entry, 0] - meetings.won[entry, 1]) / 2 / n
        weight = min(n, 64.0)
        planner.gaps[0] += change * weight
        planner.gaps[1] += change * weight * (gap * gap - (0.25 - gap * gap) / n)


@kernel
def weigh_claims(planner, entry):
    """Give both claims of a pair the evidence of its votes."""
    meetings, claims = planner.meetings, planner.claims
    first, second = meetings.won[entry, 0], meetings.won[entry, 1]
    forward = evidence(planner, first, second, meetings.tied[entry])
    backward = evidence(planner, second, first, meetings.tied[entry])
    weigh(claims, 2 * entry, meetings.second[entry], forward, loss_level(planner))
    weigh(claims, 2 * entry + 1, meetings.first[entry], backward, loss_level(planner))


@kernel
def evidence(planner, wins, losses, ties):
    """Return the evidence for p > 1/2 - margin: what regret goes by, or what certificates go by."""
    if planner.costly[0]:
        return index(wins + ties / 2, wins + losses + ties, planner.margin[0])
    return log_evidence(wins, losses, ties, planner.margin[0])


@kernel
def index(wins, n, margin):
    """Return n d + ln n, but 2 n d at most, where d is the divergence from 1/2 - margin."""
    null = 0.5 - margin
    if n == 0 or wins <= null * n:
        return 0.0
    nats = n * kl(wins / n, null)
    return min(nats + math.log(n), 2 * nats)


@apart
def rate_pair(planner, entry):
    """Bring the plan up to date where a pair enters it."""
    meetings = planner.meetings
    i, j = meetings.first[entry], meetings.second[entry]
    relist_loss(planner, i, j, entry)
    relist_loss(planner, j, i, entry)
    champion = planner.champion[0]
    if champion == NONE:
        return
    if i == champion:
        rate_win(planner, j)
    if j == champion:
        rate_win(planner, i)
    rate_losses(planner, i)
    rate_losses(planner, j)


@kernel
def expire(planner):
    """Give up the claims whose evidence the level for a loss has reached."""
    claims, meetings = planner.claims, planner.meetings
    while weakest(claims) <= loss_level(planner):
        claim = claims.heap[0]
        entry = claim // 2
        loser = meetings.second[entry] if claim % 2 == 0 else meetings.first[entry]
        release(claims, claim, loser)
        rate_pair(planner, entry)
