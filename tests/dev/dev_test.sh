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
mkdir -p "$checkout/tests/"{dev,release} && cp "$project/tests/dev/told.py" "$checkout/tests/dev"
cp "$project/tests/release/steps.sh" "$checkout/tests/release"
echo "rich==13.0.0" >"$checkout/python/requirements.txt"
# Complete, so that none is made: its programs would be links to the machine's own.
mkdir -p "$checkout/.venv/bin"
cp "$checkout/python/requirements.txt" "$checkout/.venv/requirements.txt"
printf '#!/bin/bash\n' >"$checkout/.venv/bin/python"
chmod +x "$checkout/.venv/bin/python"
tests=0
failures=0

# fake NAME [SCRIPT]: a program that records its call, then runs the script.
fake() {
  rm -f "$fakes/$1" # it may be a link to the machine's own
  printf '#!/bin/bash\necho "%s $*" >>"%s/calls"\n%s\n' "$1" "$sandbox" "${2:-}" >"$fakes/$1"
  chmod +x "$fakes/$1"
}

# A machine with the commands that every Debian has, and of the others only what a test fakes.
for command in bash env cat sed awk grep tr mkdir rm cp mv cmp flock dirname nproc printf zcat sort tail; do
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
for command in demo test bench check docs packages release-check run build clean; do
  expect "alone, it lists $command" says "  $command "
done

on_machine tset
expect "an unknown command is refused" status_is 2
expect "an unknown command is told with the nearest one" says "'tset' is not a command; did you mean test?"
on_machine relaese-chek
expect "a longer one too, with three letters wrong not" says "'relaese-chek' is not a command; ./dev alone lists them"
on_machine release-check packges
expect "a step is told with the nearest one" says "no step 'packges'; did you mean packages?"

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

fake dpkg-query 'for p in "$@"; do [[ $p == -* || $p == *mpi* || $p == libomp* ]] || echo "installed $p"; done'
on_machine test
expect "what only tests need is installed for them" called "recommends libopenmpi-dev openmpi-bin libomp5-14"
fake dpkg-query 'for p in "$@"; do [[ $p == -* || $p == libomp5-14 ]] || echo "installed $p"; done'
on_machine test
expect "where another package will do, none is installed" not called "apt-get"

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
fake ctest 'while (($#)); do [[ $1 != --output-junit ]] || file=$2; shift; done
cat >"$file" <<END
<testsuite name="x"
	tests="12"
	failures="2"
	disabled="0"
	skipped="1"
>
<testcase name="mpi" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>
<system-out>skipped: no MPI was found (Debian: libopenmpi-dev)
</system-out></testcase>
<testcase name="data" status="run"><system-out>[ RUN      ] Data.Meets/0
a_test.cpp:71: Skipped
two readers meet only
where there are two workers

[  SKIPPED ] Data.Meets/0 (0 ms)
[ RUN      ] Data.Meets/1
a_test.cpp:71: Skipped
two readers meet only
where there are two workers
maslin: 3 workers of cores would have taken 1 s

[  SKIPPED ] Data.Meets/1, where GetParam() = 1 (0 ms)
[ RUN      ] Data.Runs
[       OK ] Data.Runs (0 ms)
</system-out></testcase>
<testcase name="input" status="run"><system-out>test_a (__main__.T) ... ok
test_b (__main__.T)
What it promises. ... skipped "this machine&apos;s processor is old"
test_c (__main__.T) ... skipped &apos;root may write everywhere&apos;
</system-out></testcase>
<testcase name="bytes" status="fail"><failure message=""/><system-out>it read
0 bytes of 7
</system-out></testcase>
</testsuite>
END
exit 8'
mkdir -p "$checkout/build/release"
on_machine test -R phylo
expect "the summary counts what ctest counted" says "9 passed, 2 failed, 1 skipped"
expect "a skipped test is named with its reason" says "skipped: mpi: no MPI was found (Debian: libopenmpi-dev)"
expect "skipped cases of a passing test are named with their reason" \
  says "skipped: data: Data.Meets/0 and 1 more: two readers meet only where there are two workers"
expect "so are those of Python's tests" says "skipped: input: test_b: this machine's processor is old"
expect "whatever quotes they have" says "skipped: input: test_c: root may write everywhere"
expect "what ran is not called skipped" not says "Data.Runs"
expect "a failed test is named behind them" says "failed: bytes"
expect "and what it said last" says "  0 bytes of 7"
expect "the summary stands at the end" bash -c '[[ ${0##*$'"'\\n'"'} == release:* ]]' "$output"
expect "failed tests fail the command" status_is 8
expect "arguments reach ctest" called "-R phylo"

# The builds of one compiler fail here, and the suite fails with another; each of the suites says with what it ran.
fake ctest
fake ninja '[[ $* != *clang-14* ]] || exit 1
[[ $* == *compilers* ]] || exit 0
mkdir -p "$2/bin"
for suite in conformance shared_conformance; do
  printf "#!/bin/bash\\necho \"\$0 on \$MASLIN_TEST_WORKERS workers\"\\n[[ \$0 != *clang-15* ]]\\n" >"$2/bin/$suite"
done
/bin/chmod +x "$2/bin/"*'
on_machine release-check clang-14 g++-12 clang-15 clang-16
expect "a step that fails fails the command" status_is 1
expect "the steps after it are done" bash -c '[[ $0 =~ "g++-12     passed" && $0 =~ "clang-16   passed" ]]' "$output"
expect "each step that failed says so" bash -c '[[ $0 =~ "clang-14   failed" && $0 =~ "clang-15   failed" ]]' "$output"
expect "a step that fails shows how its output ends" says "compilers/clang-15/bin/conformance on 1,2,3 workers"
expect "a suite that fails ends its step" not says "clang-15/bin/shared_conformance"
expect "the last line sums up" \
  bash -c '[[ ${0##*$'"'\n'"'} == "release-check: 2 passed, 2 failed: clang-14 clang-15" ]]' "$output"
expect "each compiler is the one that is named" called "-DCMAKE_CXX_COMPILER=clang++-16"
expect "so is its C compiler" called "-DCMAKE_C_COMPILER=gcc-12"
expect "warnings are errors" called "-DCMAKE_COMPILE_WARNING_AS_ERROR=ON"
expect "each compiler tells misuse" called "ctest --test-dir build/compilers/clang-16 "
expect "and nothing else is tested by it" called "-R ^must_not_compile"
expect "a suite that fails ends its step before that" not called "ctest --test-dir build/compilers/clang-15 "
on_machine release-check g++-12
expect "with what is there already, steps pass" status_is 0
on_machine release-check clang-13
expect "a step that does not exist is refused" status_is 2
expect "the steps are named" says "clang-14 clang-15 clang-16 clang-19 arm64"

on_machine demo now
expect "the demo takes no arguments" status_is 2

echo "$((tests - failures)) passed, $failures failed"
((failures == 0))
