"""An operator's tree as steps on a GPU leave it, with a hostile author and every kind of evidence."""

import json

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)> & `x` \"q\" 'r'"
DEVICE = {"kind": "cuda", "name": "NVIDIA H200", "architecture": "sm_90", "driver": "580.1, CUDA 13.0",
          "multiprocessors": 132, "highest_clock_hz": 1.98e9, "datasheet_bandwidth": 4.8e12}


def put(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))


def workload(name, median, rows):
    return {"name": name, "axes": {"rows": rows}, "weight": 1, "samples": 40, "set_aside": 2,
            "throttling": ["power cap"], "median_us": median, "interval_us": [median * 0.99, median * 1.01],
            "min_us": median * 0.98, "p25_us": median * 0.99, "p75_us": median * 1.02, "spread": 0.0345,
            "clock_mhz": 1951.4, "power_watts": 512.6, "bytes": rows * 8e6, "flops": {"fp32": rows * 2e6},
            "bytes_per_second": rows * 8e6 / (median * 1e-6), "sol": 0.87654, "bound": "memory",
            "hot": {"median_us": median * 0.8}, "rotating": None,
            "referee": {"status": "agreed", "reason": ""},
            "bus": {"read_bytes": 28e6, "written_bytes": 28.5e6} if rows == 7 else None}


def write_sample(root):
    """Writes the tree under root; returns the path of its config.json."""
    build = root / "build/kernelloop/scale"
    put(root / "op.json", {"name": "scale", "description": f"y = 2 x {EVIL}"})
    for version, median in ((1, None), (2, 61.234), (3, 1234.5678)):
        name = f"v{version:03}"
        steps, own = build / name, root / "generated/scale" / name
        put(own / "kernel.cu", f"// {name} {EVIL}\n" + "// the same\n" * 9)
        put(own / "origin.json", {
            "mode": "optimise" if version > 1 else "seed", "parent": "" if version == 1 else f"v{version - 1:03}",
            "provider": "anthropic", "model": EVIL, "summary": EVIL,
            "tokens": {"input": 12345, "output": 678}, "cost_usd": 0.0042 if version == 2 else None})
        put(steps / "proposed.json", {"status": "ready"})
        put(steps / "compile.json", {"status": "compiled", "kernels": [
            {"name": "k", "signature": f"k<{EVIL}>", "registers": 40, "spill_store_bytes": 0}]})
        put(steps / "verify.json", {
            "status": "passed" if median else "failed", "reason": "" if median else EVIL, "device": DEVICE,
            "rungs": [{"name": "smoke", "status": "passed" if median else "failed", "reason": "" if median else EVIL,
                       "cases": [1, 2]}]})
        if not median:
            continue
        put(steps / "profile.json", {"status": "profiled", "digest": ["Memory bounds it.", EVIL]})
        put(steps / "bench.json", {
            "status": "measured", "device": DEVICE, "mode": "cold", "clocks": "as found",
            "ceilings": {"roofs": {"copy": 4.2e12, "read": 4.4e12, "fp32": 6.1e13, "launch": 2.9e-6}},
            "workloads": [workload("small", median, 7), workload(f"large {EVIL}", 3 * median, 21)],
            "summary": {"time_us": median * 1.7, "sol": 0.87654}})
    put(build / "v003/trace.json", {"status": "traced", "digest": f"load: 60 %\n{EVIL}\n", "overhead": None})
    put(build / "baselines.json", {"baselines": [
        {"name": "old", "status": "measured", "workloads": [workload("small", 70, 7)],
         "summary": {"time_us": 70.25, "sol": 0.5}},
        {"name": "wrong", "status": "failed", "reason": EVIL}]})
    config = build / "config.json"
    put(config, {
        "schema_version": 1, "op": "scale", "spec": str(root / "op.json"), "reference_source": "", "build_dir": str(build),
        "generated_dir": str(root / "generated"), "reports_dir": str(root / "reports"),
        "recordings_dir": str(root / "generated"), "hints": "", "context": [], "notes_dir": "", "baselines": ["old.cu"],
        "labels": [], "versions": 3, "candidates": 1, "fix_limit": 3,
        "budget": {"usd": None, "tokens": None, "requests": None},
        "run_budget": {"usd": None, "tokens": None, "requests": None}, "provider": "manual", "model": "",
        "sol_target": 0.9, "architectures": ["90a"], "compile_options": [], "device": "cuda", "nvcc": "",
        "host_compiler": "c++", "cpu_include_dir": "", "device_launcher": [], "device_tool": "", "reference_library": ""})
    return config
