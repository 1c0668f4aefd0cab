#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Every task of the project. Usage: ./build.sh TASK     (./build.sh help lists the tasks)
#
# Environment: OUT (folder of build products, default build), CC (native compiler, default gcc), CLANG, WASM_LD (wasm toolchain),
# CHROMIUM (browser of the tests).
set -eu
cd "$(dirname "$0")"

OUT=${OUT:-build}
CC=${CC:-gcc}
CLANG=${CLANG:-clang-19}
WASM_LD=${WASM_LD:-wasm-ld-19}
PINNED='Debian clang version 19.1.7'   # the toolchain whose output is web/dist/nextpixel.wasm, byte for byte

MODELS= # --models a,b: the architectures of a build, else all
NX_MODELS= # what tells the compiler so
TEXTS=     # -DNX_TEXTS=0 where none of them needs what that stands for (src/kernels/kernels.h)

# sources    the files of the library, what is alike side by side, for gzip looks back 32 KB; model_sources: of all models or of those in $MODELS
sources() {
  find src/*.c src/session src/layers -name '*.c' | LC_ALL=C sort
  model_sources
  find src/kernels -name '*.c' ! -name formats.c ! -name blocks.c ! -name matmul.c | LC_ALL=C sort
  find src/sampling src/attention -name '*.c' | LC_ALL=C sort
  printf '%s\n' src/kernels/formats.c src/kernels/blocks.c src/kernels/matmul.c
}
model_sources() {
  if [ -z "$MODELS" ]; then find src/models -name '*.c' | LC_ALL=C sort; return; fi
  for model in $(echo "$MODELS" | tr , ' '); do find src/models -path "src/models/$model.c" -o -path "src/models/$model/*.c"; done
}

# models_of NEEDS: the models whose row of src/models/models.h says so; needs_of MODEL: what its row says
models_of() { sed -n "s/^ *NX_MODEL(\([a-z0-9_]*\), $1).*/\1/p" src/models/models.h | paste -sd, -; }
needs_of() { sed -n "s/^ *NX_MODEL($1, \([A-Z]*\)).*/\1/p" src/models/models.h; }

# choose_models --models a,b: from now on only these
choose_models() {
  [ "${1:-}" = --models ] || return 0
  MODELS=$2 TEXTS=-DNX_TEXTS=0
  for model in $(echo "$MODELS" | tr , ' '); do
    needs=$(needs_of "$model")
    [ -n "$needs" ] && [ -e "src/models/$model.c" ] || die "no model '$model' in src/models"
    NX_MODELS="$NX_MODELS NX_MODEL($model,$needs)"
    [ "$needs" != TEXTS ] || TEXTS=
  done
}

# -- flags ----------------------------------------------------------------------------------------------------------------------

# One result everywhere: no contraction of a*b+c, nothing reassociated.
EXACT='-std=c11 -ffp-contract=off -fno-fast-math'
WARN='-Wall -Wextra -Wshadow -Wpointer-arith -Wstrict-prototypes'
# The auto-vectoriser is off: SIMD is what the source says, so speed and size do not depend on the compiler's mood.
# bulk-memory turns memcpy and memset into single instructions, so that hardly any libc is linked.
# What runs once per element is optimised for speed, the rest for size (build_wasm).
WASM_CFLAGS="$EXACT $WARN -msimd128 -mbulk-memory -fno-vectorize -fno-slp-vectorize -fvisibility=hidden -ffunction-sections"
# No entry point, no imports, what the header marks NX_API is exported. 64 KiB of stack stand first, so that an overflow traps.
WASM_LDFLAGS='--no-entry --export=__heap_base --gc-sections --strip-all --stack-first -z stack-size=65536
  --initial-memory=1048576 --max-memory=4294967296'

say() { printf '%s\n' "$*" >&2; }
die() { say "build.sh: $*"; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# need COMMAND PACKAGE: installs a Debian package when a command is missing and apt-get can, else says what to install.
need() {
  have "$1" && return 0
  if have apt-get && [ "$(id -u)" = 0 ]; then
    say "installing $2 ..."
    [ -e "$OUT/.apt-updated" ] || { apt-get update -qq >&2 || true; mkdir -p "$OUT"; : >"$OUT/.apt-updated"; }
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $2 >"$OUT/apt.log" 2>&1 || { tail -n 5 "$OUT/apt.log" >&2; die "could not install $2"; }
  else
    die "$1 is missing. Install it (Debian package: $2) and try again."
  fi
}

# want COMMAND PACKAGE: installs a package where that can be done; else the rest goes on without
want() { have "$1" || ! have apt-get || [ "$(id -u)" != 0 ] || (need "$1" "$2") || true; }

# letters FILE PACKAGES...: installs one of these after the other until FILE is there, with which pages are tested (tests/browser/fonts); the rest goes on without
letters() {
  file=$1; shift
  for package in "$@"; do [ -e "$file" ] || (need "$file" "$package") || true; done
}

sysroot() {
  for d in "${EM_SYSROOT:-}" /usr/share/emscripten/cache/sysroot "$HOME/.emscripten_cache/sysroot"; do
    [ -n "$d" ] && [ -e "$d/include/string.h" ] && { echo "$d"; return; }
  done
  die 'no Emscripten sysroot found. Install Emscripten (Debian package: emscripten) or set EM_SYSROOT.'
}

toolchain() { "$CLANG" --version | head -n 1; }
pinned() { case "$(toolchain)" in "$PINNED"*) return 0 ;; *) return 1 ;; esac }

