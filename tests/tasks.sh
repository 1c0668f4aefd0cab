# SPDX-License-Identifier: MIT
#
# Runs the tests in Node, browsers and Python, separately or together. Read by build.sh.

# tests SECONDS FILES...: runs test files, prints one line per file, and reports failures and skipped tests. A file that takes longer than
# SECONDS is stopped and counts as failed. If at most three files failed, they run again with the same options, one at a time, because tests
# may exceed their time limits on a busy machine. The output says which files ran again.
tests() {
  limit=$1; shift
  mkdir -p "$OUT"
  failed=$(mktemp "$OUT/failed.XXXXXX")
  if FAILED_FILES=$failed node --test --test-reporter=./tests/report.js --test-timeout=$((limit * 1000)) "$@"; then rm "$failed"; return; fi
  again=$(sort -u "$failed"); rm "$failed"
  case $(printf '%s\n' "$again" | grep -c .) in 1|2|3) ;; *) return 1 ;; esac
  again=$(for file in $again; do case $file in */groups/*) sed -n 's|^// ||p' "$file" ;; *) echo "$file" ;; esac; done)
  echo "AGAIN, one at a time: $(printf '%s\n' "$again" | xargs -n 1 basename | xargs)"
  for one; do # keeps the options, such as the pattern of names, but not the files
    shift
    case $one in --test-concurrency=*) ;; --*) set -- "$@" "$one" ;; esac
  done
  FAILED_FILES= node --test --test-concurrency=1 --test-reporter=./tests/report.js --test-timeout=$((limit * 1000)) "$@" $again
}

# test-js    test the library in Node, the server, the package, and the types
task_test_js() {
  task_types
  npx --no-install tsc -p tests
  tests 900 --test-concurrency=2 $(node tests/group.js "$OUT/groups/js" 12 $(find tests/js -name '*.test.js' | LC_ALL=C sort) tests/embed/short.test.js)
}

# test-browser  test the library, the pages and the element in headless Chromium
task_test_browser() {
  npx --no-install tsc -p tests/browser
  tests 900 --test-concurrency=2 $(node tests/group.js "$OUT/groups/browser" 9 tests/browser/*.test.js)
}

# test-sweep  check every page of the demo and of the manual, and every figure, at every width and in every colour (one page load per check), every address, and every test image
task_test_sweep() {
  tests 3600 --test-concurrency=2 tests/browser/all/*.test.js
  export EVERY_TEST=1
  tests 900 --test-concurrency=2 --test-name-pattern='^more ' tests/browser/*.test.js
  tests 900 --test-name-pattern='^more ' $(grep -l /more.js tests/js/*.test.js)
}

# test-embed  test the packed library with bundlers and frameworks, which npm installs into build/: needs a network once
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

# test-train test the training code, if there is Python with NumPy, Pillow and PyTorch: ./build.sh test-train [all: every test file, every recipe, every instruction set]
task_test_train() {
  python=
  for p in python3 /usr/bin/python3; do "$p" -c 'import numpy, torch, PIL' 2>/dev/null && python=$p && break; done
  if [ -z "$python" ]; then
    say "NOT RUN: tests of the training code need Python 3 with NumPy, Pillow and PyTorch: apt-get install $TRAINING"
    return 0
  fi
  files='test_train test_data test_own test_prepare test_notebook test_drawings test_house test_pixelcnn test_captions test_music test_text test_translation test_trees test_sagan'
  [ "${1:-}" != all ] || { files=; export EVERY_RECIPE=1; } # with `all`, unittest runs every test file that it finds
  # Makes OpenBLAS use the same kernels as in training (common/memory.py)
  (cd weights/train && export OMP_NUM_THREADS=1 $("$python" -c 'from common.memory import core; print(*("%s=%s" % one for one in core().items()))') &&
    "$python" -m unittest -q $files)
}

TRAINING='python3-torch python3-numpy python3-pil libopenblas0-openmp' # Debian packages

# test_tools: installs the tools that several steps need, so that parallel steps do not wait for each other
test_tools() {
  ! have node || say "Node $(node --version), $(command -v node)"
  task_tools
  need clang-format-19 clang-format-19
  need_clang_sanitizers || true # without them, test-c reports which tests it skips
}

# check-format check that clang-format leaves src and include unchanged (.clang-format; comments are not formatted), and that Biome leaves
# the scripts unchanged (biome.json)
task_check_format() {
  need clang-format-19 clang-format-19
  clang-format-19 --dry-run -Werror $(find src include -name '*.[ch]') || die 'clang-format-19 -i would change these files'
  npm_packages
  npx biome format --log-level=error || die 'npm run format would change these files'
}

# test       test everything: install missing tools, build, verify the wasm, C tests, JavaScript tests, equal hashes, browser tests, training tests
task_test() {
  test_tools
  exec node tests/steps.js "$OUT/test" # exec keeps the shell from reading this file any further
}

# test-all   test everything, and what a release needs: gcc's sanitizers, every page at every width, every file in every engine and build,
# every page in every browser, every bundler
task_test_all() {
  test_tools
  [ -n "${CHROMIUM:-}" ] || { need chromium chromium; export CHROMIUM=$(command -v chromium); } # the full browser, not headless
  exec node tests/steps.js "$OUT/test" --all
}

# test-bare  test on a minimal installation with only the distribution's base, Git and Node (tests/bare.sh): before a release, or when the required packages have changed
task_test_bare() {
  need mmdebstrap mmdebstrap
  exec sh tests/bare.sh "$OUT/bare" "$@"
}

# test-changed test everything that uncommitted changes, or this branch's changes against main, can break: for use while you work
# (tests/changed.js)
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
  if grep -q '^types$\|manual\.test\.js$' "$OUT/changed"; then task_types; fi # manual.test.js needs web/types
  if grep -q '^types$' "$OUT/changed"; then for project in tests tests/browser; do npx --no-install tsc -p $project; done; fi
  files=$(sed -n 's/^test //p' "$OUT/changed")
  case $files in *tests/browser/*) task_js ;; esac
  [ -z "$files" ] || tests 900 --test-concurrency=2 $files
  ! grep -q '^train$' "$OUT/changed" || task_test_train
}
