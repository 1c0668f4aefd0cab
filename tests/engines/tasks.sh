# SPDX-License-Identifier: MIT
#
# Compares the results of every engine and build. Read by build.sh.

# engine NAME COMMAND: compiles tests/engines/native.c and the library, and adds the program to `natives`, the list for the driver. Without
# COMMAND, NAME is a compiler, and plain_library (tests/c/tasks.sh) compiles the library with this compiler.
engine() {
  name=$(basename "$1") program=$OUT/engines/$(basename "$1")
  if [ ! -e "$program" ] || [ -n "$(find include src tests/engines/*.[ch] build.sh web/tools/wasm.sh tests/engines/tasks.sh -newer "$program")" ]; then
    if [ $# = 1 ]; then plain_library "$1"; else objects=$(sources); fi
    ${2:-$1} $EXACT $WARN -Iinclude -Isrc -Itests/c $objects tests/c/check.c tests/c/picture.c tests/engines/native.c tests/engines/sha256.c -lm -o "$program"
  fi
  natives="$natives --native=$name=$program"
}

# test-engines  check that every engine and build gives equal hashes (Chromium, Firefox, WebKit, Node, native), and open every page in each browser: ./build.sh test-engines [--pages] [--short] [engine ...]
task_test_engines() {
  task_tools
  mkdir -p "$OUT/engines"
  pages=
  [ "${1:-}" != --pages ] || { pages=--pages; shift; }
  short= # with --short: one build per engine, and one shipped file of each kind
  [ "${1:-}" != --short ] || { short=--short; shift; }
  engines=" ${*:-chromium firefox webkit node native} "
  [ -z "$pages" ] || engines=" ${*:-chromium firefox webkit} "
  case $engines in *' firefox '*) [ -n "${FIREFOX:-}" ] || have firefox || want firefox-esr firefox-esr ;; esac
  case $engines in *' webkit '*) want WebKitWebDriver webkit2gtk-driver; want Xvfb xvfb ;; esac
  natives=
  case $engines in *' native '*)
    # The first program is built with the compiler of the C tests. Without --short, a second one is built with other flags, and a third one
    # with another compiler. EXACT contains -ffp-contract=off.
    engine "$CC"
    if [ -z "$short" ]; then
      engine "$(basename "$CC")-tuned" "$CC -O3 -march=native"
      engine "$(basename "$CLANG")" "$CLANG -O2"
    fi ;;
  esac
  node --test tests/engines/*.test.js >"$OUT/engines/judge.log" || { cat "$OUT/engines/judge.log"; die 'the judge of the hashes fails its own tests'; }
  flag=--experimental-websocket # the Firefox driver needs WebSocket: built into Node 22, and behind this flag from Node 20.10 on
  node $flag -e '' 2>/dev/null || flag=
  node $flag --no-warnings tests/engines/main.js --out "$OUT/engines" $pages $short $natives $engines
}
