#!/usr/bin/env bash
# ./dev on machines that are not this one: what it would call is replaced by programs that record their arguments.
# shellcheck disable=SC2016 # the fakes' scripts are expanded when the fakes run
set -euo pipefail
project=$1
sandbox=$(mktemp -d)
trap 'rm -rf "$sandbox"' EXIT
checkout=$sandbox/checkout
fakes=$sandbox/fakes
mkdir -p "$checkout/python" "$fakes"
cp "$project/dev" "$checkout/dev"
echo "rich==13.0.0" >"$checkout/python/requirements.txt"
tests=0
failures=0

# fake NAME [SCRIPT]: a program that records its call, then runs the script.
fake() {
  printf '#!/bin/bash\necho "%s $*" >>"%s/calls"\n%s\n' "$1" "$sandbox" "${2:-}" >"$fakes/$1"
  chmod +x "$fakes/$1"
}

# A machine with the commands that every Debian has, and of the others only what a test fakes.
for command in bash env cat sed awk grep tr mkdir rm cp mv cmp flock dirname nproc printf zcat sort; do
  ln -s "$(command -v "$command")" "$fakes/$command"
done

# on_machine ARGS...: runs ./dev there; leaves $output, $status and the calls.
on_machine() {
  rm -f "$sandbox/calls" && touch "$sandbox/calls"
  status=0
  output=$(cd "$checkout" && env -i PATH="$fakes" "${settings[@]}" ./dev "$@" 2>&1) || status=$?
  calls=$(<"$sandbox/calls")
}
settings=(TERM=dumb)

expect() { # expect WHAT CONDITION...
  tests=$((tests + 1))
  if ! "${@:2}"; then
    failures=$((failures + 1))
    printf 'FAILED: %s\n--- status %s, output:\n%s\n--- calls:\n%s\n' "$1" "$status" "$output" "$calls"
  fi
}
says() { [[ $output == *"$1"* ]]; }
called() { [[ $calls == *"$1"* ]]; }
not() { ! "$@"; }
status_is() { [[ $status == "$1" ]]; }

on_machine
expect "alone, it explains itself" says "./dev COMMAND"
expect "alone, it is content" status_is 0
for command in demo test bench check run build clean; do
  expect "alone, it lists $command" says "  $command "
done

on_machine tset
expect "an unknown command is refused" status_is 2
expect "an unknown command is named" says "'tset' is not a command"

on_machine build
expect "without apt-get it stops" status_is 2
expect "without apt-get it names the packages" says "libhwloc-dev"
expect "without apt-get it says how to go on" says "MASLIN_PACKAGES=present"

fake cmake
fake ninja
settings=(TERM=dumb MASLIN_PACKAGES=present)
on_machine build some_target
expect "with MASLIN_PACKAGES=present it builds without apt-get" status_is 0
expect "it configures the preset" called "cmake --preset release"
expect "it builds the target" called "some_target"

settings=(TERM=dumb MASLIN_PACKAGES=present SLURM_CPUS_PER_TASK=1)
on_machine build
expect "the batch system's grant bounds the jobs" called "-j 1"

settings=(TERM=dumb)
fake dpkg-query 'for p in "$@"; do [[ $p == -* || $p == cmake || $p == ccache ]] || echo "installed $p"; done'
fake apt-get
((EUID == 0)) || fake sudo 'exec "$@"'
on_machine build
expect "what is missing is installed" called "install --no-install-recommends cmake ccache"
expect "what is there is not installed" not called "cmake ccache "
expect "the lists are brought up to date first" called "update"

fake dpkg-query 'for p in "$@"; do [[ $p == -* ]] || echo "installed $p"; done'
on_machine build
expect "with everything there, apt-get is left alone" not called "apt-get"
expect "a closed stdin and no HOME do no harm" bash -c "cd '$checkout' && env -i PATH='$fakes' ./dev build <&- >/dev/null 2>&1"

fake dpkg-query ''
fake apt-get '[[ $* != *install* ]] || { echo "E: Unable to locate package"; exit 100; }'
on_machine build
expect "a package that cannot be had is an error" status_is 2
expect "apt-get's own words reach the user" says "Unable to locate package"

fake dpkg-query 'for p in "$@"; do [[ $p == -* ]] || echo "installed $p"; done'
fake ninja 'exit 1'
on_machine test
expect "a failed build fails the command" status_is 2
expect "a failed build runs no test" not called "ctest"

fake ninja
mkdir -p "$checkout/.venv/bin"
cp "$checkout/python/requirements.txt" "$checkout/.venv/requirements.txt"
printf '#!/bin/bash\n' >"$checkout/.venv/bin/python"
chmod +x "$checkout/.venv/bin/python"
fake ctest 'while (($#)); do [[ $1 != --output-junit ]] || file=$2; shift; done
printf "<testsuite name=\"x\"\n\ttests=\"12\"\n\tfailures=\"2\"\n\tdisabled=\"0\"\n\tskipped=\"1\"\n>" >"$file"; exit 8'
mkdir -p "$checkout/build/release"
on_machine test -R phylo
expect "the summary counts what ctest counted" says "9 passed, 2 failed, 1 skipped"
expect "failed tests fail the command" status_is 8
expect "arguments reach ctest" called "-R phylo"

on_machine demo now
expect "the demo takes no arguments" status_is 2

echo "$((tests - failures)) passed, $failures failed"
((failures == 0))
