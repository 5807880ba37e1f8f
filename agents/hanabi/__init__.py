"""Bots for Hanabi, one file a convention; ``BOTS`` is the register that `agents.names` reads."""

from agents.hanabi.cheat import CHEAT
from agents.hanabi.information import INFORMATION
from agents.hanabi.questions import QUESTIONS
from agents.hanabi.recommendation import RECOMMENDATION
from agents.hanabi.rule_lists import RULE_LISTS
from agents.hanabi.smart import SMART, SMART_SAFE

BOTS = (*RULE_LISTS, SMART, SMART_SAFE, RECOMMENDATION, INFORMATION, QUESTIONS, CHEAT)
