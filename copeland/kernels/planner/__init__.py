"""The cheapest plausible certificate: which option can be proved best at the lowest price, and how.

A *certificate* (c, l) is a proof that c is a Copeland winner: c is shown to beat all others but l, and
each of the others to lose at least l times. l is free. The planner prices every claim that is not proved
yet, optimistically, adds the prices up to certificates, works on the cheapest and asks for its riskiest
claim first: what is wrong with a plan shows early. docs/one-algorithm.md explains it on one page.

Votes may come in any order, and enter by their counts; only plans (the champion and what is laid out for
it, each option's l and last price) are carried from step to step. Prices are regret (``costly``) or votes.

To be read in this order: ``planner_state``, what the planner knows; ``prices`` of claims and of losses, and ``joint_losses``, which several
pairs show; the ``champion``, whose certificate is the cheapest, and what to ask; ``vote_updates``, what votes and new options change.
"""
