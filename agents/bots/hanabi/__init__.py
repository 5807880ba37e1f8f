"""Bots for Hanabi, one file per convention; `agents.names` reads the list ``BOTS``."""

from .cheat import CHEAT
from .information import INFORMATION
from .questions import QUESTIONS
from .recommendation import RECOMMENDATION
from .rule_lists import RULE_LISTS
from .smart import SMART, SMART_SAFE

BOTS = (*RULE_LISTS, SMART, SMART_SAFE, RECOMMENDATION, INFORMATION, QUESTIONS, CHEAT)
