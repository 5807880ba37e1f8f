"""Tests mirror the packages; `tests.reference` holds the slow oracles they compare with."""
