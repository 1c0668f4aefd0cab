# SPDX-License-Identifier: MIT
#
# Builds the wasm: defines its source files, models, compiler flags and builds. Read by build.sh.

MODELS= # architectures in the build, from --models a,b (default: all)
NX_MODELS= # compiler flags that select these models
TEXTS=     # -DNX_TEXTS=0 if no selected model needs the code that the flag removes (src/kernels/kernels.h)

# sources: prints the files of the library. Similar files are next to each other, because gzip looks back only 32 KB. model_sources: prints
# the files of all models, or of the models in $MODELS.
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

# Each model has a row in src/models/models.h, with a word for the features that it needs. models_of WORD prints the models with this word
# in their row. needs_of MODEL prints the word in the model's row.
models_of() { sed -n "s/^ *NX_MODEL(\([a-z0-9_]*\), $1).*/\1/p" src/models/models.h | paste -sd, -; }

needs_of() { sed -n "s/^ *NX_MODEL($1, \([A-Z]*\)).*/\1/p" src/models/models.h; }

# choose_models --models a,b: restricts all further builds to these models
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

# All builds must compute the same bits, so a*b+c is not contracted into one instruction, and sums are not reassociated.
EXACT='-std=c11 -ffp-contract=off -fno-fast-math'
WARN='-Wall -Wextra -Wshadow -Wpointer-arith -Wstrict-prototypes'
# Auto-vectorisation is off: only the source determines which code uses SIMD, so speed and size do not depend on the compiler's choices.
# With bulk-memory, memcpy and memset are single instructions, so that hardly any code of libc is linked. Code that runs once per element is
# optimised for speed, and all other code is optimised for size (build_wasm).
WASM_CFLAGS="$EXACT $WARN -msimd128 -mbulk-memory -fno-vectorize -fno-slp-vectorize -fvisibility=hidden -ffunction-sections"
# The wasm module has no entry point and no imports. The module exports the functions marked NX_API in the header. The 64 KiB stack is at
# the start of the memory, so a stack overflow traps.
WASM_LDFLAGS='--no-entry --export=__heap_base --gc-sections --strip-all --stack-first -z stack-size=65536
  --initial-memory=1048576 --max-memory=4294967296'

sysroot() {
  for d in "${EM_SYSROOT:-}" /usr/share/emscripten/cache/sysroot "$HOME/.emscripten_cache/sysroot"; do
    [ -n "$d" ] && [ -e "$d/include/string.h" ] && { echo "$d"; return; }
  done
  die 'no Emscripten sysroot found. Install Emscripten (Debian package: emscripten) or set EM_SYSROOT.'
}


toolchain() { "$CLANG" --version | head -n 1; }
pinned() { case "$(toolchain)" in "$PINNED"*) return 0 ;; *) return 1 ;; esac }

# newer_than_sources FILE: succeeds if FILE exists and is newer than all sources of the library
newer_than_sources() { [ -e "$1" ] && [ -z "$(find include src build.sh web/tools/wasm.sh -newer "$1")" ]; }

# sources_hash: prints a hash of the engine's sources. A build can resume a saved session only if a build of the same sources saved it.
sources_hash() { find include src -name '*.[ch]' | LC_ALL=C sort | xargs cat | sha256sum | cut -c 1-8; }

# Options for the smallest code: loops keep only a counter and no additional pointers, and calculations are not duplicated in several
# branches.
SMALLEST='-Oz -mllvm -disable-lsr -mllvm -enable-pre=false'

# optimise_of SOURCE: prints the optimisation options for a source file. Code that runs once per element is compiled for speed, and all
# other code is compiled for size. The files compiled without -O2 are smaller this way and just as fast (measured with node
# tests/bench/paired.js).
optimise_of() {
  case $1 in
    src/kernels/formats.c | src/kernels/elementary.c) echo "$SMALLEST" ;; # used only while a model is loading
    src/sampling/filters.c | src/sampling/order.c | src/sampling/penalties.c) echo "$SMALLEST" ;; # not used for pictures
    src/kernels/matmul.c) echo '-O2 -mllvm -unroll-threshold=100' ;;
    src/kernels/blocks.c) echo '-O2 -mllvm -unroll-threshold=50' ;;
    src/kernels/queue.c) echo -O2 ;;
    src/kernels/* | src/sampling/* | src/attention/trees.c | src/attention/forward_backward.c) echo -Os ;;
    src/attention/* | tests/bench/*) echo -O2 ;;
    *) echo "$SMALLEST" ;;
  esac
}

# build_wasm FILE [FLAGS]: builds the library as one wasm file, unless the file exists and is up to date. Sets `objects` to the object files
# of the library.
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
    # In the build without texts, only matrix products are compiled for speed, because the build must not exceed its promised size
    # (tests/bench/size.js).
    case $source in src/session/session.c) build=-DNX_BUILD=0x$(sources_hash)u ;; *) build= ;; esac
    case $TEXTS:$source in -D*:src/kernels/matmul.c) optimise='-O2 -mllvm -unroll-threshold=50 -mllvm -enable-pre=false' ;; -D*:src/attention/* | -D*:src/sampling/* | -D*:src/kernels/vector.c) optimise=-Oz ;; esac
    "$CLANG" --target=wasm32-unknown-emscripten --sysroot="$root" $WASM_CFLAGS $optimise $build ${NX_MODELS:+"-DNX_MODELS=$NX_MODELS"} $TEXTS "$@" -Iinclude -Isrc -c "$source" -o "$object"
  done
  case $TEXTS in '') marks='NX_API NX_API_TEXTS' ;; *) marks=NX_API ;; esac
  exports=$(for mark in $marks; do sed -n "s/^$mark .*\(nx_[a-z_]*\)(.*/--export=\1/p" include/nextpixel.h; done)
  case $* in *NX_THREADS*) link='--import-memory --shared-memory --export=__stack_pointer --export=nx_thread' libc=c-mt ;; *) link= libc=c ;; esac
  "$WASM_LD" $WASM_LDFLAGS $link $exports $objects -L"$root/lib/wasm32-emscripten" -l$libc -o "$file"
  echo "$made_of" >"$dir/made-of"
}

