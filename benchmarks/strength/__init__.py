"""How strong the agents are: every board and study of the project, with its results and its page, `SCORES.md`."""
