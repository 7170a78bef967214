"""kernelloop:plan
{ "launches": [
    { "when": "cols == 1024", "kernel": "row_of", "grid": ["rows"],
      "args": ["x", "y"], "constants": {"COLS": 1024, "THREADS": 128} },
    { "when": "cols == 4096", "kernel": "row_of", "grid": ["rows"],
      "args": ["x", "y"], "constants": {"COLS": 4096, "THREADS": 256} },
    { "when": "cols == 8192", "kernel": "row_of", "grid": ["rows"],
      "args": ["x", "y"], "constants": {"COLS": 8192, "THREADS": 256} },
    { "when": "cols == 65536", "kernel": "long_row_of", "grid": ["rows"],
      "args": ["x", "y"], "constants": {"KEPT": 4, "STAGED": 12, "BLOCK": 4096, "THREADS": 512} },
    { "when": "cols % 8 == 0 && cols <= 1024 && cols != 1024", "kernel": "in_registers", "grid": ["rows"],
      "args": ["x", "y"], "constants": {"BLOCK": 1024, "THREADS": 128} },
    { "when": "cols % 8 == 0 && cols > 1024 && cols < 4096", "kernel": "in_registers", "grid": ["rows"],
      "args": ["x", "y"], "constants": {"BLOCK": 4096, "THREADS": 256} },
    { "when": "cols % 8 == 0 && cols > 4096 && cols != 8192 && cols != 65536", "kernel": "online", "grid": ["rows"],
      "args": ["x", "y"], "constants": {"BLOCK": 4096, "THREADS": 512} },
    { "when": "cols % 8 != 0", "kernel": "online", "grid": ["rows"],
      "args": ["x", "y"], "constants": {"BLOCK": 1024, "THREADS": 256} } ] }
"""
import tilelang.language as T

LOW = -float("inf")


# TileLang loads 16 bytes at a time where it knows that they are there, which takes the length of a row as a
# constant; hence the launches for the usual lengths.
def row_of(COLS, THREADS):
    rows = T.dynamic("rows")

    @T.prim_func
    def main(X: T.Tensor((rows, COLS), "bfloat16"), Y: T.Tensor((rows, COLS), "bfloat16")):
        with T.Kernel(rows, threads=THREADS) as row:
            value = T.alloc_fragment((1, COLS), "float32")
            greatest = T.alloc_fragment((1,), "float32")
            total = T.alloc_fragment((1,), "float32")
            for i in T.Parallel(COLS):
                value[0, i] = T.cast(X[row, i], "float32")
            T.reduce_max(value, greatest, dim=1)
            for i in T.Parallel(COLS):
                value[0, i] = T.__exp(value[0, i] - greatest[0])
            T.reduce_sum(value, total, dim=1)
            total[0] = 1.0 / total[0]
            for i in T.Parallel(COLS):
                Y[row, i] = value[0, i] * total[0]

    return main


