"""The planner for goals beyond one winner: the best few, who is better than a baseline, or tiers.

It is :mod:`copeland.kernels.planner` written plainly, over tables of all pairs: every plan is made from
scratch. What a plan wants is a table of claims "i beats j", each with the evidence that it needs, its price
in votes and its risk; it asks for the riskiest first.

| goal | a certificate |
|---|---|
| the best m | (S, l): each of the m options in S beats all others but l, each other one loses l times or more |
| above b | for each other option, whether it beats b or b beats it, or that they are tied within the margin |
| tiers | cuts (S, l): each option in S beats all others but l, each other one loses more than l times |

To be read in this order: ``proofs``, ``goal_state``, ``pair_prices``, ``goal_plans``, ``asking``.
"""
