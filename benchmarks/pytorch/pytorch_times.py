"""Prints what PyTorch takes for workloads of our operators, eager and compiled, cold L2 (medians of
triton.testing.do_bench), and writes the same as JSON: pytorch_times.py OUT.json. Needs PyTorch,
Triton and a GPU; nothing of KernelLoop uses it."""
import json, sys
import torch, triton
from triton.testing import do_bench

torch.manual_seed(0)
dev = "cuda"
out = []


def rand(*shape, dtype=torch.bfloat16):
    return torch.randn(*shape, device=dev, dtype=dtype)


def add(op, shape, functions):
    row = {"op": op, "shape": shape}
    for name, function in functions.items():
        try:
            function()
            row[name] = round(1000 * do_bench(function, warmup=25, rep=100, return_mode="median"), 2)
        except Exception as error:  # noqa
            row[name] = "failed: " + str(error)[:80]
    out.append(row)
    print(json.dumps(row), flush=True)


def both(f):
    return {"eager_us": f, "compile_us": torch.compile(f, dynamic=False)}


for rows, classes in [(4096, 8192), (1024, 32000), (512, 50257), (256, 128256), (16384, 1024)]:
    x, t = rand(rows, classes) * 2, torch.randint(0, classes, (rows,), device=dev)
    add("cross_entropy", [rows, classes], both(lambda x=x, t=t: torch.nn.functional.cross_entropy(x.float(), t, reduction="none")))
    add("cross_entropy_bf16", [rows, classes], both(lambda x=x, t=t: torch.nn.functional.cross_entropy(x, t, reduction="none")))
for rows, cols in [(65536, 64), (65536, 256), (4096, 8192), (1024, 32000), (256, 128256), (4096, 32768)]:
    x = rand(rows, cols)
    add("top_k", [rows, cols], both(lambda x=x: torch.topk(x, 8, dim=-1)))
for rows, cols in [(16384, 1024), (16384, 4096), (4096, 8192), (8192, 8192), (1024, 65536)]:
    x = rand(rows, cols)
    add("softmax", [rows, cols], both(lambda x=x: torch.softmax(x, dim=-1)))
for rows, cols in [(16384, 2048), (16384, 4096), (8192, 5120), (8192, 8192), (4096, 16384)]:
    x, w = rand(rows, cols), rand(cols)
    add("rmsnorm", [rows, cols], both(lambda x=x, w=w: torch.nn.functional.rms_norm(x, (x.shape[-1],), w)))
json.dump({"torch": torch.__version__, "triton": triton.__version__, "device": torch.cuda.get_device_name(), "rows": out}, open(sys.argv[1], "w"), indent=1)
