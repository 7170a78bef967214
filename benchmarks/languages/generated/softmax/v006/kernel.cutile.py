"""kernelloop:plan
{ "launches": [
    { "when": "cols == 1024", "kernel": "whole", "grid": ["rows"],
      "args": ["x", "y"], "constants": {"BLOCK": 1024} },
    { "when": "cols == 4096", "kernel": "whole", "grid": ["rows"],
      "args": ["x", "y"], "constants": {"BLOCK": 4096} },
    { "when": "cols == 8192", "kernel": "whole", "grid": ["rows"],
      "args": ["x", "y"], "constants": {"BLOCK": 8192}, "options": {"num_worker_warps": 8} },
    { "when": "cols == 65536", "kernel": "whole", "grid": ["rows"],
      "args": ["x", "y"], "constants": {"BLOCK": 65536}, "options": {"num_ctas": 8} },
    { "when": "cols % 16 == 0 && cols < 1024", "kernel": "in_registers", "grid": ["rows"],
      "args": ["x", "y"], "constants": {"BLOCK": 1024} },
    { "when": "cols % 16 == 0 && cols > 1024 && cols < 4096", "kernel": "in_registers", "grid": ["rows"],
      "args": ["x", "y"], "constants": {"BLOCK": 4096} },
    { "when": "cols % 16 == 0 && cols > 4096 && cols < 8192", "kernel": "in_registers", "grid": ["rows"],
      "args": ["x", "y"], "constants": {"BLOCK": 8192}, "options": {"num_worker_warps": 8} },
    { "when": "cols % 16 == 0 && cols > 8192 && cols != 65536", "kernel": "in_parts", "grid": ["rows"],
      "args": ["x", "y"], "constants": {"BLOCK": 4096} },
    { "when": "cols % 16 != 0", "kernel": "in_parts", "grid": ["rows"],
      "args": ["x", "y"], "constants": {"BLOCK": 1024} } ] }
"""
import cuda.tile as ct

LOW = -float("inf")
LOG2_E = 1.4426950408889634


def exponential(value):
    return ct.exp2(value * LOG2_E)


# A row that fills its tile: without checks of its edges all loads go out before the first is waited for.
@ct.kernel
def whole(x, y, BLOCK: ct.Constant[int]):
    row = ct.bid(0)
    raw = ct.load(x, index=(row, 0), shape=(1, BLOCK), check_bounds=False)
    most = ct.astype(ct.max(raw, axis=1, keepdims=True), ct.float32)
    value = exponential(ct.astype(raw, ct.float32) - most)
    scale = ct.truediv(1.0, ct.sum(value, axis=1, keepdims=True))
    ct.store(y, index=(row, 0), tile=ct.astype(value * scale, y.dtype), check_bounds=False)


@ct.kernel
def in_registers(x, y, BLOCK: ct.Constant[int]):
    row = ct.bid(0)
    value = ct.astype(ct.load(x, index=(row, 0), shape=(1, BLOCK), padding_mode=ct.PaddingMode.NEG_INF), ct.float32)
    value = exponential(value - ct.max(value, axis=1, keepdims=True))
    scale = ct.truediv(1.0, ct.sum(value, axis=1, keepdims=True))
    ct.store(y, index=(row, 0), tile=ct.astype(value * scale, y.dtype))


# Part after part; what has been summed so far is scaled where a part brings a greater maximum.
@ct.kernel
def in_parts(x, y, BLOCK: ct.Constant[int]):
    row = ct.bid(0)
    parts = ct.num_tiles(x, axis=1, shape=(1, BLOCK))
    most = ct.full((1, 1), LOW, dtype=ct.float32)
    total = ct.full((1, BLOCK), 0.0, dtype=ct.float32)
    for part in range(parts):
        value = ct.astype(ct.load(x, index=(row, part), shape=(1, BLOCK), padding_mode=ct.PaddingMode.NEG_INF), ct.float32)
        above = ct.maximum(most, ct.max(value, axis=1, keepdims=True))
        shift = ct.where(above == LOW, 0.0, above)  # nothing but -inf so far: no NaN
        total = total * exponential(most - shift) + exponential(value - shift)
        most = above
    scale = ct.truediv(1.0, ct.sum(total, axis=1, keepdims=True))
    for part in range(parts):
        value = ct.astype(ct.load(x, index=(row, part), shape=(1, BLOCK), padding_mode=ct.PaddingMode.NEG_INF), ct.float32)
        ct.store(y, index=(row, part), tile=ct.astype(exponential(value - most) * scale, y.dtype))
