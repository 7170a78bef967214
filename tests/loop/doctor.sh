#!/usr/bin/env bash
# `kernelloop doctor`: what it says of keys and programs, the request that it sends on demand, and
# its exit codes.
source "$(dirname "$0")/harness.sh"
cd "$work_dir"

# exits <code> <log> <command...>
exits() {
  local code=0 wanted=$1 log=$2
  shift 2
  "$@" >"$log" 2>&1 || code=$?
  [[ $code == "$wanted" ]] || {
    cat "$log" >&2
    fail "exit code $code instead of $wanted: $*"
  }
}

key=key-$(printf 'x%.0s' {1..40})a1b2
ANTHROPIC_API_KEY=$key exits 0 keys.log "$kernelloop" doctor
expect "key from ANTHROPIC_API_KEY (...a1b2)" keys.log
! grep -q xxxx keys.log || fail "more of the key is shown"
expect "ok      CPU device" keys.log
"$kernelloop" doctor --json >doctor.json
[[ $(json doctor.json findings.0.topic) == "host compiler" ]] || fail "no host compiler in JSON"

# A program in place of a model; nothing is sent unless asked for.
printf '#!/bin/sh\necho run >>"%s/asked"\ncat >/dev/null\necho Yes.\n' "$work_dir" >agent
printf '#!/bin/sh\nexit 3\n' >broken_agent
chmod +x agent broken_agent
export KERNELLOOP_COMMAND="[\"$work_dir/agent\"]"
exits 0 quiet.log "$kernelloop" doctor
[[ ! -e asked ]] || fail "doctor asked without being told to"
exits 0 ask.log "$kernelloop" doctor --ask command
expect "answered" ask.log
[[ $(wc -l <asked) == 1 ]] || fail "one request was to be sent"
KERNELLOOP_COMMAND="[\"$work_dir/broken_agent\"]" exits 6 refused.log "$kernelloop" doctor --ask command
expect "kernelloop: command does not answer" refused.log

# A service: what it answers, and what is no answer.
cat >script.json <<'JSON'
[ {"text": "Yes."}, {"kind": "json", "text": ""},
  {"kind": "status", "status": 401, "body": "{\"error\": {\"message\": \"who are you\"}}"} ]
JSON
"$build_dir/tests/loop/ask/kernelloop_stub_server" --port-file port --script script.json --report report.json &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
for _ in $(seq 100); do [[ -s port ]] && break; sleep 0.1; done
export ANTHROPIC_API_KEY=$key ANTHROPIC_BASE_URL=http://127.0.0.1:$(cat port)
exits 0 served.log "$kernelloop" doctor --ask anthropic --model stub-1
expect "answered (100 tokens in, 10 out)" served.log
exits 6 empty.log "$kernelloop" doctor --ask anthropic --model stub-1
expect "answered without a text" empty.log
exits 6 denied.log "$kernelloop" doctor --ask anthropic --model stub-1
expect "HTTP 401 authentication: who are you" denied.log
! grep -q xxxx served.log denied.log || fail "more of the key is shown"
kill -TERM "$server"
wait "$server" || true
[[ $(json report.json requests) == 3 ]] || fail "one request for each call"
unset ANTHROPIC_API_KEY ANTHROPIC_BASE_URL

exits 3 replay.log "$kernelloop" doctor --ask replay
expect "'replay' is no provider that can be asked" replay.log

mkdir -p config/kernelloop
echo '{"comand": {}}' >config/kernelloop/config.json
XDG_CONFIG_HOME=$work_dir/config exits 4 broken.log "$kernelloop" doctor
expect "broken  configuration" broken.log
expect "something that a loop needs is missing or set up wrongly" broken.log
