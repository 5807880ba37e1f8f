"""Policy networks: their architectures, their policies, and their files."""

from hanabako.extras import need

need("a network", "torch", "safetensors")
