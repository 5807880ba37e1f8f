"""Training: an algorithm a file, and settings that are known to work."""

from hanabako.extras import need

need("training", "torch", "safetensors")
