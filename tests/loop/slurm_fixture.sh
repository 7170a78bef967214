# A real Slurm of this user on this machine, with two nodes, each with one `gpu` that is none; source it
# after harness.sh. Sets SLURM_CONF. Ends the test as skipped, with the reason, where it cannot be.
PATH=$PATH:/usr/sbin
# As tools/unpack_slurm.sh leaves it, before one that is installed.
unpacked=$source_dir/.slurm
slurm_plugins=
slurm_step=()
if [[ -d $unpacked ]]; then
  PATH=$unpacked/usr/bin:$unpacked/usr/sbin:$PATH
  slurm_plugins=$(compgen -G "$unpacked/usr/lib/*/slurm-wlm")
  export LD_LIBRARY_PATH=${slurm_plugins%/*}:$slurm_plugins${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  slurm_step=(-d "$unpacked/usr/sbin/slurmstepd")
fi
for program in munged slurmctld slurmd sbatch squeue scontrol; do
  command -v "$program" >/dev/null || {
    echo "skipped: there is no $program (tools/unpack_slurm.sh $unpacked fetches Debian's)"
    exit 77
  }
done
slurm=$(mktemp -d)
slurm_ports=($(python3 -c '
import socket
sockets = [socket.socket() for _ in range(3)]
for s in sockets: s.bind(("127.0.0.1", 0))
print(*[s.getsockname()[1] for s in sockets])'))
chmod 755 "$slurm"
mkdir -m 755 "$slurm"/{state,munge,n1,n2}
head -c 1024 /dev/urandom >"$slurm/munge/key"
chmod 400 "$slurm/munge/key"
host=$(hostname -s)
cat >"$slurm/slurm.conf" <<EOF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=${slurm_ports[0]}
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
${slurm_plugins:+PluginDir=$slurm_plugins}
AuthType=auth/munge
AuthInfo=socket=$slurm/munge/socket
CredType=cred/munge
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/%n
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/%n.pid
SlurmctldLogFile=$slurm/slurmctld.log
SlurmdLogFile=$slurm/%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,batch_sched_delay=0
MinJobAge=10
GresTypes=gpu
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=${slurm_ports[1]} CPUs=1 Gres=gpu:1 State=UNKNOWN
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=${slurm_ports[2]} CPUs=1 Gres=gpu:1 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
EOF
echo "NodeName=n[1-2] Name=gpu File=/dev/null" >"$slurm/gres.conf"
export SLURM_CONF=$slurm/slurm.conf
start_controller() {
  slurmctld -i -f "$SLURM_CONF" >>"$slurm/start.log" 2>&1
}
stop_slurm() {
  for file in "$slurm"/*.pid "$slurm/munge/pid"; do
    [[ ! -s $file ]] || kill "$(cat "$file")" 2>/dev/null || true
  done
  sleep 0.2
  rm -rf "$slurm"
}
trap stop_slurm EXIT
munged --force --socket="$slurm/munge/socket" --key-file="$slurm/munge/key" --pid-file="$slurm/munge/pid" \
  --log-file="$slurm/munge/log" --seed-file="$slurm/munge/seed" 2>>"$slurm/start.log" || {
  cat "$slurm/start.log" >&2
  fail "munged does not start"
}
start_controller || { cat "$slurm/start.log" "$slurm/slurmctld.log" >&2; fail "slurmctld does not start"; }
for node in n1 n2; do
  slurmd -N "$node" -f "$SLURM_CONF" ${slurm_step[@]+"${slurm_step[@]}"} >>"$slurm/start.log" 2>&1 || {
    cat "$slurm/start.log" "$slurm/$node.log" >&2
    fail "slurmd does not start"
  }
done
for _ in $(seq 100); do
  [[ $(sinfo --noheader --states=idle --format=%D 2>/dev/null) == 2 ]] && break
  sleep 0.2
done
[[ $(sinfo --noheader --states=idle --format=%D) == 2 ]] || { sinfo >&2; tail -n 5 "$slurm"/*.log >&2; fail "the nodes do not come up"; }
