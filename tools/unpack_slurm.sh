#!/usr/bin/env bash
# unpack_slurm.sh <folder>: fetches Debian's Slurm and what it needs beyond what is installed, and
# unpacks it into the folder, for tests. Nothing is installed: no service is started or enabled, no
# user made, no file outside the folder written. Needs neither root nor systemd's absence.
set -euo pipefail
folder=$1
packages=(slurmctld slurmd slurm-client munge)

work=$(mktemp -d "$folder.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/archives/partial" "$work/root"
# Who installs nothing needs no lock, and may be anybody.
apt-get -qq -y -o Dir::Cache::archives="$work/archives" -o Debug::NoLocking=true -o APT::Sandbox::User="$(id -un)" \
  --download-only --no-install-recommends install "${packages[@]}" >/dev/null
for archive in "$work"/archives/*.deb; do dpkg-deb --extract "$archive" "$work/root"; done
# Debian's names, for what its postinst would choose from.
for program in "$work"/root/usr/sbin/*-wlm; do
  ln -s "${program##*/}" "${program%-wlm}"
done
rm -rf "$folder"
mv "$work/root" "$folder"
