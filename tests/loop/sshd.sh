# A real sshd on 127.0.0.1 with keys of its own, for the tests of the ssh launcher; source it after
# harness.sh. Sets KERNELLOOP_SSH_CONFIG to a configuration that knows the host `gpuhost`.
# Ends the test as skipped, with the reason, where there is no sshd.
sshd_program=$(command -v sshd || { [[ -x /usr/sbin/sshd ]] && echo /usr/sbin/sshd; } || true)
[[ -n $sshd_program ]] && command -v ssh-keygen >/dev/null && command -v ssh >/dev/null || {
  echo "skipped: there is no sshd (Debian: openssh-server)"
  exit 77
}
ssh_dir=$work_dir/ssh
mkdir -p -m 700 "$ssh_dir"
for key in host user other; do
  ssh-keygen -q -t ed25519 -N '' -C "$key of a test" -f "$ssh_dir/$key"
done
cp "$ssh_dir/user.pub" "$ssh_dir/authorized"
ssh_port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
cat >"$ssh_dir/sshd_config" <<EOF
Port $ssh_port
ListenAddress 127.0.0.1
HostKey $ssh_dir/host
AuthorizedKeysFile $ssh_dir/authorized
PidFile $ssh_dir/pid
PasswordAuthentication no
KbdInteractiveAuthentication no
PubkeyAuthentication yes
PermitRootLogin prohibit-password
StrictModes no
UsePAM no
MaxStartups 100
EOF
echo "[127.0.0.1]:$ssh_port $(cat "$ssh_dir/host.pub")" >"$ssh_dir/known"
cat >"$ssh_dir/config" <<EOF
Host gpuhost changed deadhost
  HostName 127.0.0.1
  User $(id -un)
  IdentityFile $ssh_dir/user
  IdentitiesOnly yes
  GlobalKnownHostsFile /dev/null
Host gpuhost
  Port $ssh_port
  UserKnownHostsFile $ssh_dir/known
Host changed
  Port $ssh_port
  UserKnownHostsFile $ssh_dir/wrong
Host deadhost
  Port 1
EOF
echo "[127.0.0.1]:$ssh_port $(cat "$ssh_dir/other.pub")" >"$ssh_dir/wrong"
((EUID != 0)) || mkdir -p /run/sshd
"$sshd_program" -f "$ssh_dir/sshd_config" -E "$ssh_dir/log"
for _ in $(seq 50); do [[ -s $ssh_dir/pid ]] && break; sleep 0.1; done
[[ -s $ssh_dir/pid ]] || { cat "$ssh_dir/log" >&2; fail "sshd does not start"; }
sshd_pid=$(cat "$ssh_dir/pid")
# The sockets of the launcher: a short path, since the system limits their length.
export XDG_RUNTIME_DIR
XDG_RUNTIME_DIR=$(mktemp -d)
export KERNELLOOP_SSH_CONFIG=$ssh_dir/config KERNELLOOP_SSH_DIR=$work_dir/remote
stop_sshd() {
  pkill -P "$sshd_pid" 2>/dev/null || true
  kill "$sshd_pid" 2>/dev/null || true
  rm -rf "$XDG_RUNTIME_DIR"
}
trap stop_sshd EXIT
