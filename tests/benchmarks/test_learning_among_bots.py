"""The study of partners that were never met: what it trains. Its notebook runs it, in little."""

import pytest

from benchmarks.strength import learning_among_bots


def test_only_who_has_the_other_seat_differs(capsys: pytest.CaptureFixture[str]):
    runs = learning_among_bots.commands(learning_among_bots.Args(seeds=2, met=("piers", "smart")))
    assert list(runs) == ["self-play 1", "among bots 1", "self-play 2", "among bots 2"]
    for seed in (1, 2):
        alone, among = runs[f"self-play {seed}"], runs[f"among bots {seed}"]
        place = among.index("--partners")
        assert among[place + 1] == "piers,smart"
        assert among[:place] + among[place + 2 :] == alone
        assert alone[-2:] == ["--seed", str(seed)]
    learning_among_bots.main(["--list", "--seeds", "2"])
    assert capsys.readouterr().out.count("python -m agents.ppo --preset mini") == 4
