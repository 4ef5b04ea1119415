"""Who beats whom, as a heat map

A cell is blue where the row beats the column. The best option comes first. `copeland rankers report` draws it.
"""

import copeland
from copeland.ranking.rankers_page import heat_map

figures = {"Preferences between eight options": heat_map(copeland.load("arithmetic-8"))}
