"""``python -m tests.playthroughs``: write every playthrough again."""

from tests.playthroughs.generate import write_all

for path in write_all():
    print(path)
