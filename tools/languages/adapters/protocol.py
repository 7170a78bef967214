"""What every adapter has in common: it reads a job, and writes what came of it.

An adapter is one file beside this one. Its docstring begins with the description of the language
(JSON, read by the build) and goes on with what a model is told of it (Markdown). It defines

    load(path)                     imports or reads the version's source
    build(source, launch, target)  compiles one launch; returns a Built, or raises Rejected

and ends with `protocol.main(load, build)`. It runs confined: it sees the job, the source and its own
packages, writes into one folder, and has no network. So does the version's source, which it runs.

A job:
    {"source": path, "architecture": "90a",
     "launches": [{"function", "arguments": [{"kind": "pointer"|"scalar"|"integer"|"tensor_map",
                   "dtype", "divisible_by_16", "plan", "sizes", "strides"}], "constants": {name: value},
                   "options": {name: value}, "axes": [name]}]}
`plan` is the argument as the plan has it, in canonical form; a tensor map also says whether it is
`written`. A tensor's pointer has `sizes` and `strides`, outermost
first, in elements: [{"plan": expression, "divisible_by_16"}].
The result:
    {"status": "built"|"rejected", "ptx",
     "launches": [{"kernel", "block": [x, y, z], "dynamic_shared_bytes", "cluster": [x, y, z] | null,
                   "cooperative", "programmatic_dependent", "grid": [...] | null, "arguments": [...] | null,
                   "hidden": [{"scratch_bytes", "alignment"}]}],
     "problems": [{"message", "line"}], "files": [name]}
`launches` are those of the job, in its order; two that need the same code share a kernel.
`grid` and `arguments` are what holds where that is not what the plan says, as a plan writes them
(schemas/plan.schema.json), tensor maps among them; a grid then counts blocks, not clusters. `hidden`
are pointers that the kernel takes after the plan's arguments: scratch memory of so many bytes for each
block, or null for 0. `files` are further dumps that the adapter left in the folder.
"""

import json
import os
import re
import sys
import traceback

LONGEST_MESSAGE = 2000


class Rejected(Exception):
    """The version is at fault: what is wrong, in words to act on, and where."""

    def __init__(self, message, line=0):
        super().__init__(message)
        self.line = line


class Built:
    """What one launch was compiled to. `ptx` holds one kernel, named `symbol`."""

    def __init__(self, ptx, symbol, block, dynamic_shared_bytes=0, cluster=None, cooperative=False,
                 programmatic_dependent=False, hidden=(), dumps=(), arguments=None, grid=None):
        self.ptx = ptx
        self.symbol = symbol
        self.launch = {
            "block": list(block),
            "dynamic_shared_bytes": dynamic_shared_bytes,
            "cluster": cluster,
            "cooperative": cooperative,
            "programmatic_dependent": programmatic_dependent,
            "grid": grid,
            "arguments": arguments,
            "hidden": [{"scratch_bytes": size, "alignment": align} for size, align in hidden],
        }
        self.dumps = dict(dumps)  # suffix -> text


def line_of(error, path):
    """The line of the source that an exception came from; 0 when none."""
    line = 0
    if isinstance(error, SyntaxError) and error.filename == path:
        return error.lineno or 0
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename == path:
            line = frame.lineno
    return line


def renamed(ptx, old, new):
    """A function may be called like an instruction (`add`, `ret`) or a register (`r`): these keep their names."""
    def symbol(match):
        before = ptx[ptx.rfind("\n", 0, match.start()) + 1:match.start()]
        alone = re.match(r"\s*;", ptx[match.end():match.end() + 8])  # an instruction without operands
        if alone and re.search(r"(?:^|[;{}:]|@!?%\w+)\s*$", before):
            return match.group(0)
        return new + (match.group(1) or "")
    # An instruction goes on with a suffix or an operand.
    return re.sub(r"(?<![\w$.%%])%s(_param_\d+)?(?![\w$.]|\s+[$%%\w])" % re.escape(old), symbol, ptx)


