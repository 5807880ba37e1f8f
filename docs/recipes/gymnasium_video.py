import gymnasium
import moviepy  # needed by RecordVideo for writing
from gymnasium.wrappers.vector import RecordVideo

envs = gymnasium.make_vec("hanabako:hanabako/Hanabi-v0", 2, preset="mini", render_mode="rgb_array")
envs = RecordVideo(envs, "videos", video_length=5, episode_trigger=lambda episode: episode == 0)
observations, infos = envs.reset(seed=1)
for _ in range(6):
    observations, *_ = envs.step(observations["action_mask"].argmax(axis=1))