# tests SECONDS FILES...: what failed or was skipped, and a line for each file; a file that takes longer than this is ended, and has failed.
# Up to three files that failed are run once more, one at a time, for a machine that is busy elsewhere breaks limits of time; that is told.
tests() {
  limit=$1; shift
  mkdir -p "$OUT"
  failed=$(mktemp "$OUT/failed.XXXXXX")
  if FAILED_FILES=$failed node --test --test-reporter=./tests/report.js --test-timeout=$((limit * 1000)) "$@"; then rm "$failed"; return; fi
  again=$(sort -u "$failed"); rm "$failed"
  case $(printf '%s\n' "$again" | grep -c .) in 1|2|3) ;; *) return 1 ;; esac
  echo "AGAIN, one at a time: $(printf '%s\n' "$again" | xargs -n 1 basename | xargs)"
  node --test --test-concurrency=1 --test-reporter=./tests/report.js --test-timeout=$((limit * 1000)) $again
}

# -- tasks: each function `task_NAME` is a task; the comment above it is its help ------------------------------------------------

# tools      install what builds and tests need (Debian packages, npm packages), or say what is missing
task_tools() {
  mkdir -p "$OUT"
  need "$CC" gcc
  need "$CLANG" clang-19
  need "$WASM_LD" lld-19
  [ -e /usr/share/emscripten/cache/sysroot/include/string.h ] || [ -n "${EM_SYSROOT:-}" ] || need emcc emscripten
  [ -e /usr/include/simde/wasm/simd128.h ] || need simde-headers libsimde-dev
  [ -n "${CHROMIUM:-}" ] || { want chromium-headless-shell chromium-headless-shell; have chromium-headless-shell || need chromium chromium; }
  letters /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf fonts-dejavu-core
  letters /usr/share/fonts/truetype/liberation/LiberationSansNarrow-Regular.ttf fonts-liberation fonts-liberation-sans-narrow # from Debian 13 on
  letters /usr/share/fonts/truetype/nanum/NanumGothic.ttf fonts-nanum # Hangul, for what tests see of pages in Korean
  want cmake cmake; want pkg-config pkg-config # the C library installed for programs (tests/js/c-library.test.js)
  have node || die 'node is missing. Install Node.js 20 or later.'
  node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' ||
    die "$(command -v node) is Node $(node --version): it takes 20 or later. Debian's Emscripten brings an older one into /usr/bin; yours is safe in /usr/local/bin."
  npm_packages
}

# npm_packages: what package-lock.json names, installed where it is not
npm_packages() {
  # npm ci would empty what a link leads to, which is somebody else's
  if [ ! -L node_modules ] && { [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; }; then
    say 'installing npm packages ...'
    npm ci --no-audit --no-fund --loglevel=error >&2
  fi
}

# newer_than_sources FILE: whether FILE is there, and newer than all that the library is made of
newer_than_sources() { [ -e "$1" ] && [ -z "$(find include src build.sh -newer "$1")" ]; }

# sources_hash: names the sources of the engine: a session that was saved by other ones is not gone on with
sources_hash() { find include src -name '*.[ch]' | LC_ALL=C sort | xargs cat | sha256sum | cut -c 1-8; }

# The smallest code: without the pointers that a loop would otherwise keep beside its counter, and without a calculation moved up into several branches.
SMALLEST='-Oz -mllvm -disable-lsr -mllvm -enable-pre=false'

# optimise_of SOURCE: what runs once per element is compiled for speed, the rest for size; as fast by node tests/bench/paired.js, and smaller, where it is not -O2
optimise_of() {
  case $1 in
    src/kernels/formats.c | src/kernels/elementary.c) echo "$SMALLEST" ;; # at load
    src/sampling/filters.c | src/sampling/order.c | src/sampling/penalties.c) echo "$SMALLEST" ;; # not for pictures
    src/kernels/matmul.c) echo '-O2 -mllvm -unroll-threshold=100' ;;
    src/kernels/blocks.c) echo '-O2 -mllvm -unroll-threshold=50' ;;
    src/kernels/queue.c) echo -O2 ;;
    src/kernels/* | src/sampling/* | src/attention/trees.c | src/attention/forward_backward.c) echo -Os ;;
    src/attention/* | tests/bench/*) echo -O2 ;;
    *) echo "$SMALLEST" ;;
  esac
}

# build_wasm FILE [FLAGS]: the library as one wasm file, whose objects `objects` lists; nothing is done where it is there already
build_wasm() {
  file=$1; shift
  root=$(sysroot)
  dir=$OUT/wasm-$(basename "$file" .wasm)
  made_of="$(toolchain) $NX_MODELS $TEXTS $*"
  mkdir -p "$dir"
  objects=
  for source in $(sources); do objects="$objects $dir/$(echo "$source" | tr / _ | sed 's/c$/o/')"; done
  [ "$(cat "$dir/made-of" 2>/dev/null)" != "$made_of" ] || ! newer_than_sources "$file" || return 0
  rm -f "$dir/made-of"
  for source in $(sources); do
    object=$dir/$(echo "$source" | tr / _ | sed 's/c$/o/')
    optimise=$(optimise_of "$source")
    # A build without texts keeps its promise of size (tests/bench/size.js): only its products are compiled for speed first.
    case $source in src/session/session.c) build=-DNX_BUILD=0x$(sources_hash)u ;; *) build= ;; esac
    case $TEXTS:$source in -D*:src/kernels/matmul.c) optimise='-O2 -mllvm -unroll-threshold=50' ;; -D*:src/attention/* | -D*:src/sampling/* | -D*:src/kernels/vector.c) optimise=-Oz ;; esac
    "$CLANG" --target=wasm32-unknown-emscripten --sysroot="$root" $WASM_CFLAGS $optimise $build ${NX_MODELS:+"-DNX_MODELS=$NX_MODELS"} $TEXTS "$@" -Iinclude -Isrc -c "$source" -o "$object"
  done
  case $TEXTS in '') marks='NX_API NX_API_TEXTS' ;; *) marks=NX_API ;; esac
  exports=$(for mark in $marks; do sed -n "s/^$mark .*\(nx_[a-z_]*\)(.*/--export=\1/p" include/nextpixel.h; done)
  case $* in *NX_THREADS*) link='--import-memory --shared-memory --export=__stack_pointer --export=nx_thread' libc=c-mt ;; *) link= libc=c ;; esac
  "$WASM_LD" $WASM_LDFLAGS $link $exports $objects -L"$root/lib/wasm32-emscripten" -l$libc -o "$file"
  echo "$made_of" >"$dir/made-of"
}

