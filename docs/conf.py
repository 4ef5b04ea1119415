"""The docs as a site: `make docs` builds it into out/docs."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent), str(HERE.parent / "tests")]

from copeland.version import __version__  # noqa: E402

project = "copeland"
author = "the copeland contributors"
version = release = __version__
html_title = f"copeland {version}"

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_design",
    "sphinx_copybutton",
    "generated",  # docs/_ext: pages of algorithms, the gallery and the reference
    "fields",
    "command_options",
    "markup",
    "line_ends",
]
exclude_patterns = ["_build", "_ext", "gallery/*.py"]

# Links to a heading are those of GitHub, so one link works in both places.
myst_enable_extensions = ["colon_fence", "attrs_inline", "deflist"]
myst_heading_anchors = 4
highlight_language = "none"
copybutton_exclude = ".linenos, .gp, .go"

# Notebooks run once, and again only when they change. Tests have run them already where they say "off".
nb_execution_mode = os.environ.get("COPELAND_DOCS_NOTEBOOKS", "cache")
nb_execution_cache_path = str(HERE.parent / "out" / "docs" / "notebooks")
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True
os.environ["TQDM_DISABLE"] = "1"  # no progress bars of cells that take long

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
autodoc_type_aliases = {name: name for name in ("ArrayLike", "DTypeLike")}  # else in full length
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
napoleon_google_docstring = False
napoleon_use_rtype = False

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0059a8", "color-brand-content": "#0059a8"},
    "dark_css_variables": {"color-brand-primary": "#7cc4ff", "color-brand-content": "#7cc4ff"},
}
