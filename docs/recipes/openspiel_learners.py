from hanabako.envs.open_spiel import OpenSpielEnvironment
from hanabi_env.game import make_game
from open_spiel.python.algorithms.tabular_qlearner import QLearner

env = OpenSpielEnvironment(make_game(preset="mini"), seed=1)
agents = [QLearner(player, env.action_spec()["num_actions"]) for player in range(env.num_players)]
for time_step in (env.reset() for _ in range(20)):
    while not time_step.last():
        time_step = env.step([agents[time_step.current_player()].step(time_step).action])
    last_steps = [agent.step(time_step) for agent in agents]  # agents also learn from the final rewards