# All builds compute the same bits (src/kernels/dot.h). In browsers with relaxed SIMD, the `pairs` build is the fastest on processors
# without a dot-product instruction, and the `relaxed` build is the fastest on all others. The builds with threads import their memory,
# because several instances share this memory (src/kernels/threads.c).
BUILDS='nextpixel nextpixel-relaxed nextpixel-pairs nextpixel-threads nextpixel-threads-relaxed nextpixel-threads-pairs'
flags_of() {
  case $1 in *-threads*) printf ' -matomics -DNX_THREADS' ;; esac
  case $1 in *-relaxed) printf ' -mrelaxed-simd' ;; *-pairs) printf ' -mrelaxed-simd -DNX_PAIRS' ;; esac
}

build_named() { build_wasm "$OUT/$1.wasm" $(flags_of "$1"); }

# wasm       build web/dist/nextpixel*.wasm, or only some models: [--models image_transformer,...]
task_wasm() {
  choose_models "$@"
  mkdir -p "$OUT" web/dist
  for name in $BUILDS; do
    build_named "$name"
    cp "$OUT/$name.wasm" "web/dist/$name.wasm"
    say "web/dist/$name.wasm: $(wc -c <"web/dist/$name.wasm") bytes, $(gzip -9c "web/dist/$name.wasm" | wc -c) gzip; $(toolchain)"
  done
  [ -z "$TEXTS" ] || node web/tools/bundle.js --small-worker web/dist/worker.js # `./build.sh js` restores the full worker
}

# wasm-with  build the library with only the architecture in one file, named like the file: ./build.sh wasm-with FILE.c OUT.wasm
task_wasm_with() {
  mkdir -p "$OUT"
  MODELS=none NX_MODELS="NX_MODEL($(basename "$1" .c), TEXTS)"
  model_sources() { echo "$file_with"; }
  file_with=$1
  build_wasm "$2"
}

# made_of_sources FILE: succeeds if the code of the wasm file contains the hash of the sources as a constant (NX_BUILD)
made_of_sources() {
  node -e '
    const [file, hash] = process.argv.slice(1);
    const code = [0x41]; // i32.const, and a signed LEB128
    for (let rest = parseInt(hash, 16) | 0; code.length === 1 || code.at(-1) & 128; rest >>= 7) {
      const bits = rest & 127;
      code.push(rest >> 6 === 0 || rest >> 6 === -1 ? bits : bits | 128);
    }
    process.exitCode = fs.readFileSync(file).includes(Buffer.from(code)) ? 0 : 1;
  ' "$1" "$(sources_hash)"
}

# check-wasm check that the files of web/dist match the sources, if the pinned toolchain is installed: every file contains the hash of the sources, and the first file is what they make; "all": every file
task_check_wasm() {
  mkdir -p "$OUT"
  for name in $BUILDS; do
    made_of_sources "web/dist/$name.wasm" || die "web/dist/$name.wasm was made of other sources. Run ./build.sh wasm and commit the result."
  done
  checked=$BUILDS
  [ "${1:-}" = all ] || checked=nextpixel
  for name in $checked; do
    build_named "$name"
    if cmp -s "$OUT/$name.wasm" "web/dist/$name.wasm"; then
      say "web/dist/$name.wasm is byte for byte what $(toolchain) makes of the sources"
    elif pinned; then
      die "web/dist/$name.wasm is not what the sources make. Run ./build.sh wasm and commit the result."
    else
      say "toolchain: $(toolchain), not the pinned $PINNED: both files are tested"
      [ "$name" = nextpixel ] || continue # Node uses this build
      say 'JavaScript tests of the file built here ...'
      (export NEXTPIXEL_WASM="$PWD/$OUT/$name.wasm"; tests 600 $(find tests/js -name '*.test.js' ! -name package.test.js))
    fi
  done
}
