"""Training: one file per algorithm, and the common parts they share."""

from hanabako.extras import need

need("training", "torch", "safetensors")