# All builds compute the same bits (src/kernels/dot.h). Where a browser has relaxed SIMD, that of pairs is the fastest if the processor
# has no instruction for its dot product, else the relaxed one. Those of threads import their memory, which several instances share (src/kernels/threads.c).
BUILDS='nextpixel nextpixel-relaxed nextpixel-pairs nextpixel-threads nextpixel-threads-relaxed nextpixel-threads-pairs'
flags_of() {
  case $1 in *-threads*) printf ' -matomics -DNX_THREADS' ;; esac
  case $1 in *-relaxed) printf ' -mrelaxed-simd' ;; *-pairs) printf ' -mrelaxed-simd -DNX_PAIRS' ;; esac
}
build_named() { build_wasm "$OUT/$1.wasm" $(flags_of "$1"); }

# wasm       build web/dist/nextpixel*.wasm: [--models image_transformer,...] of some models only
task_wasm() {
  choose_models "$@"
  mkdir -p "$OUT" web/dist
  for name in $BUILDS; do
    build_named "$name"
    cp "$OUT/$name.wasm" "web/dist/$name.wasm"
    say "web/dist/$name.wasm: $(wc -c <"web/dist/$name.wasm") bytes, $(gzip -9c "web/dist/$name.wasm" | wc -c) gzip; $(toolchain)"
  done
}

# wasm-with  build the library with the architecture of one file, whose name is its own, and no other: ./build.sh wasm-with FILE.c OUT.wasm
task_wasm_with() {
  mkdir -p "$OUT"
  MODELS=none NX_MODELS="NX_MODEL($(basename "$1" .c), TEXTS)"
  model_sources() { echo "$file_with"; }
  file_with=$1
  build_wasm "$2"
}

