# shellcheck shell=bash disable=SC2154 # what ./dev defines
# The steps of `./dev release-check`, which reads this file: what must hold before a version, each alone by its name.

release_steps=(lint demo tests abi site examples packages messages tsan asan stores g++-12 clang-14 clang-15 clang-16 clang-19 arm64)
other_processor=aarch64
bare_packages=(mmdebstrap dpkg-dev file python3-dev)
arm64_packages=(mmdebstrap g++-aarch64-linux-gnu qemu-user)
# What is built for the other processor is linked with these of its own.
arm64_libraries=(libc6-dev libstdc++-12-dev libhwloc-dev libboost-context-dev libfmt-dev libcli11-dev libtomlplusplus-dev
  nlohmann-json3-dev zlib1g-dev libgtest-dev)

# release_step NAME: does it; the caller has set -e, so the first command that fails ends it.
release_step() {
  case $1 in
    lint) lint ;;
    demo) demo_page ;;
    tests) PHYLO_LONG=1 with_all_packages ;;
    abi) with_all_packages -R '^install_(interface|symbols)' ;;
    site)
      docs
      with_all_packages -R '^(site|pages|page_)'
      ;;
    examples) with_all_packages -R '^install_' ;;
    packages) in_bare_debian ;;
    messages) random_messages ;;
    tsan | asan) sanitized "$1" ;;
    stores) on_stores ;;
    g++-* | clang-*) compiled_by "$1" ;;
    arm64) on_other_processor ;;
  esac
}

# The report of the demo is small enough to be sent by mail.
demo_page() {
  local bytes
  demo
  bytes=$(stat -c %s out/demo/report.html)
  ((bytes < 500000)) || fail "out/demo/report.html has $bytes bytes; at most 500000 are meant"
}

# with_all_packages [CTEST ARGS]: `./dev test`, which skips what needs a missing package; here that is an error.
with_all_packages() {
  need "${test_packages[@]}"
  tests "$@"
}

# Tasks on local stores, whose copies come late and in any order: as they are, and under both sanitizers.
on_stores() {
  stores_under release 200 1000 1000
  stores_under tsan 20 160 100
  stores_under asan 20 160 100
}

# stores_under PRESET SUITES SEEDS PROGRAMS: the conformance suite for so many seeds, and for so many others random
# programs for each. Much of a suite's time is spent on waiting, and many programs run on one worker.
stores_under() {
  local stores=(/usr/bin/python3 -B tests/release/stores.py)
  build "$1" conformance random_programs
  "${stores[@]}" promises "build/$1/bin/conformance" --jobs "$(job_count)" --count "$2"
  "${stores[@]}" programs "build/$1/bin/random_programs" --jobs "$(job_count)" --count "$3" --each "$4"
}

# compiled_by PACKAGE: the library, the programs and the conformance suite by that compiler, all warnings errors; and
# misuse, which must not compile, is told in the words that the tests expect.
compiled_by() {
  local folder=compilers/$1
  need "${build_packages[@]}" "$1"
  mkdir -p build/compilers
  CXX=${1/clang-/clang++-} configure release "$folder" -DCMAKE_C_COMPILER="${1/g++-/gcc-}" \
    -DCMAKE_COMPILE_WARNING_AS_ERROR=ON -DMASLIN_BENCH=OFF -DMASLIN_MPI=OFF
  ninja -C "build/$folder" -j "$(job_count)" maslin-cli maslin-cc maslin-linalg maslin-phylo maslin-sweep
  conforms "build/$folder"
  ctest --test-dir "build/$folder" --output-on-failure --no-tests=error -j "$(job_count)" -R '^must_not_compile'
}

# conforms FOLDER [EMULATOR...]: the promises hold on 1, 2 and 3 workers, with the static library and the shared one.
conforms() {
  local suite
  ninja -C "$1" -j "$(job_count)" conformance shared_conformance
  for suite in bin/conformance bin/shared_conformance; do
    MASLIN_TEST_WORKERS=1,2,3 MASLIN_WATCHDOG=60 MASLIN_LEARNED=off MASLIN_REPORT=off "${@:2}" "$1/$suite" --gtest_brief=1
  done
}

# debian_sources: where this machine has Debian's packages from, a line each as in sources.list.
debian_sources() {
  # shellcheck disable=SC2016 # apt-get replaces these
  apt-get indextargets 'Created-By: Packages' 'Origin: Debian' \
    --format 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(REPO_URI) $(RELEASE) $(COMPONENT)' | sort -u
}

