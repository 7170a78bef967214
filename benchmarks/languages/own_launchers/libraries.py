"""Makes a launch a library of C with what host_time.hpp declares."""

import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.path.join(HERE, "..", "..", "..", "include")


def make(folder, name, text, inputs, cuda, needed=()):
    """`text`, which defines launch(), as the library `name` in `folder`; `inputs` go with it to the compiler. `cuda` is a
    toolkit; its runtime is linked dynamically, so that a process has one. `needed` are libraries in `folder`; they are found
    beside the new one, wherever the folder is moved."""
    found = ["-L" + folder] + ["-l:" + library for library in needed]
    found += ["-I" + os.path.join(cuda, "include"), "-L" + os.path.join(cuda, "lib64"), "-lcudart"] if cuda else []
    source = os.path.join(folder, name + ".cpp")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    library = os.path.join(folder, name + ".so")
    done = subprocess.run(
        [os.environ.get("CXX", "c++"), "-O2", "-std=c++17", "-shared", "-fPIC", "-I" + HERE, "-I" + folder, "-I" + INCLUDE,
         source, *inputs, *found, "-Wl,-rpath,$ORIGIN", "-Wl,-Bsymbolic", "-o", library], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError("%s does not compile: %s" % (source, done.stderr[-3000:]))
    return name + ".so"
