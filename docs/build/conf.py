"""The configuration of the site: every README, the notebooks with their committed outputs, and the pages in ``docs``.

    make docs

The source folder is the clone itself (``sphinx-build -c docs/build . .cache/docs``), so that links on a page work both
on a forge and on the site. Two optional environment variables say where the site is published: ``HANABAKO_SITE`` is the
site's address, and ``HANABAKO_REPOSITORY`` the repository's, to which pages then link for their sources.
"""

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

from docs.build import public  # noqa: E402 - in the clone

project = "Hanabako"
author = "The Hanabako authors"
copyright = author  # noqa: A001 - Sphinx's name
html_title = project

extensions = ["myst_nb", "sphinx_copybutton", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
root_doc = "docs/README"
PAGES = ["*.md", "*/*.md", "docs/api/*.md", "benchmarks/strength/*.md", "notebooks/*.ipynb"]
include_patterns = PAGES
exclude_patterns = [".*", "hanabako/agents", "runs", "dist", "tests", "**/__pycache__"]

# --- Markdown and notebooks -------------------------------------------------------------------------------------------

nb_execution_mode = "off"
nb_merge_streams = True
nb_render_markdown_format = "myst"  # the format of our pages, in which tables are rendered as tables
myst_heading_anchors = 4
smartquotes = False
copybutton_exclude = ".linenos, .gp, .go"  # prompts and outputs
suppress_warnings = ["myst.header"]  # rule cards skip from a second-level heading to a fourth-level one

# --- Docstrings -------------------------------------------------------------------------------------------------------

default_role = "py:obj"
autodoc_default_options = {"members": True, "show-inheritance": True, "exclude-members": "make_game"}
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100
napoleon_numpy_docstring = False
napoleon_use_rtype = False
viewcode_follow_imported_members = False  # else sources of re-exported names link to entries that do not exist
nitpicky = True
nitpick_ignore_regex = [(r"py:.*", rf"(?!({'|'.join(public.PACKAGES)})\.).*")]  # names of other packages

# --- Pages ------------------------------------------------------------------------------------------------------------

html_theme = "furo"
html_baseurl = os.environ.get("HANABAKO_SITE", "")
html_additional_pages = {"index": "redirect.html"}
templates_path = html_static_path = [str(HERE.parent / "templates")]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False

REPOSITORY = os.environ.get("HANABAKO_REPOSITORY", "")
if REPOSITORY:
    html_theme_options = {"source_repository": REPOSITORY, "source_branch": "main", "source_directory": ""}


def setup(app):
    """Connect this site's own functions to Sphinx."""
    app.connect("source-read", public.expand)
    app.connect("missing-reference", public.find)
    app.connect("doctree-read", public.without_builtins)
    app.connect("autodoc-process-docstring", public.tidied, priority=400)  # before napoleon, which has 500
