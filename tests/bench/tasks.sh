# SPDX-License-Identifier: MIT
#
# Measures sizes and times. Read by build.sh.

# size       print the bytes that a page loads, raw and gzip, also for the small pictures-only build; more than promised is an error. --only NAME: only this small build
task_size() {
  images= small_builds='nextpixel nextpixel-relaxed nextpixel-pairs'
  [ "${1:-}" != --only ] || { small_builds=$2; shift 2; }
  if have "$CLANG" && have "$WASM_LD"; then
    rm -rf "$OUT/images" && mkdir -p "$OUT/images"
    (choose_models --models "$(models_of SMALL)"; OUT=$OUT/images; for name in $small_builds; do build_named "$name"; done)
    node web/tools/bundle.js --small-worker "$OUT/images/worker.js"
    images="--images $OUT/images"
  else say "NOT MEASURED: models of images alone need $CLANG and $WASM_LD"; fi
  node tests/bench/size.js "$@" $images
}

# measure    measure the time per pixel, the time of a completion, and the time from page open to the first pixel
task_measure() { task_tools; node tests/bench/measure.js "$@"; }

# ceilings: builds the wasm files that `bench` needs in $OUT:
# - ceiling.wasm, ceiling-relaxed.wasm and ceiling-pairs.wasm: the loops whose speed `bench` counts as 100 %
# - products*.wasm: the matrix products of a model
# - kernels.wasm: kernels together with their upper bounds
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

# bench      time nextpixel and other runtimes in one headless Chromium: npm run bench -- --help
task_bench() {
  task_tools # needed for the browser and its driver
  case " $* " in *' --help '* | *' -h '*) ;; *)
    if have "$CLANG" && have "$WASM_LD"; then ceilings
    else say "NOT MEASURED: the machine's ceiling needs $CLANG and $WASM_LD (Debian packages: clang-19 lld-19)"; fi ;;
  esac
  export OUT
  exec node tests/bench/bench.js "$@" # takes minutes; exec keeps the shell from reading this file any further
}
