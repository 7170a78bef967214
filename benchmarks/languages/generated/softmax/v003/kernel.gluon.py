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
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def in_registers(x, y, cols, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([8], [32], [gl.num_warps()], [0])
    row = gl.program_id(0).to(gl.int64) * cols
    i = gl.arange(0, BLOCK, layout=layout)
    value = gl.load(x + row + i, mask=i < cols, other=-float("inf")).to(gl.float32)
    value = gl.exp(value - gl.max(value, 0))
    gl.store(y + row + i, (value / gl.sum(value, 0)).to(gl.bfloat16), mask=i < cols)


@gluon.jit
def online(x, y, cols, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([8], [32], [gl.num_warps()], [0])
    row = gl.program_id(0).to(gl.int64) * cols
    i = gl.arange(0, BLOCK, layout=layout)
    greatest = gl.full([BLOCK], -float("inf"), gl.float32, layout=layout)
    total = gl.full([BLOCK], 0.0, gl.float32, layout=layout)
    for start in range(0, cols, BLOCK):
        at = start + i
        value = gl.load(x + row + at, mask=at < cols, other=-float("inf")).to(gl.float32)
        above = gl.maximum(greatest, value)
        shift = gl.where(above == -float("inf"), 0.0, above)  # nothing but -inf so far: no NaN
        total = total * gl.exp(greatest - shift) + gl.exp(value - shift)
        greatest = above
    most = gl.max(greatest, 0)
    scale = 1.0 / gl.sum(total * gl.exp(greatest - most), 0)
    for start in range(0, cols, BLOCK):
        at = start + i
        value = gl.load(x + row + at, mask=at < cols, other=-float("inf")).to(gl.float32)
        gl.store(y + row + at, (gl.exp(value - most) * scale).to(gl.bfloat16), mask=at < cols)
