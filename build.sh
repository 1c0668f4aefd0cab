#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs one task of the project: ./build.sh TASK. The list of tasks is printed by ./build.sh help. The tasks are defined in the files listed
# in PARTS, one file per subject. This file contains the code that all tasks share.
#
# Environment: OUT (folder for build products, default build), CC (native compiler, default gcc), CLANG and WASM_LD (wasm toolchain),
# CHROMIUM (browser for the tests).
set -eu
cd "$(dirname "$0")"

OUT=${OUT:-build}
CC=${CC:-gcc}
CLANG=${CLANG:-clang-19}
WASM_LD=${WASM_LD:-wasm-ld-19}
PINNED='Debian clang version 19.1.7'   # with this toolchain, the build reproduces web/dist/nextpixel.wasm byte for byte

# The files that define the tasks.
PARTS='web/tools/wasm.sh web/tools/pages.sh tests/tasks.sh tests/c/tasks.sh tests/engines/tasks.sh tests/bench/tasks.sh'

say() { printf '%s\n' "$*" >&2; }
die() { say "build.sh: $*"; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# need COMMAND PACKAGE: if a command is missing, installs its Debian package. Without apt-get or root, prints the name of the package and
# stops.
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

# want COMMAND PACKAGE: like need, but continues if the package cannot be installed
want() { have "$1" || ! have apt-get || [ "$(id -u)" != 0 ] || (need "$1" "$2") || true; }

# letters FILE PACKAGES...: installs the packages one by one until FILE exists. FILE is a font for the page tests (tests/browser/fonts).
# Continues if no package provides it.
letters() {
  file=$1; shift
  for package in "$@"; do [ -e "$file" ] || (need "$file" "$package") || true; done
}

# npm_packages: installs the packages of package-lock.json that are missing
npm_packages() {
  # npm ci deletes everything in node_modules, so it must not run on a symbolic link to a folder that belongs to another checkout
  if [ ! -L node_modules ] && { [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; }; then
    say 'installing npm packages ...'
    npm ci --no-audit --no-fund --loglevel=error >&2
  fi
}

# -- tasks: each function `task_NAME` is a task, and the comment above it is its help text -------------------------------------------

# tools      install what builds and tests need (Debian packages, npm packages), or list what is missing
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
  letters /usr/share/fonts/truetype/nanum/NanumGothic.ttf fonts-nanum # a font for the Korean pages in tests
  want cmake cmake; want make make; want pkg-config pkg-config # for the test of the installed C library (tests/js/c-library.test.js)
  have node || die 'node is missing. Install Node.js 20 or later.'
  node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' ||
    die "$(command -v node) is Node $(node --version): it takes 20 or later. Debian's Emscripten brings an older one into /usr/bin; yours is safe in /usr/local/bin."
  npm_packages
}

# clean      remove build products
task_clean() { rm -rf "$OUT" web/types; }

# has_task NAME: succeeds if the task exists
has_task() { cat build.sh $PARTS | grep -q "^task_$(echo "$1" | tr - _)()"; }

# help       this list
task_help() {
  cat build.sh $PARTS | sed -n 's/^# \([a-z-]*  *[^ ].*\)$/  \1/p' | while read -r name text; do ! has_task "$name" || printf '  %-13s %s\n' "$name" "$text"; done
}

for part in $PARTS; do . "./$part"; done

task=${1:-wasm}
[ $# -gt 0 ] && shift
case $task in -h | --help) task=help ;; esac
task=$(echo "$task" | tr - _)
has_task "$task" || die "no task '$task'; ./build.sh help lists them"
"task_$task" "$@"; exit $? # on one line, so that the shell does not read this file any further if it changes during the task
