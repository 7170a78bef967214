# A real sshd on 127.0.0.1 with keys of its own, for the tests of the ssh launcher; source it after
# harness.sh. Sets KERNELLOOP_SSH_CONFIG to a configuration that knows the host `gpuhost`, and
# `greetinghost` and `poorhost`, whose logins print something or find few programs, and
# `cuthost`, the same behind tests/loop/cutter.py with the file $CUT_AFTER. Steps run there as a user
# of their own where root can have one without touching this machine, in a mount namespace with
# another list of users; else as the user of the test.
# Ends the test as skipped, with the reason, where there is no sshd.
sshd_program=$(command -v sshd || { [[ -x /usr/sbin/sshd ]] && echo /usr/sbin/sshd; } || true)
[[ -n $sshd_program ]] && command -v ssh-keygen >/dev/null && command -v ssh >/dev/null || {
  echo "skipped: there is no sshd (Debian: openssh-server)"
  exit 77
}
ssh_dir=$work_dir/ssh
mkdir -p -m 700 "$ssh_dir"
for key in host user other greeted poor; do
  ssh-keygen -q -t ed25519 -N '' -C "$key of a test" -f "$ssh_dir/$key"
done
cp "$ssh_dir/user.pub" "$ssh_dir/authorized"
# A login that prints, and one that finds few programs.
mkdir "$ssh_dir/few"
for program in sh tar mkdir mv rm cat sleep chmod; do
  ln -s "$(command -v $program)" "$ssh_dir/few/$program"
done
echo "command=\"echo Welcome to the host.; eval \\\"\$SSH_ORIGINAL_COMMAND\\\"\" $(cat "$ssh_dir/greeted.pub")
command=\"PATH='$ssh_dir/few'; eval \\\"\$SSH_ORIGINAL_COMMAND\\\"\" $(cat "$ssh_dir/poor.pub")" >>"$ssh_dir/authorized"
remote=$work_dir/remote
ssh_user=$(id -un)
ssh_uid=$EUID
with_users=()
other_uid=61234
if ((EUID == 0)) && ! getent passwd $other_uid >/dev/null && unshare --mount true 2>/dev/null &&
  setpriv --reuid=$other_uid --regid=$other_uid --clear-groups \
    test -x "$build_dir/bin/kernelloop-device" -a -x "$work_dir"; then
  ssh_user=kernelloop-test
  ssh_uid=$other_uid
  mkdir -m 700 "$remote"
  chown $ssh_uid:$ssh_uid "$remote"
  chmod 711 "$ssh_dir"
  cp /etc/passwd "$ssh_dir/users"
  echo "$ssh_user:*:$ssh_uid:$ssh_uid::$remote:/bin/sh" >>"$ssh_dir/users"
  with_users=(unshare --mount sh -c 'mount --bind "$1" /etc/passwd && shift && exec "$@"' sh "$ssh_dir/users")
fi
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
Host greetinghost
  IdentityFile $ssh_dir/greeted
Host poorhost
  IdentityFile $ssh_dir/poor
Host gpuhost cuthost greetinghost poorhost changed deadhost
  HostName 127.0.0.1
  User $ssh_user
  IdentitiesOnly yes
  GlobalKnownHostsFile /dev/null
Host gpuhost cuthost changed deadhost
  IdentityFile $ssh_dir/user
Host gpuhost cuthost greetinghost poorhost
  Port $ssh_port
  UserKnownHostsFile $ssh_dir/known
Host cuthost
  ProxyCommand python3 $source_dir/tests/loop/cutter.py $ssh_port "\$CUT_AFTER"
Host changed
  Port $ssh_port
  UserKnownHostsFile $ssh_dir/wrong
Host deadhost
  Port 1
EOF
echo "[127.0.0.1]:$ssh_port $(cat "$ssh_dir/other.pub")" >"$ssh_dir/wrong"
((EUID != 0)) || mkdir -p /run/sshd
${with_users[@]+"${with_users[@]}"} "$sshd_program" -f "$ssh_dir/sshd_config" -E "$ssh_dir/log"
for _ in $(seq 50); do [[ -s $ssh_dir/pid ]] && break; sleep 0.1; done
[[ -s $ssh_dir/pid ]] || { cat "$ssh_dir/log" >&2; fail "sshd does not start"; }
sshd_pid=$(cat "$ssh_dir/pid")
# The sockets of the launcher: a short path, since the system limits their length.
export XDG_RUNTIME_DIR
XDG_RUNTIME_DIR=$(mktemp -d)
export KERNELLOOP_SSH_CONFIG=$ssh_dir/config KERNELLOOP_SSH_DIR=$remote
# Ends what serves connections: sshd's children, and where the user is another their children, too.
break_connections() {
  local child
  for child in $(pgrep -P "$sshd_pid"); do
    kill -KILL $(pgrep -P "$child" -x sshd) "$child" 2>/dev/null || true
  done
}
stop_sshd() {
  break_connections
  kill "$sshd_pid" 2>/dev/null || true
  rm -rf "$XDG_RUNTIME_DIR"
}
trap stop_sshd EXIT
