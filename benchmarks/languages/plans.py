"""Plans as the programs beside this one read them. Needs neither a GPU nor PyTorch."""

import json
import os
import re

FUNCTIONS = {"ceil_div": lambda a, b: -(-a // b), "min": min, "max": max}


def value(expression, axes):
    """Of an expression of a plan, without `?:` and `!`."""
    text = expression.replace("&&", " and ").replace("||", " or ")
    return int(eval(re.sub(r"(?<!/)/(?!/)", "//", text), dict(FUNCTIONS), dict(axes)))


def axes_of(shape):
    """{"rows": 2048, "cols": 1024} of "rows=2048,cols=1024"."""
    return {name: int(size) for name, size in (one.split("=") for one in shape.split(","))}


def launch_for(launches, axes):
    """The first of a plan's launches whose `when` holds, and its number."""
    for number, launch in enumerate(launches):
        if "when" not in launch or value(launch["when"], axes):
            return number, launch
    raise RuntimeError("the plan has no launch for %s" % axes)


def written_launches(text):
    """Of a version's source: what the plan in its docstring lists."""
    return json.JSONDecoder().raw_decode(text.split("kernelloop:plan", 1)[1].strip())[0]["launches"]


def cubin_of(compile_json, compiled):
    """Where the build put it; else, moved with compile.json, beside that."""
    path = compiled["artifacts"]["cuda"]["cubin"]
    return path if os.path.exists(path) else os.path.join(os.path.dirname(compile_json), os.path.basename(path))
