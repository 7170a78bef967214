#!/usr/bin/env bash
# Installs what KernelLoop is built with on a Debian-like machine. Safe to run again: what is there
# stays as it is. `tools/bootstrap.sh --dev` adds what contributors and CI need (tests, formatters).
set -euo pipefail

packages=(
  g++ cmake ninja-build git ca-certificates
  nlohmann-json3-dev libcli11-dev libfmt-dev libvalijson-dev libxxhash-dev
  libcurl4-openssl-dev libssl-dev libsqlite3-dev
  gnuplot-nox bubblewrap
)
dev_packages=(libgtest-dev libgmock-dev clang clang-format clang-tidy python3-venv)
# For the test of the ssh launcher, which is skipped without it. Where systemd runs, Debian would
# open the machine to ssh with it: there its owner decides.
[[ -d /run/systemd/system ]] || dev_packages+=(openssh-client openssh-server)
gersemi_version=0.29.2

dev=false
[[ ${1:-} == --dev ]] && dev=true
$dev && packages+=("${dev_packages[@]}")

if ! command -v dpkg-query >/dev/null; then
  echo "bootstrap: this is no Debian-like system; install by its own means: ${packages[*]}" >&2
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $state == installed ]] || missing+=("$package")
done

as_root=()
((EUID == 0)) || as_root=(sudo)
if ((${#missing[@]})); then
  ((EUID == 0)) || command -v sudo >/dev/null || {
    echo "bootstrap: cannot install without root or sudo; ask for: ${missing[*]}" >&2
    exit 1
  }
  echo "bootstrap: installing ${missing[*]}"
  "${as_root[@]}" apt-get update -qq
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends \
    "${missing[@]}" >/dev/null
fi

# For the tests of pages, which are skipped without it; not every distribution packages it (80 MB).
if $dev && ! command -v chromium >/dev/null; then
  if [[ $(apt-cache policy chromium) == *"Candidate: "[0-9]* ]] && { ((EUID == 0)) || command -v sudo >/dev/null; }; then
    echo "bootstrap: installing chromium"
    DEBIAN_FRONTEND=noninteractive ${as_root[@]+"${as_root[@]}"} apt-get install -y -qq \
      --no-install-recommends chromium >/dev/null ||
      echo "bootstrap: chromium could not be installed; tests of pages will be skipped" >&2
  else
    echo "bootstrap: no chromium to install here; tests of pages will be skipped" >&2
  fi
fi

# For the tests of the Slurm launcher. Installed, its services would start with the machine: it is only
# unpacked (13 MB), in the checkout.
root=$(cd "$(dirname "$0")/.." && pwd)
if $dev && [[ ! -d $root/.slurm ]] && ! PATH=$PATH:/usr/sbin command -v slurmctld >/dev/null; then
  echo "bootstrap: unpacking Slurm into $root/.slurm"
  "$root/tools/unpack_slurm.sh" "$root/.slurm" ||
    echo "bootstrap: Slurm could not be fetched; its tests will be skipped" >&2
fi

# The CMake formatter comes from PyPI, into a virtual environment of the checkout.
if $dev; then
  if ! "$root/.venv/bin/gersemi" --version 2>/dev/null | grep -q "^gersemi $gersemi_version"; then
    python3 -m venv "$root/.venv"
    "$root/.venv/bin/pip" install --quiet "gersemi==$gersemi_version"
  fi
fi