# Cross-built, and run by an emulator. The emulator keeps x86-64's memory order, so this says nothing of arm64's.
on_other_processor() {
  local sysroot=$PWD/build/arm64/sysroot include
  need "${build_packages[@]}" "${arm64_packages[@]}"
  mkdir -p build/arm64
  if [[ ! -f $sysroot/complete ]]; then
    rm -rf "$sysroot" && mkdir -p "$sysroot"
    include=$(IFS=, && echo "${arm64_libraries[*]}")
    debian_sources >build/arm64/sources.list
    mmdebstrap --variant=extract --architectures=arm64 --include="$include" --skip=check/qemu bookworm \
      build/arm64/sysroot.tar build/arm64/sources.list
    tar -x --exclude='./dev/*' -f build/arm64/sysroot.tar -C "$sysroot"
    rm build/arm64/sysroot.tar
    touch "$sysroot/complete"
  fi
  CXX=$other_processor-linux-gnu-g++ configure release arm64/release -DMASLIN_SYSROOT="$sysroot" \
    --toolchain "$PWD/cmake/$other_processor-linux-gnu.cmake" \
    -DCMAKE_COMPILE_WARNING_AS_ERROR=ON -DMASLIN_BENCH=OFF -DMASLIN_MPI=OFF
  conforms build/arm64/release "qemu-$other_processor" -L "$sysroot"
  # What is written for that processor by hand.
  ninja -C build/arm64/release -j "$(job_count)" phylo_kernels_test phylo_states_test
  "qemu-$other_processor" -L "$sysroot" build/arm64/release/bin/phylo_kernels_test --gtest_brief=1
  "qemu-$other_processor" -L "$sysroot" build/arm64/release/bin/phylo_states_test --gtest_brief=1
}

# The four Debian packages, then the wheel, in a Debian that has nothing else.
in_bare_debian() {
  need "${bare_packages[@]}"
  packages
  debian_sources >build/packages/sources.list
  /usr/bin/python3 -B python/tests/installed.py "$PWD/build/release" install
  as_root /usr/bin/python3 -B tests/release/bare.py "$PWD" "$PWD/build/release" "${CXX:-g++}"
  /usr/bin/python3 -B python/tests/installed.py "$PWD/build/release" remove
}

# Random message programs: many in one process, on few and many workers, the serial elision and a described machine; some
# between 2 to 8 processes; some that Open MPI's ranks run, too.
random_messages() {
  local many=(python3 -B tests/mpi_ranks/many_messages.py build/release/bin)
  need "${build_packages[@]}" "${test_packages[@]}"
  build release maslin-mpirun
  "${many[@]}" --processes 1 --programs 1000000
  "${many[@]}" --processes 1 --programs 10000 --large-one-in 1 --in-a-run 500 --seed 1001
  "${many[@]}" --processes 2,3,4,5,6,7,8 --programs 50000 --in-a-run 250 --seed 2001
  "${many[@]}" --processes 1,2,4 --programs 5000 --in-a-run 100 --most-bytes 300000 --seed 3001 --other openmpi
}

# release_check [STEP...]: all steps, or these; each one's output goes to a file of its own.
release_check() {
  local step meant log status begun failed=() passed=0
  for step; do
    [[ " ${release_steps[*]} " == *" $step "* ]] && continue
    meant=$(nearest "$step" "${release_steps[@]}")
    fail "release-check has no step '$step'; ${meant:+$meant }there are: ${release_steps[*]}"
  done
  (($#)) || set -- "${release_steps[@]}"
  mkdir -p build/release-check
  for step; do
    log=build/release-check/$step.log
    printf '%-10s ' "$step"
    begun=$SECONDS status=0
    # In the background, because `set -e` means nothing in a command whose status is asked for.
    (release_step "$step") >"$log" 2>&1 &
    wait $! || status=$?
    if ((status == 0)); then
      passed=$((passed + 1))
      echo "passed, $((SECONDS - begun)) s"
    else
      failed+=("$step")
      echo "failed with status $status, $((SECONDS - begun)) s; $log ends:"
      tail -n 10 "$log" | sed 's/^/    /'
    fi
  done
  echo "release-check: $passed passed, ${#failed[@]} failed${failed:+: ${failed[*]}}"
  ((${#failed[@]} == 0))
}
