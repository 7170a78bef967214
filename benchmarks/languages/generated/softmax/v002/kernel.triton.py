"""kernelloop:plan
{ "launches": [
    { "when": "cols % 16 == 0 && cols <= 1024", "kernel": "in_registers", "grid": ["rows"],
      "args": ["x", "y", "cols"], "constants": {"BLOCK": 1024}, "options": {"num_warps": 4} },
    { "when": "cols % 16 == 0 && cols > 1024 && cols <= 4096", "kernel": "in_registers", "grid": ["rows"],
      "args": ["x", "y", "cols"], "constants": {"BLOCK": 4096}, "options": {"num_warps": 8} },
    { "when": "cols % 16 == 0 && cols > 4096 && cols <= 8192", "kernel": "in_registers", "grid": ["rows"],
      "args": ["x", "y", "cols"], "constants": {"BLOCK": 8192}, "options": {"num_warps": 16} },
    { "when": "cols % 16 == 0 && cols > 8192", "kernel": "online", "grid": ["rows"],
      "args": ["x", "y", "cols"], "constants": {"BLOCK": 8192}, "options": {"num_warps": 16} },
    { "when": "cols % 16 != 0", "kernel": "online", "grid": ["rows"],
      "args": ["x", "y", "cols"], "constants": {"BLOCK": 1024}, "options": {"num_warps": 4} } ] }
"""
import triton
import triton.language as tl

@triton.jit
def in_registers(x, y, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * cols
    i = tl.arange(0, BLOCK)
    value = tl.load(x + row + i, mask=i < cols, other=-float("inf")).to(tl.float32)
    value = tl.exp(value - tl.max(value, 0))
    tl.store(y + row + i, (value / tl.sum(value, 0)).to(y.dtype.element_ty), mask=i < cols)


@triton.jit
def online(x, y, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * cols
    i = tl.arange(0, BLOCK)
    greatest = tl.full([BLOCK], -float("inf"), tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, cols, BLOCK):
        at = start + i
        value = tl.load(x + row + at, mask=at < cols, other=-float("inf")).to(tl.float32)
        above = tl.maximum(greatest, value)
        shift = tl.where(above == -float("inf"), 0.0, above)  # nothing but -inf so far: no NaN
        total = total * tl.exp(greatest - shift) + tl.exp(value - shift)
        greatest = above
    most = tl.max(greatest, 0)
    scale = 1.0 / tl.sum(total * tl.exp(greatest - most), 0)
    for start in range(0, cols, BLOCK):
        at = start + i
        value = tl.load(x + row + at, mask=at < cols, other=-float("inf")).to(tl.float32)
        tl.store(y + row + at, (tl.exp(value - most) * scale).to(y.dtype.element_ty), mask=at < cols)
