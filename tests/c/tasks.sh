# SPDX-License-Identifier: MIT
#
# Builds and runs the C tests. The tests are one program, which is built with gcc, with clang and as WebAssembly. This script also runs the
# fuzzers. Read by build.sh.

# With these flags, undefined behaviour stops the run: accesses outside memory, undefined arithmetic, and conversion of a float that does
# not fit its integer type.
SANITIZE='-fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all -fno-omit-frame-pointer'
# Flags for the tests when they are compiled with clang.
ADDRESS='-fsanitize=address -fno-omit-frame-pointer'
TESTS=$(find tests/c -name '*.c' | LC_ALL=C sort)

# list_groups: writes two lists of includes. tests/c/main.c includes $OUT/groups.inc, which lists every group of tests; tests/c/toys.c
# includes $OUT/toys.inc, which lists the toy models.
list_groups() {
  mkdir -p "$OUT"
  sed -n 's/^const toy_row \([a-z0-9_]*\)_toys\[\] = {$/TOYS(\1)/p' $TESTS >"$OUT/toys.inc"
  sed -n 's/^const check_test \([a-z0-9_]*\)_tests\[\] = {$/GROUP(\1)/p' $TESTS >"$OUT/groups.inc"
}

# fresh FILE: succeeds if FILE is newer than all sources of the C tests
fresh() { [ -e "$1" ] && [ -z "$(find include src tests/c tests/fuzz/*.c build.sh web/tools/wasm.sh tests/c/tasks.sh -newer "$1")" ]; }

# compile DIR COMMAND SOURCES: compiles the sources to objects in DIR, two at a time, and sets `objects` to their names
compile() {
  dir=$1 command=$2; shift 2
  rm -rf "$dir"
  mkdir -p "$dir"
  objects=
  for source in "$@"; do objects="$objects $dir/$(echo "$source" | tr / _ | sed 's/c$/o/')"; done
  for source in "$@"; do echo "$source $dir/$(echo "$source" | tr / _ | sed 's/c$/o/')"; done |
    xargs -P 2 -n 2 sh -c "$command -Iinclude -Isrc -Itests/c -c \"\$0\" -o \"\$1\"" || die "could not compile $dir"
}

# native_suite COMPILER [FLAGS [SANITIZERS]]: builds $OUT/native-COMPILER/suite with sanitizers. FLAGS apply to the library, and SANITIZERS
# apply to the tests.
native_suite() {
  into=$OUT/native-$(basename "$1")$suffix
  if ! fresh "$into/suite"; then
    compile "$into/src" "$1 $EXACT $WARN -Wconversion -O1 -g1 $SANITIZE ${2:-}" $(sources)
    library=$objects
    list_groups
    compile "$into/tests" "$1 $EXACT $WARN -O1 -g1 ${3:-$SANITIZE} -I$OUT" $TESTS
    "$1" $SANITIZE $library $objects -lm -o "$into/suite"
  fi
}

