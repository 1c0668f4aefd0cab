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

SOURCES='src/nextpixel.c src/session.c src/gguf.c src/arch.c src/reader.c
  src/models/image_transformer.c
  src/kernels/matmul.c src/kernels/vector.c src/kernels/elementary.c
  src/attention/attention.c src/attention/pattern.c
  src/sampling/categorical.c src/sampling/noise.c'

# -- flags ----------------------------------------------------------------------------------------------------------------------

# One result everywhere: no contraction of a*b+c, nothing reassociated.
EXACT='-std=c11 -ffp-contract=off -fno-fast-math'
WARN='-Wall -Wextra -Wshadow -Wpointer-arith -Wstrict-prototypes'
# The auto-vectoriser is off: SIMD is what the source says, so speed and size do not depend on the compiler's mood.
# bulk-memory turns memcpy and memset into single instructions, so that hardly any libc is linked.
WASM_CFLAGS="$EXACT $WARN -O3 -msimd128 -mbulk-memory -fno-vectorize -fno-slp-vectorize -fvisibility=hidden -ffunction-sections"
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

sysroot() {
  for d in "${EM_SYSROOT:-}" /usr/share/emscripten/cache/sysroot "$HOME/.emscripten_cache/sysroot"; do
    [ -n "$d" ] && [ -e "$d/include/string.h" ] && { echo "$d"; return; }
  done
  die 'no Emscripten sysroot found. Install Emscripten (Debian package: emscripten) or set EM_SYSROOT.'
}

toolchain() { "$CLANG" --version | head -n 1; }
pinned() { case "$(toolchain)" in "$PINNED"*) return 0 ;; *) return 1 ;; esac }

# -- tasks: each function `task_NAME` is a task; the comment above it is its help ------------------------------------------------

# tools      install what builds and tests need (Debian packages, npm packages), or say what is missing
task_tools() {
  mkdir -p "$OUT"
  need "$CC" gcc
  need "$CLANG" clang-19
  need "$WASM_LD" lld-19
  [ -e /usr/share/emscripten/cache/sysroot/include/string.h ] || [ -n "${EM_SYSROOT:-}" ] || need emcc emscripten
  [ -e /usr/include/simde/wasm/simd128.h ] || need simde-headers libsimde-dev
  [ -n "${CHROMIUM:-}" ] || have chromium || need chromium chromium
  have node || die 'node is missing. Install Node.js 20 or later.'
  if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
    say 'installing npm packages ...'
    npm ci --no-audit --no-fund --loglevel=error >&2
  fi
}

# build_wasm FILE [FLAGS]: the library as one wasm file
build_wasm() {
  file=$1; shift
  root=$(sysroot)
  dir=$OUT/wasm-$(basename "$file" .wasm)
  mkdir -p "$dir"
  objects=
  for source in $SOURCES; do
    object=$dir/$(echo "$source" | tr / _ | sed 's/c$/o/')
    "$CLANG" --target=wasm32-unknown-emscripten --sysroot="$root" $WASM_CFLAGS "$@" -Iinclude -Isrc -c "$source" -o "$object"
    objects="$objects $object"
  done
  exports=$(sed -n 's/^NX_API .*\(nx_[a-z_]*\)(.*/--export=\1/p' include/nextpixel.h)
  "$WASM_LD" $WASM_LDFLAGS $exports $objects -L"$root/lib/wasm32-emscripten" -lc -o "$file"
}

# wasm       build web/dist/nextpixel.wasm
task_wasm() {
  mkdir -p "$OUT" web/dist
  build_wasm "$OUT/nextpixel.wasm"
  cp "$OUT/nextpixel.wasm" web/dist/nextpixel.wasm
  say "web/dist/nextpixel.wasm: $(wc -c <web/dist/nextpixel.wasm) bytes, $(gzip -9c web/dist/nextpixel.wasm | wc -c) gzip; $(toolchain)"
}

# clean      remove build products
task_clean() { rm -rf "$OUT" web/types; }

# help       this list
task_help() { sed -n 's/^# \([a-z]*  *[^ ].*\)$/  \1/p' "$0" | grep -E '^  (tools|wasm|native|test|golden|fuzz|bench|types|serve|screenshot|clean|help) '; }

task=${1:-wasm}
[ $# -gt 0 ] && shift
case $task in -h | --help) task=help ;; esac
grep -q "^task_$task()" "$0" || die "no task '$task'; ./build.sh help lists them"
"task_$task" "$@"
