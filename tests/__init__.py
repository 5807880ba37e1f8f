"""Tests, one folder per package; `tests.reference` holds slow independent implementations to compare with."""