# plain_library COMPILER: compiles the library as a user would, and sets `objects` to its objects
plain_library() {
  into=$OUT/plain-$(basename "$1")
  if newer_than_sources "$into/src/done"; then objects=$(ls "$into"/src/*.o | paste -sd' ' -)
  else compile "$into/src" "$1 $EXACT $WARN -O2" $(sources); : >"$into/src/done"; fi
}

# plain_suite COMPILER: builds $OUT/plain-COMPILER/suite, without sanitizers
plain_suite() {
  into=$OUT/plain-$(basename "$1")
  fresh "$into/suite" && return 0
  plain_library "$1"
  library=$objects
  list_groups
  compile "$into/tests" "$1 $EXACT $WARN -O1 -I$OUT" $TESTS
  "$1" $library $objects -lm -o "$into/suite"
}

# wasm_suite BUILD: builds $OUT/suite-BUILD.wasm from the library's objects and the test objects. All builds share the test objects. The
# tests use Emscripten's libm for doubles.
wasm_suite() {
  fresh "$OUT/suite-$1.wasm" && return 0
  root=$(sysroot)
  build_named "$1"
  library=$objects
  if ! fresh "$OUT/tests-wasm/done"; then
    list_groups
    compile "$OUT/tests-wasm" "$CLANG --target=wasm32-unknown-emscripten --sysroot=$root $WASM_CFLAGS -O1 -I$OUT" $TESTS
    : >"$OUT/tests-wasm/done"
  fi
  "$WASM_LD" $WASM_LDFLAGS $library "$OUT"/tests-wasm/*.o -L"$root/lib/wasm32-emscripten" -lc -lcompiler_rt -o "$OUT/suite-$1.wasm"
}

# node_runs FILE [FLAGS]: succeeds if Node can compile the wasm file
node_runs() {
  wasm=$1; shift
  node "$@" -e 'process.exit(WebAssembly.validate(fs.readFileSync(process.argv[1])) ? 0 : 1)' "$wasm" 2>/dev/null
}

# clang_sanitizes: succeeds if clang's sanitizer runtime is installed (a separate package in Debian)
clang_sanitizes() {
  mkdir -p "$OUT"
  echo 'int main(void) { return 0; }' >"$OUT/probe.c"
  "$CLANG" $SANITIZE "$OUT/probe.c" -o "$OUT/probe" 2>/dev/null && "$OUT/probe"
}

need_clang_sanitizers() { clang_sanitizes || (need clang-sanitizers libclang-rt-19-dev) || return 1; }

# native     build the C tests for this machine with address and undefined sanitizers
task_native() {
  mkdir -p "$OUT"
  native_suite "$CC"
  say "$OUT/native-$(basename "$CC")/suite [-v] [--every] [part of a test's name ...] [tests/golden/*.golden.gguf]"
}

# run_suite NAME COMMAND: runs the C tests. Writes the output of the tests to $OUT/NAME.log, and the hash of the tests' results to
# $OUT/NAME.hash.
run_suite() {
  name=$1; shift
  rm -f "$OUT/$name.hash"
  "$@" $every_value tests/golden/*.golden.gguf >"$OUT/$name.log" 2>&1 || { cat "$OUT/$name.log" >&2; die "C tests failed: $name"; }
  { echo "C tests, $name:"; cat "$OUT/$name.log"; } >&2
  sed -n 's/^hash //p' "$OUT/$name.log" >"$OUT/$name.hash"
}

# clang instruments the library with coverage counters for the fuzzer. With traced comparisons, the fuzzer also learns the values to which
# the code compares its input, but it runs half as many inputs in the same time. The tests use only counters.
count_coverage() { counts='-fsanitize-coverage=inline-8bit-counters,pc-table' suffix=; }
trace_comparisons() { counts=-fsanitize=fuzzer-no-link suffix=-traced; }
count_coverage
clang_suite() { native_suite "$CLANG" "$counts" "$ADDRESS"; }

# test-c     run the C tests with clang and its sanitizers, and as wasm: both must give the same bits; then 4 seconds of fuzzing. "all":
# with gcc, plain and with its sanitizers, the builds relaxed and pairs, and 20 seconds of fuzzing
task_test_c() {
  mkdir -p "$OUT"
  every_value=
  [ "${1:-}" != all ] || every_value=--every
  native=$(basename "$CC") clang=$(basename "$CLANG")
  suites=wasm
  if need_clang_sanitizers; then
    suites="$suites $clang"
    clang_suite
    run_suite "$clang" "$OUT/native-$clang/suite" & # runs in the background while the other suites are compiled and run
    sanitized=$!
  else
    say "NOT RUN: C tests and fuzzing with $CLANG need its sanitizers: apt-get install libclang-rt-19-dev"
  fi
  if [ "${1:-}" = all ] || ! clang_sanitizes; then # without `all`, usually only test-engines runs code compiled with gcc
    suites="$suites $native $native-sanitized"
    plain_suite "$CC"
    run_suite "$native" "$OUT/plain-$native/suite"
    native_suite "$CC"
    run_suite "$native-sanitized" "$OUT/native-$native/suite"
  fi
  wasm_suite nextpixel
  run_suite wasm node tests/c/run.mjs "$OUT/suite-nextpixel.wasm"
  builds= # without `all`, the other builds are left to test-engines
  [ "${1:-}" != all ] || builds='relaxed pairs'
  for name in $builds; do
    wasm_suite nextpixel-$name
    suite=$OUT/suite-nextpixel-$name.wasm relaxed=
    # In Node 20, relaxed SIMD is experimental, and the baseline compiler (Liftoff) miscompiles it.
    node_runs "$suite" || relaxed='--experimental-wasm-relaxed-simd --no-liftoff'
    if node_runs "$suite" $relaxed; then
      suites="$suites $name"
      run_suite $name node $relaxed tests/c/run.mjs "$suite"
    else say "NOT RUN: C tests of the build $name, for this Node does not know relaxed SIMD"; fi
  done
  [ -z "${sanitized:-}" ] || wait "$sanitized" || exit 1 # the suite has already printed the reason
  for name in $suites; do
    [ -s "$OUT/$name.hash" ] && cmp -s "$OUT/$name.hash" "$OUT/wasm.hash" || die "$name and wasm compute different bits: $(cat "$OUT/$name.hash" "$OUT/wasm.hash")"
  done
  say "the same bits with $suites: $(cat "$OUT/wasm.hash")"
  seconds=4
  [ "${1:-}" != all ] || seconds=20
  clang_sanitizes || return 0
  [ "${1:-}" != all ] || trace_comparisons
  fuzz_for $seconds
}

# fuzz       fuzz all input that C reads from outside: ./build.sh fuzz [seconds, default 60] [file or state, default both, half the time
# each]. The first quarter of the time is spent with traced comparisons, which reach new code sooner; the rest runs more inputs
task_fuzz() {
  seconds=${1:-60}
  trace_comparisons
  fuzz_for $((seconds / 4)) ${2:-}
  count_coverage
  fuzz_for $((seconds - seconds / 4)) ${2:-}
}

fuzz_for() {
  need_clang_sanitizers || die "fuzzing needs clang's sanitizers (Debian package: libclang-rt-19-dev)"
  clang_suite
  if ! fresh "$OUT/fuzz$suffix/state"; then
    suite=$OUT/native-$(basename "$CLANG")$suffix
    library="$(ls "$suite"/src/*.o "$suite"/tests/*.o | grep -v '/tests_c_main.o$' | paste -sd' ' -)"
    compile "$OUT/fuzz$suffix/main" "$CLANG $EXACT $WARN -O1 -g1 $SANITIZE" tests/fuzz/fuzz_gguf.c tests/fuzz/fuzz_state.c tests/fuzz/seeds.c
    "$CLANG" $SANITIZE $library "$OUT/fuzz$suffix/main/tests_fuzz_seeds.o" -lm -o "$OUT/fuzz$suffix/seed"
    "$CLANG" -fsanitize=fuzzer $SANITIZE $library "$OUT/fuzz$suffix/main/tests_fuzz_fuzz_gguf.o" -lm -o "$OUT/fuzz$suffix/file"
    "$CLANG" -fsanitize=fuzzer $SANITIZE $library "$OUT/fuzz$suffix/main/tests_fuzz_fuzz_state.o" -lm -o "$OUT/fuzz$suffix/state"
  fi
  targets=${2:-file state}
  each=$((${1:-60} / $(echo "$targets" | wc -w)))
  for target in $targets; do fuzz_one "$target" $((each > 0 ? each : 1)); done # for 0 seconds, the fuzzer would never stop
}

# fuzz_one TARGET SECONDS: runs the fuzzer, starting from the seeds and the inputs in tests/fuzz/corpus. Inputs that increase coverage go to
# $OUT/fuzz/corpus.
fuzz_one() {
  mkdir -p "$OUT/fuzz/corpus/$1" "$OUT/fuzz/seeds/$1" "$OUT/fuzz/found"
  most=96 timeout=5
  [ "$1" != file ] || { most=16384; "$OUT/fuzz$suffix/seed" "$OUT/fuzz/seeds/file"; }
  say "fuzzing: $1, for $2 seconds ..."
  # Freed memory stays in the sanitizer's quarantine (256 MB by default) and counts towards the memory limit.
  ASAN_OPTIONS=quarantine_size_mb=32 "$OUT/fuzz$suffix/$1" -max_len=$most -timeout=$timeout -malloc_limit_mb=256 -rss_limit_mb=2048 -max_total_time="$2" -print_final_stats=1 -verbosity=0 \
    -artifact_prefix="$OUT/fuzz/found/$1-" "$OUT/fuzz/corpus/$1" "$OUT/fuzz/seeds/$1" $([ ! -d "tests/fuzz/corpus/$1" ] || echo "tests/fuzz/corpus/$1") >"$OUT/fuzz/$1.log" 2>&1 ||
    { tail -n 60 "$OUT/fuzz/$1.log"; die "the fuzzer found something: see $OUT/fuzz/$1.log"; }
  sed -n 's/^stat::number_of_executed_units: *//p' "$OUT/fuzz/$1.log" | { read -r runs; say "fuzzing: $1, nothing found in $runs runs"; }
}

# fuzz-js    fuzz input that only JavaScript reads, with each target of tests/fuzz/targets: ./build.sh fuzz-js [seconds, default 60 each]
task_fuzz_js() {
  for target in tests/fuzz/targets/*.js; do node tests/fuzz/fuzz.js "$(basename "$target" .js)" --seconds "${1:-60}" --seed "$(date +%s)" --out "$OUT/fuzz"; done
}