# check-wasm prove that the files of web/dist are what the sources make, where the pinned toolchain is: the first of them, and another by the sources; "all": each
task_check_wasm() {
  mkdir -p "$OUT"
  checked=$BUILDS
  if [ "${1:-}" != all ]; then
    others=$(echo "$BUILDS" | xargs -n 1 | tail -n +2) # every change of the sources draws one
    checked="nextpixel $(echo "$others" | sed -n "$(($(cat $(sources) include/*.h | cksum | cut -d ' ' -f 1) % $(echo "$others" | wc -l) + 1))p")"
    say "of $(echo "$BUILDS" | wc -w) builds two are made: $(echo $checked | tr ' ' ',')"
  fi
  for name in $checked; do
    build_named "$name"
    if cmp -s "$OUT/$name.wasm" "web/dist/$name.wasm"; then
      say "web/dist/$name.wasm is byte for byte what $(toolchain) makes of the sources"
    elif pinned; then
      die "web/dist/$name.wasm is not what the sources make. Run ./build.sh wasm and commit the result."
    else
      say "toolchain: $(toolchain), not the pinned $PINNED: both files are tested"
      [ "$name" = nextpixel ] || continue # Node takes this one
      say 'JavaScript tests of the file built here ...'
      (export NEXTPIXEL_WASM="$PWD/$OUT/$name.wasm"; tests 600 $(find tests/js -name '*.test.js' ! -name package.test.js))
    fi
  done
}

# js         build web/dist/*.js and *.css: the library as it is published, and the scripts and styles of the pages
task_js() {
  npm_packages
  node web/tools/bundle.js
}

# types      check the JavaScript with tsc and write web/types/*.d.ts
task_types() { npm_packages; node web/tools/types.js; }

# package    what `npm pack` packs and git does not have: declarations, and the library as one file
task_package() { task_types; node web/tools/single.js; }

# test-js    the library in Node, the server, the package, and the types
task_test_js() {
  task_types
  [ ! -e tests/js/tsconfig.json ] || npx --no-install tsc -p tests/js/tsconfig.json
  npx --no-install tsc -p tests/bench/tsconfig.json
  tests 600 --test-concurrency=2 $(find tests/js -name '*.test.js') tests/embed/short.test.js
}

# test-browser  the library, the page and the element in headless Chromium
task_test_browser() {
  [ ! -e tests/browser/tsconfig.json ] || npx --no-install tsc -p tests/browser/tsconfig.json
  tests 900 --test-concurrency=2 tests/browser/*.test.js
}

# test-sweep  every page of the demo and of the manual, and every figure, at every width and in every colour, each check in a load of its own; every address, every test image
task_test_sweep() {
  tests 3600 --test-concurrency=2 tests/browser/all/*.test.js
  (export EVERY_TEST=1 EVERY_WIDTH=1 EVERY_ADDRESS=1; tests 900 --test-concurrency=2 --test-name-pattern='^more ' --test-name-pattern='a card for each' --test-name-pattern='old addresses' --test-name-pattern='nothing is wider' --test-name-pattern='malformed' --test-name-pattern='what is tinted' tests/browser/*.test.js)
  (export EVERY_TEST=1; tests 900 tests/browser/documents.test.js; tests 900 $(grep -l more.js tests/js/*.test.js))
  (export EVERY_IMAGE=1; tests 900 --test-name-pattern='bits/dim of' tests/js/golden.test.js)
}

# site       write build/site, the demo as a folder that any static host serves as it is: ./build.sh site [folder] [--address https://host/path/]
task_site() { node web/tools/site.js "$@"; }

# release    build/release: the package as npm would publish it and the demo as a site; publishes nothing, says what is not ready and the commands that do
task_release() { task_tools; task_check_wasm all; task_js; node web/tools/release.js "$OUT/release"; }

# manual_tools: $OUT/manual, with what web/manual/make/package.json names
manual_tools() {
  if ! cmp -s web/manual/make/package-lock.json "$OUT/manual/package-lock.json" || [ ! -e "$OUT/manual/node_modules/.package-lock.json" ]; then
    rm -rf "$OUT/manual"
    mkdir -p "$OUT/manual"
    cp web/manual/make/package.json web/manual/make/package-lock.json .npmrc "$OUT/manual/"
    (cd "$OUT/manual" && npm ci --no-audit --no-fund --loglevel=error >&2) || { rm -rf "$OUT/manual/node_modules"; return 1; }
  fi
}

# manual     build web/manual/*.html of its chapters and of the comments in web/lib; npm installs TypeDoc into build/ once
task_manual() {
  manual_tools
  node web/manual/make/manual.js "$OUT/manual" "$@"
}

# check-manual  prove that the pages of the manual are what chapters and comments make
task_check_manual() {
  manual_tools || { say 'NOT RUN: the check of the manual needs TypeDoc (npm registry, once)'; return 0; }
  task_manual --check
}

# test-embed  the packed library with bundlers and frameworks, which npm installs into build/: needs a network once
task_test_embed() {
  task_tools
  mkdir -p "$OUT/embed/tools"
  if ! cmp -s tests/embed/package.json "$OUT/embed/tools/package.json" || [ ! -e "$OUT/embed/tools/node_modules" ]; then
    rm -rf "$OUT/embed/tools"
    mkdir -p "$OUT/embed/tools"
    cp tests/embed/package.json "$OUT/embed/tools/"
    (cd "$OUT/embed/tools" && npm install --legacy-peer-deps --no-audit --no-fund --loglevel=error >&2)
  fi
  tests 1800 --test-concurrency=1 tests/embed/*.test.js
}

# test-train the guards of the training code, where Python with NumPy, Pillow and PyTorch is there: ./build.sh test-train [all: every file of tests, every recipe, every instruction set]
task_test_train() {
  python=
  for p in python3 /usr/bin/python3; do "$p" -c 'import numpy, torch, PIL' 2>/dev/null && python=$p && break; done
  if [ -z "$python" ]; then
    say "NOT RUN: tests of the training code need Python 3 with NumPy, Pillow and PyTorch: apt-get install $TRAINING"
    return 0
  fi
  files='test_train test_data test_own test_prepare test_notebook test_drawings test_house test_pixelcnn test_scenes test_text test_translation test_trees test_sagan'
  [ "${1:-}" != all ] || { files=; export EVERY_RECIPE=1; } # those that unittest finds
  (cd weights/train && OMP_NUM_THREADS=1 "$python" -m unittest -q $files)
}
TRAINING='python3-torch python3-numpy python3-pil libopenblas0-openmp' # Debian packages

# -- the same bits in every engine and build ---------------------------------------------------------------------------------------

# want COMMAND PACKAGE: as need, but what follows goes on without
want() { (need "$1" "$2") || true; }

# engine NAME COMMAND: tests/engines/native.c and the library compiled so, and `natives` lists it for the driver. Without COMMAND, NAME is a compiler,
# and the library is what the C tests have compiled with it
engine() {
  name=$(basename "$1") program=$OUT/engines/$(basename "$1")
  if [ ! -e "$program" ] || [ -n "$(find include src tests/engines/*.[ch] build.sh -newer "$program")" ]; then
    if [ $# = 1 ]; then plain_library "$1"; else objects=$(sources); fi
    ${2:-$1} $EXACT $WARN -Iinclude -Isrc -Itests/c $objects tests/c/check.c tests/c/picture.c tests/engines/native.c tests/engines/sha256.c -lm -o "$program"
  fi
  natives="$natives --native=$name=$program"
}

# test-engines  one table of hashes, all equal: Chromium, Firefox, WebKit, Node, native; and every page in each browser: ./build.sh test-engines [--pages] [--short] [engine ...]
task_test_engines() {
  task_tools
  mkdir -p "$OUT/engines"
  pages=
  [ "${1:-}" != --pages ] || { pages=--pages; shift; }
  short= # one build an engine, one shipped file of each sort
  [ "${1:-}" != --short ] || { short=--short; shift; }
  engines=" ${*:-chromium firefox webkit node native} "
  [ -z "$pages" ] || engines=" ${*:-chromium firefox webkit} "
  case $engines in *' firefox '*) [ -n "${FIREFOX:-}" ] || have firefox || want firefox-esr firefox-esr ;; esac
  case $engines in *' webkit '*) want WebKitWebDriver webkit2gtk-driver; want Xvfb xvfb ;; esac
  natives=
  case $engines in *' native '*)
    # Other instructions, another order of them, another compiler; -ffp-contract=off stands in EXACT.
    engine "$CC"
    if [ -z "$short" ]; then
      engine "$(basename "$CC")-tuned" "$CC -O3 -march=native"
      engine "$(basename "$CLANG")" "$CLANG -O2"
    fi ;;
  esac
  npx --no-install tsc -p tests/engines/tsconfig.json
  node --test tests/engines/*.test.js >"$OUT/engines/judge.log" || { cat "$OUT/engines/judge.log"; die 'the judge of the hashes fails its own tests'; }
  flag=--experimental-websocket # plain in Node 22, unknown before 20.10; Firefox is driven through it
  node $flag -e '' 2>/dev/null || flag=
  node $flag --no-warnings tests/engines/main.js --out "$OUT/engines" $pages $short $natives $engines
}

# -- C tests: one program, built with gcc, with clang, and as wasm -----------------------------------------------------------------

# Every defect stops the run: access outside memory, undefined arithmetic, a float that does not fit its integer.
SANITIZE='-fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all -fno-omit-frame-pointer'
TESTS=$(find tests/c -name '*.c' | LC_ALL=C sort)

# list_groups: $OUT/groups.inc and toys.inc, from which tests/c/main.c has every group of tests, and tests/c/toys.c the toys of every model
list_groups() {
  mkdir -p "$OUT"
  sed -n 's/^const toy_row \([a-z0-9_]*\)_toys\[\] = {$/TOYS(\1)/p' $TESTS >"$OUT/toys.inc"
  sed -n 's/^const check_test \([a-z0-9_]*\)_tests\[\] = {$/GROUP(\1)/p' $TESTS >"$OUT/groups.inc"
}

# fresh FILE: whether FILE is newer than all that C tests are made of
fresh() { [ -e "$1" ] && [ -z "$(find include src tests/c tests/fuzz/*.c build.sh -newer "$1")" ]; }

# compile DIR COMMAND SOURCES: objects into DIR, two at a time; `objects` lists them
compile() {
  dir=$1 command=$2; shift 2
  rm -rf "$dir"
  mkdir -p "$dir"
  objects=
  for source in "$@"; do objects="$objects $dir/$(echo "$source" | tr / _ | sed 's/c$/o/')"; done
  for source in "$@"; do echo "$source $dir/$(echo "$source" | tr / _ | sed 's/c$/o/')"; done |
    xargs -P 2 -n 2 sh -c "$command -Iinclude -Isrc -Itests/c -c \"\$0\" -o \"\$1\"" || die "could not compile $dir"
}

# native_suite COMPILER [FLAGS]: $OUT/native-COMPILER/suite, with sanitizers; FLAGS: of the library
native_suite() {
  into=$OUT/native-$(basename "$1")
  if ! fresh "$into/suite"; then
    compile "$into/src" "$1 $EXACT $WARN -Wconversion -O1 -g1 $SANITIZE ${2:-}" $(sources)
    library=$objects
    list_groups
    compile "$into/tests" "$1 $EXACT $WARN -O1 -g1 $SANITIZE -I$OUT" $TESTS
    "$1" $SANITIZE $library $objects -lm -o "$into/suite"
  fi
}

# plain_library COMPILER: `objects` lists the library as a user compiles it
plain_library() {
  into=$OUT/plain-$(basename "$1")
  if newer_than_sources "$into/src/done"; then objects=$(ls "$into"/src/*.o | paste -sd' ' -)
  else compile "$into/src" "$1 $EXACT $WARN -O2" $(sources); : >"$into/src/done"; fi
}

# plain_suite COMPILER: $OUT/plain-COMPILER/suite, without sanitizers
plain_suite() {
  into=$OUT/plain-$(basename "$1")
  fresh "$into/suite" && return 0
  plain_library "$1"
  library=$objects
  list_groups
  compile "$into/tests" "$1 $EXACT $WARN -O1 -I$OUT" $TESTS
  "$1" $library $objects -lm -o "$into/suite"
}

# wasm_suite BUILD: $OUT/suite-BUILD.wasm, the library's objects with the tests, which all builds share. The tests' double arithmetic is Emscripten's libm.
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

# node_runs FILE [FLAGS]: whether Node compiles it
node_runs() {
  wasm=$1; shift
  node "$@" -e 'process.exit(WebAssembly.validate(fs.readFileSync(process.argv[1])) ? 0 : 1)' "$wasm" 2>/dev/null
}

# clang_sanitizes: whether clang's runtime of the sanitizers is installed, which Debian packages apart
clang_sanitizes() {
  echo 'int main(void) { return 0; }' >"$OUT/probe.c"
  "$CLANG" $SANITIZE "$OUT/probe.c" -o "$OUT/probe" 2>/dev/null && "$OUT/probe"
}
need_clang_sanitizers() { clang_sanitizes || (need clang-sanitizers libclang-rt-19-dev) || return 1; }

# native     build the C tests for this machine with address and undefined sanitizers
task_native() {
  mkdir -p "$OUT"
  native_suite "$CC"
  say "$OUT/native-$(basename "$CC")/suite [-v] [part of a test's name ...] [tests/golden/*.golden.gguf]"
}

# run_suite NAME COMMAND: runs the C tests; $OUT/NAME.log gets what they say, $OUT/NAME.hash the hash of their results
run_suite() {
  name=$1; shift
  rm -f "$OUT/$name.hash"
  "$@" tests/golden/*.golden.gguf >"$OUT/$name.log" 2>&1 || { cat "$OUT/$name.log" >&2; die "C tests failed: $name"; }
  { echo "C tests, $name:"; cat "$OUT/$name.log"; } >&2
  sed -n 's/^hash //p' "$OUT/$name.log" >"$OUT/$name.hash"
}

# The sanitized library of clang counts where it has been, too, so that the fuzzer shares it.
clang_suite() { native_suite "$CLANG" -fsanitize=fuzzer-no-link; }

# test-c     the C tests with clang and its sanitizers, and as wasm: both must give the same bits; then 10 seconds of fuzzing. "all": with gcc, plain and with its sanitizers, the builds relaxed and pairs, and 20 seconds
task_test_c() {
  mkdir -p "$OUT"
  native=$(basename "$CC") clang=$(basename "$CLANG")
  suites=wasm
  if need_clang_sanitizers; then
    suites="$suites $clang"
    clang_suite
    run_suite "$clang" "$OUT/native-$clang/suite" & # while the others are compiled and run
    sanitized=$!
  else
    say "NOT RUN: C tests and fuzzing with $CLANG need its sanitizers: apt-get install libclang-rt-19-dev"
  fi
  if [ "${1:-}" = all ] || ! clang_sanitizes; then # gcc's bits are compared by test-engines, too, with all engines
    suites="$suites $native $native-sanitized"
    plain_suite "$CC"
    run_suite "$native" "$OUT/plain-$native/suite"
    native_suite "$CC"
    run_suite "$native-sanitized" "$OUT/native-$native/suite"
  fi
  wasm_suite nextpixel
  run_suite wasm node tests/c/run.mjs "$OUT/suite-nextpixel.wasm"
  builds= # what a browser chooses, test-engines compares
  [ "${1:-}" != all ] || builds='relaxed pairs'
  for name in $builds; do
    wasm_suite nextpixel-$name
    suite=$OUT/suite-nextpixel-$name.wasm relaxed=
    # Node 20 has relaxed SIMD as an experiment, which its first compiler gets wrong.
    node_runs "$suite" || relaxed='--experimental-wasm-relaxed-simd --no-liftoff'
    if node_runs "$suite" $relaxed; then
      suites="$suites $name"
      run_suite $name node $relaxed tests/c/run.mjs "$suite"
    else say "NOT RUN: C tests of the build $name, for this Node does not know relaxed SIMD"; fi
  done
  [ -z "${sanitized:-}" ] || wait "$sanitized" || exit 1 # it has said why
  for name in $suites; do
    [ -s "$OUT/$name.hash" ] && cmp -s "$OUT/$name.hash" "$OUT/wasm.hash" || die "$name and wasm compute different bits: $(cat "$OUT/$name.hash" "$OUT/wasm.hash")"
  done
  say "the same bits with $suites: $(cat "$OUT/wasm.hash")"
  seconds=10
  [ "${1:-}" != all ] || seconds=20
  ! clang_sanitizes || task_fuzz $seconds
}

# fuzz       fuzz what C takes from outside: ./build.sh fuzz [seconds, default 60] [file or state, default both, half the time each]
task_fuzz() {
  need_clang_sanitizers || die "fuzzing needs clang's sanitizers (Debian package: libclang-rt-19-dev)"
  clang_suite
  if ! fresh "$OUT/fuzz/state"; then
    suite=$OUT/native-$(basename "$CLANG")
    library="$(ls "$suite"/src/*.o "$suite"/tests/*.o | grep -v '/tests_c_main.o$' | paste -sd' ' -)"
    compile "$OUT/fuzz/main" "$CLANG $EXACT $WARN -O1 -g1 $SANITIZE" tests/fuzz/fuzz_gguf.c tests/fuzz/fuzz_state.c tests/fuzz/seeds.c
    "$CLANG" $SANITIZE $library "$OUT/fuzz/main/tests_fuzz_seeds.o" -lm -o "$OUT/fuzz/seed"
    "$CLANG" -fsanitize=fuzzer $SANITIZE $library "$OUT/fuzz/main/tests_fuzz_fuzz_gguf.o" -lm -o "$OUT/fuzz/file"
    "$CLANG" -fsanitize=fuzzer $SANITIZE $library "$OUT/fuzz/main/tests_fuzz_fuzz_state.o" -lm -o "$OUT/fuzz/state"
  fi
  targets=${2:-file state}
  for target in $targets; do fuzz_one "$target" $((${1:-60} / $(echo "$targets" | wc -w))); done
}

# fuzz_one TARGET SECONDS: begins with the seeds and the inputs of tests/fuzz/corpus; those that reach more go to $OUT/fuzz/corpus
fuzz_one() {
  mkdir -p "$OUT/fuzz/corpus/$1" "$OUT/fuzz/seeds/$1" "$OUT/fuzz/found"
  most=96 timeout=5
  [ "$1" != file ] || { most=16384; "$OUT/fuzz/seed" "$OUT/fuzz/seeds/file"; }
  say "fuzzing: $1, for $2 seconds ..."
  # Freed memory waits in the sanitizer's quarantine (256 MB unless it is told otherwise), and counts.
  ASAN_OPTIONS=quarantine_size_mb=32 "$OUT/fuzz/$1" -max_len=$most -timeout=$timeout -malloc_limit_mb=256 -rss_limit_mb=2048 -max_total_time="$2" -print_final_stats=1 -verbosity=0 \
    -artifact_prefix="$OUT/fuzz/found/$1-" "$OUT/fuzz/corpus/$1" "$OUT/fuzz/seeds/$1" $([ ! -d "tests/fuzz/corpus/$1" ] || echo "tests/fuzz/corpus/$1") >"$OUT/fuzz/$1.log" 2>&1 ||
    { tail -n 60 "$OUT/fuzz/$1.log"; die "the fuzzer found something: see $OUT/fuzz/$1.log"; }
  sed -n 's/^stat::number_of_executed_units: *//p' "$OUT/fuzz/$1.log" | { read -r runs; say "fuzzing: $1, nothing found in $runs runs"; }
}

# fuzz-js    fuzz what JavaScript alone reads, each target of tests/fuzz/targets: ./build.sh fuzz-js [seconds, default 60 each]
task_fuzz_js() {
  for target in tests/fuzz/targets/*.js; do node tests/fuzz/fuzz.js "$(basename "$target" .js)" --seconds "${1:-60}" --seed "$(date +%s)" --out "$OUT/fuzz"; done
}

# test_tools: all that steps at the same time would install, and so wait for one another
test_tools() {
  ! have node || say "Node $(node --version), $(command -v node)"
  task_tools
  need clang-format-19 clang-format-19
  need_clang_sanitizers || true # test-c says what is not run
}

# test       everything: install what is missing, build, prove the wasm, C tests, JavaScript tests, equal hashes, browser tests, training tests
task_test() {
  test_tools
  exec node tests/steps.js "$OUT/test" # nothing of this file is read again
}

# test-all   test, and what sweeps: gcc's sanitizers, every page at every width, every file in every engine and build, every page in every browser, every bundler (a release)
task_test_all() {
  test_tools
  [ -n "${CHROMIUM:-}" ] || { need chromium chromium; export CHROMIUM=$(command -v chromium); } # with its windows, as people have it
  exec node tests/steps.js "$OUT/test" --all
}

# test-bare  test where there is nothing but the distribution's minimal base, git and Node (tests/bare.sh): before a release, and when what is installed has changed
task_test_bare() {
  need mmdebstrap mmdebstrap
  exec sh tests/bare.sh "$OUT/bare" "$@"
}

# test-changed  what the change of this branch against main, and what is not committed, can break: for use while working (tests/changed.js)
task_test_changed() {
  mkdir -p "$OUT"
  changed=$({ git diff --name-only "$(git merge-base main HEAD)"; git ls-files --others --exclude-standard; } | sort -u)
  node tests/changed.js $changed >"$OUT/changed"
  sed 's/^/  /' "$OUT/changed" >&2
  ! grep -q '^format$' "$OUT/changed" || task_check_format
  if grep -q '^c\b' "$OUT/changed"; then
    native_suite "$CC"
    "$OUT/native-$(basename "$CC")/suite" $(sed -n 's/^c *//p' "$OUT/changed") tests/golden/*.golden.gguf
  fi
  if grep -q '^wasm$' "$OUT/changed"; then
    build_named nextpixel
    export NEXTPIXEL_WASM="$PWD/$OUT/nextpixel.wasm"
  fi
  if grep -q '^types$' "$OUT/changed"; then for project in . tests/js tests/browser tests/bench; do npx --no-install tsc -p $project/tsconfig.json; done; fi
  files=$(sed -n 's/^test //p' "$OUT/changed")
  case $files in *tests/browser/*) task_js ;; esac
  [ -z "$files" ] || tests 900 --test-concurrency=2 $files
  ! grep -q '^train$' "$OUT/changed" || task_test_train
}

# check-format  src and include are as clang-format leaves them (.clang-format: it touches no comment)
task_check_format() {
  need clang-format-19 clang-format-19
  clang-format-19 --dry-run -Werror $(find src include -name '*.[ch]') || die 'clang-format-19 -i would change these files'
}

# size       bytes of what a page loads, as they are and gzip, and in the small build of pictures alone; more than promised is an error. --only NAME: of the small builds this one alone
task_size() {
  images= small_builds='nextpixel nextpixel-relaxed nextpixel-pairs'
  [ "${1:-}" != --only ] || { small_builds=$2; shift 2; }
  if have "$CLANG" && have "$WASM_LD"; then
    rm -rf "$OUT/images" && mkdir -p "$OUT/images"
    (choose_models --models "$(models_of SMALL)"; OUT=$OUT/images; for name in $small_builds; do build_named "$name"; done)
    images="--images $OUT/images"
  else say "NOT MEASURED: models of images alone need $CLANG and $WASM_LD"; fi
  node tests/bench/size.js "$@" $images
}

# measure    time per pixel, time of a completion, time from page open to the first pixel
task_measure() { task_tools; node tests/bench/measure.js "$@"; }

# ceilings: $OUT/ceiling.wasm, ceiling-relaxed.wasm and ceiling-pairs.wasm, the loops that `bench` takes as 100 %; $OUT/products*.wasm, the products of a model; $OUT/kernels.wasm, kernels beside theirs
ceilings() {
  for build in '' -relaxed -pairs; do
    "$CLANG" --target=wasm32-unknown-emscripten --sysroot="$(sysroot)" $WASM_CFLAGS -O3 $(flags_of "nextpixel$build") -c tests/bench/ceiling.c -o "$OUT/ceiling$build.o"
    "$WASM_LD" $WASM_LDFLAGS --export=dot_one --export=dot_four --export=stream "$OUT/ceiling$build.o" -o "$OUT/ceiling$build.wasm"
    parts=
    for source in tests/bench/products.c src/kernels/image.c src/kernels/matmul.c src/kernels/blocks.c src/kernels/formats.c src/kernels/vector.c src/gguf.c; do
      part=$OUT/products-$(basename "$source" .c).o parts="$parts $OUT/products-$(basename "$source" .c).o"
      "$CLANG" --target=wasm32-unknown-emscripten --sysroot="$(sysroot)" $WASM_CFLAGS $(optimise_of "$source") $(flags_of "nextpixel$build") -Iinclude -Isrc -c "$source" -o "$part"
    done
    "$WASM_LD" $WASM_LDFLAGS --initial-memory=10485760 --export=add --export=products --export=add_convolution --export=convolutions $parts -o "$OUT/products$build.wasm"
  done
  parts=
  for source in tests/bench/kernels.c src/kernels/cells.c src/kernels/gates.c src/kernels/image.c src/kernels/queue.c; do
    part=$OUT/bench-$(basename "$source" .c).o parts="$parts $OUT/bench-$(basename "$source" .c).o"
    "$CLANG" --target=wasm32-unknown-emscripten --sysroot="$(sysroot)" $WASM_CFLAGS $(optimise_of "$source") -Iinclude -Isrc -c "$source" -o "$part"
  done
  "$WASM_LD" $WASM_LDFLAGS $(sed -n 's/^EXPORT [a-z0-9_]* \([a-z_]*\)(.*/--export=\1/p' tests/bench/kernels.c) $parts -o "$OUT/kernels.wasm"
}

# bench      time ours and other runtimes in one headless Chromium: npm run bench -- --help
task_bench() {
  task_tools # a browser and what drives it
  case " $* " in *' --help '* | *' -h '*) ;; *)
    if have "$CLANG" && have "$WASM_LD"; then ceilings
    else say "NOT MEASURED: the machine's ceiling needs $CLANG and $WASM_LD (Debian packages: clang-19 lld-19)"; fi ;;
  esac
  export OUT
  exec node tests/bench/bench.js "$@" # minutes: nothing of this file is read again
}

# clean      remove build products
task_clean() { rm -rf "$OUT" web/types; }

# help       this list
task_help() { sed -n 's/^# \([a-z-]*  *[^ ].*\)$/  \1/p' "$0" | while read -r name text; do ! grep -q "^task_$(echo "$name" | tr - _)()" "$0" || printf '  %-13s %s\n' "$name" "$text"; done; }

task=${1:-wasm}
[ $# -gt 0 ] && shift
case $task in -h | --help) task=help ;; esac
task=$(echo "$task" | tr - _)
grep -q "^task_$task()" "$0" || die "no task '$task'; ./build.sh help lists them"
"task_$task" "$@"; exit $? # on one line: nothing of this file is read after the task