class PtxModules:
    """Several PTX modules as one: each kernel under a name of its own."""

    def __init__(self):
        self.version = (0, 0)
        self.target = ""
        self.files = {}  # text -> number
        self.shared = {}  # dynamic shared memory: name -> alignment
        self.bodies = []

    def add(self, ptx, symbols):
        """`symbols`: names of functions and variables, each with the one that it gets."""
        numbers = {}
        body = []
        for line in ptx.splitlines():
            words = line.split()
            first = words[0] if words else ""
            if first == ".version":
                self.version = max(self.version, tuple(int(n) for n in words[1].split(".")))
            elif first == ".target":
                self.target = line
            elif first == ".address_size":
                pass
            elif first == ".file":
                number, text = line.strip().split(None, 2)[1:]
                numbers[number] = str(self.files.setdefault(text, len(self.files) + 1))
            elif first == ".section":
                break  # DWARF, which would have to be linked; the lines stand in .loc
            elif line.startswith(".extern .shared"):
                match = re.search(r"\.align\s+(\d+)\s+\.b8\s+([\w$]+)\[\]", line)
                if not match:
                    body.append(line)
                else:
                    name = match.group(2)
                    self.shared[name] = max(self.shared.get(name, 0), int(match.group(1)))
            else:
                body.append(line)
        # Files may be declared behind the code that names them.
        text = "\n".join(body)
        text = re.sub(r"(?m)^(\s*\.loc\s+)(\d+)", lambda m: m.group(1) + numbers.get(m.group(2), m.group(2)),
                      text)
        text = re.sub(r"(inlined_at\s+)(\d+)", lambda m: m.group(1) + numbers.get(m.group(2), m.group(2)), text)
        for old, new in symbols.items():
            text = renamed(text, old, new)
        self.bodies.append(text)

    def text(self):
        lines = [".version %d.%d" % self.version, self.target, ".address_size 64"]
        lines += [".extern .shared .align %d .b8 %s[];" % (alignment, name)
                  for name, alignment in self.shared.items()]
        lines += self.bodies
        lines += [".file %s %s" % (number, text) for text, number in self.files.items()]
        return "\n".join(lines) + "\n"


def defined_symbols(ptx):
    """Functions and module variables that a PTX text defines; those of others keep their names."""
    ptx = re.sub(r"(?m)^\s*\.extern\s+\.func\b[^;]*;?", "", ptx)
    names = re.findall(r"\.(?:entry|func)\s*(?:\([^)]*\)\s*)?([\w$]+)\s*\(", ptx)
    names += re.findall(r"(?m)^\s*(?:\.visible\s+)?\.(?:global|const)\s.*?([\w$]+)\s*(?:\[|=|;)", ptx)
    return names


def refuse_tensor_maps(launch):
    if any(argument["kind"] == "tensor_map" for argument in launch["arguments"]):
        raise Rejected("launch of `%s`: this language takes no tensor maps from the plan" % launch["function"])


def require_architecture(ptx, architecture, launch):
    """Code with features of one architecture (sm_90a) is for no other, also not for sm_90."""
    target = re.search(r"(?m)^\s*\.target\s+sm_(\d+a)\b", ptx)
    if target and target.group(1) != architecture:
        raise Rejected("launch of `%s`: the compiler of this language compiles for sm_%s, not for sm_%s; "
                       "ARCHITECTURES of the operator must say %s"
                       % (launch["function"], target.group(1), architecture, target.group(1)))


def make_kernels(source, job, build, tensor_maps):
    modules = PtxModules()
    known = {}
    launches = []
    dumps = {}
    for launch in job["launches"]:
        key = json.dumps(launch, sort_keys=True)
        if key not in known:
            if not tensor_maps:
                refuse_tensor_maps(launch)
            built = build(source, launch, job["architecture"])
            require_architecture(built.ptx, job["architecture"], launch)
            number = len(known)
            name = "%s_%d" % (launch["function"], number)
            symbols = {old: "%s_%d" % (old, number) for old in defined_symbols(built.ptx)}
            if built.symbol not in symbols:
                raise RuntimeError("the PTX of %s defines no kernel %s" % (launch["function"], built.symbol))
            symbols[built.symbol] = name
            modules.add(built.ptx, symbols)
            known[key] = dict(built.launch, kernel=name)
            for suffix, text in built.dumps.items():
                dumps["%s.%s" % (name, suffix)] = text
        launches.append(known[key])
    return modules.text(), launches, dumps


def require_text(path):
    """Compilers that read a file again with the wrong encoding say something else."""
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                raise Rejected("the byte 0x%02x is no UTF-8; write the file in UTF-8" % line[error.start], number)
            if b"\0" in line:
                raise Rejected("there is a NUL byte; take it out", number)


def message_of(error):
    """What an exception of the source says, which may be anything, as text that can be written."""
    try:
        text = str(error)[:LONGEST_MESSAGE].strip() or "no message"
    except Exception:  # of its __str__
        text = "no message that could be read"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def rejected(path, error):
    if isinstance(error, Rejected):
        return {"status": "rejected", "problems": [{"message": message_of(error), "line": error.line}]}
    return {"status": "rejected", "problems": [
        {"message": "%s: %s" % (type(error).__name__, message_of(error)), "line": line_of(error, path)}]}


def main(load, build, tensor_maps=False):
    """`tensor_maps`: whether kernels of the language can take those that a plan writes."""
    with open(sys.argv[1], encoding="utf-8") as file:
        job = json.load(file)
    path = job["source"]
    try:
        require_text(path)
        ptx, launches, dumps = make_kernels(load(path), job, build, tensor_maps)
        for name, text in dumps.items():
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
        result = {"status": "built", "ptx": ptx, "launches": launches, "problems": [],
                  "files": sorted(dumps)}
    except (KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:  # whatever the source does, also to leave
        result = rejected(path, error)
    with open("result.json.new", "w", encoding="utf-8") as file:
        json.dump(result, file)
    os.rename("result.json.new", "result.json")
