import verifiers.v1 as vf

from hanabako import agents
from hanabako.agents.bridges.language_models.one_game import ChatGame
from hanabi_env import PRESETS

CONFIG = PRESETS["mini"]
PARTNER = agents.load("smart", CONFIG)


class HanabiTasks(vf.Taskset[vf.Task, vf.TasksetConfig]):
    """A hundred deals."""

    def load(self):
        rules = ChatGame(CONFIG, PARTNER).rules
        return [vf.Task(vf.TaskData(name=f"deal {seed}", system_prompt=rules)) for seed in range(100)]


class HanabiConfig(vf.EnvConfig):
    """The player: the model that is evaluated or trained."""

    player: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, runtime={"type": "subprocess"})


class HanabiEnv(vf.Env[HanabiConfig]):
    """One game per deal: the rules first, then turns and answers."""

    async def run(self, task, agents):
        game = ChatGame(CONFIG, PARTNER, seed=task.data.idx)
        async with agents.player.interaction(task) as player:
            while not game.is_over:
                said = await player.turn(game.turn())
                if said.terminated:
                    break
                game.answer(said.last_reply)
            player.trace.record_reward("points", game.reward)
            player.trace.record_metrics(game.counts)


__all__ = ["HanabiEnv", "HanabiTasks"]