# KEPT blocks of a row in registers, STAGED in shared memory, so that the row is read once.
def long_row_of(KEPT, STAGED, BLOCK, THREADS):
    rows = T.dynamic("rows")
    COLS = (KEPT + STAGED) * BLOCK

    @T.prim_func
    def main(X: T.Tensor((rows, COLS), "bfloat16"), Y: T.Tensor((rows, COLS), "bfloat16")):
        with T.Kernel(rows, threads=THREADS) as row:
            kept = T.alloc_fragment((KEPT, BLOCK), "bfloat16")
            staged = T.alloc_shared((STAGED, BLOCK), "bfloat16")
            raw = T.alloc_fragment((1, BLOCK), "bfloat16")
            value = T.alloc_fragment((1, BLOCK), "float32")
            greatest = T.alloc_fragment((1,), "float32")
            total = T.alloc_fragment((1,), "float32")
            for s, i in T.Parallel(KEPT, BLOCK):
                kept[s, i] = X[row, s * BLOCK + i]
            T.fill(value, LOW)
            for s in T.unroll(STAGED):
                for i in T.Parallel(BLOCK):
                    staged[s, i] = X[row, (KEPT + s) * BLOCK + i]
            for s in T.unroll(KEPT):
                for i in T.Parallel(BLOCK):
                    value[0, i] = T.max(value[0, i], T.cast(kept[s, i], "float32"))
            for s in T.serial(STAGED):
                for i in T.Parallel(BLOCK):
                    value[0, i] = T.max(value[0, i], T.cast(staged[s, i], "float32"))
            T.reduce_max(value, greatest, dim=1)
            T.clear(value)
            for s in T.unroll(KEPT):
                for i in T.Parallel(BLOCK):
                    value[0, i] += T.__exp(T.cast(kept[s, i], "float32") - greatest[0])
            for s in T.serial(STAGED):
                for i in T.Parallel(BLOCK):
                    raw[0, i] = staged[s, i]
                for i in T.Parallel(BLOCK):
                    value[0, i] += T.__exp(T.cast(raw[0, i], "float32") - greatest[0])
            T.reduce_sum(value, total, dim=1)
            total[0] = 1.0 / total[0]
            for s in T.unroll(KEPT):
                for i in T.Parallel(BLOCK):
                    raw[0, i] = T.__exp(T.cast(kept[s, i], "float32") - greatest[0]) * total[0]
                for i in T.Parallel(BLOCK):
                    Y[row, s * BLOCK + i] = raw[0, i]
            for s in T.serial(STAGED):
                for i in T.Parallel(BLOCK):
                    raw[0, i] = staged[s, i]
                for i in T.Parallel(BLOCK):
                    raw[0, i] = T.__exp(T.cast(raw[0, i], "float32") - greatest[0]) * total[0]
                for i in T.Parallel(BLOCK):
                    Y[row, (KEPT + s) * BLOCK + i] = raw[0, i]

    return main


def in_registers(BLOCK, THREADS):
    rows, cols = T.dynamic("rows"), T.dynamic("cols")

    @T.prim_func
    def main(X: T.Tensor((rows, cols), "bfloat16"), Y: T.Tensor((rows, cols), "bfloat16")):
        with T.Kernel(rows, threads=THREADS) as row:
            value = T.alloc_fragment((1, BLOCK), "float32")
            greatest = T.alloc_fragment((1,), "float32")
            total = T.alloc_fragment((1,), "float32")
            for i in T.Parallel(BLOCK):
                value[0, i] = T.if_then_else(i < cols, T.cast(X[row, i], "float32"), LOW)
            T.reduce_max(value, greatest, dim=1)
            for i in T.Parallel(BLOCK):
                value[0, i] = T.exp(value[0, i] - greatest[0])
            T.reduce_sum(value, total, dim=1)
            for i in T.Parallel(BLOCK):
                if i < cols:
                    Y[row, i] = value[0, i] / total[0]

    return main


def online(BLOCK, THREADS):
    rows, cols = T.dynamic("rows"), T.dynamic("cols")

    @T.prim_func
    def main(X: T.Tensor((rows, cols), "bfloat16"), Y: T.Tensor((rows, cols), "bfloat16")):
        with T.Kernel(rows, threads=THREADS) as row:
            value = T.alloc_fragment((1, BLOCK), "float32")
            greatest = T.alloc_fragment((1,), "float32")
            before = T.alloc_fragment((1,), "float32")
            total = T.alloc_fragment((1,), "float32")
            part = T.alloc_fragment((1,), "float32")
            T.fill(greatest, LOW)
            T.clear(total)
            for step in T.serial(T.ceildiv(cols, BLOCK)):
                for i in T.Parallel(BLOCK):
                    value[0, i] = T.if_then_else(step * BLOCK + i < cols, T.cast(X[row, step * BLOCK + i], "float32"), LOW)
                T.copy(greatest, before)
                T.reduce_max(value, greatest, dim=1, clear=False)
                for i in T.Parallel(BLOCK):
                    value[0, i] = T.if_then_else(value[0, i] == LOW, 0.0, T.exp(value[0, i] - greatest[0]))
                T.reduce_sum(value, part, dim=1)
                total[0] = T.if_then_else(before[0] == LOW, 0.0, total[0] * T.exp(before[0] - greatest[0])) + part[0]
            for step in T.serial(T.ceildiv(cols, BLOCK)):
                for i in T.Parallel(BLOCK):
                    if step * BLOCK + i < cols:
                        Y[row, step * BLOCK + i] = T.exp(T.cast(X[row, step * BLOCK + i], "float32") - greatest[0]) / total[0]

    return main
