#!/bin/sh
# SPDX-License-Identifier: MIT
# Trains the three colour models, the stories and the translator on one CUDA GPU in about half an hour, in commands of at most ten minutes each:
#
#   sh weights/train/gpu.sh probe          up to 3 min, optional: times a training step at three model sizes, to help choose one
#   sh weights/train/gpu.sh cifar10        9.5 min; resumes when run again (--minutes is the length of the whole schedule)
#   sh weights/train/gpu.sh emoji          4 min
#   sh weights/train/gpu.sh emoji-sr       9.5 min: continues from the shipped file; resumes when run again
#   sh weights/train/gpu.sh stories        5 min
#   sh weights/train/gpu.sh de-en          6 min
#   sh weights/train/gpu.sh together       9.5 min: the small models in parallel, as each leaves most of a GPU idle; NAME... selects some
#   sh weights/train/gpu.sh collect        copies the results to $OUT again
#   sh weights/train/gpu.sh smoke          a minute or two, on any machine: runs every command above with tiny settings
#
# Environment:
#
#   DATA   the folder with cifar10/, emoji/, stories/, multi30k/, binarised_mnist/ and fsdd/ (default: data)
#   KEEP   a folder to which data/ is copied and from which training then reads. Use KEEP if data/ (cifar10 85 MB, emoji 11 MB,
#          emoji-drawings 74 MB in two files) is too large to be sent to the machine at once. Send a different part of data/ before each
#          command; the command copies the part to KEEP.
#   OUT    the folder to which results are copied (default: build/gpu). For each run, it receives log.jsonl, out.log, and average.pt
#          cut into parts of 15 MB (RUN.pt.aa, ...).
#
# On the machine that receives the results:
#
#   mkdir -p weights/train/runs/cifar10-gpu && cat build/gpu/cifar10-gpu.pt.* > weights/train/runs/cifar10-gpu/average.pt
#   python3 weights/train/export.py cifar10 --run cifar10-gpu --out build/cifar10-gpu.gguf
#
# Models trained together arrive as parts of one archive (together.tar.aa, ...):
#
#   cat build/gpu/together.tar.* | tar x -C weights/train/runs
#   python3 weights/train/export.py NAME --run NAME-STAGE
#
# Options after the task's name are passed to train.py: sh weights/train/gpu.sh cifar10 --minutes 18 --limit-seconds 570
set -eu
help() { sed -n '3,/^set /{/^#/p;}' "$self" | cut -c3-; }
self=$(cd "$(dirname "$0")" && pwd)/gpu.sh
cd "$(dirname "$self")/../.."
export PYTHONUNBUFFERED=1
DATA=${DATA:-data}
if [ -n "${KEEP:-}" ]; then
  mkdir -p "$KEEP" && cp -r data/. "$KEEP"
  DATA=$KEEP
fi
OUT=${OUT:-build/gpu}
SMOKE_TEXT=                              # set by `smoke`: settings for language models
# Settings that `smoke` adds for models trained together, such as --minutes 0 --steps 20. The sizes of these models stay the same.
SMOKE_SMALL=${SMOKE_SMALL:-}
SMOKE=${SMOKE:-}                         # set by `smoke`: settings that make every run tiny; they come last
RUNS=${NEXTPIXEL_RUNS:-weights/train/runs}
TRAIN="${PYTHON:-python3} weights/train/train.py"
# 14.2 M parameters
CIFAR10_SCHEDULE='--batch 64 --lr 4e-4 --ema 0.9995 --sheets 0 --compile 1 --threads 8 --query-block 128 --memory-block 128'
CIFAR10="$CIFAR10_SCHEDULE --warmup 200 --every 3 --embedding-length 384 --feed-forward-length 1536 --head-count 6 --key-length 64 --block-count 8"
# There are few emoji, and training reads each emoji a hundred times, so training uses dropout. The model sizes in the recipes suit a CPU;
# the sizes here suit a GPU (6.4 M parameters).
EMOJI="--embedding-length 256 --feed-forward-length 1024 --key-length 64 --block-count 8 --batch 64 --lr 1.5e-3 --warmup 300
  --dropout 0.1 --ema 0.9995 --every 2 --sheets 0 --compile 1 --threads 8 --data $DATA/emoji"

# If the folder of vector drawings exists (drawings.py creates it, 74 MB), half of the emoji in a batch are redrawn from the drawings.
if [ -e "$DATA/emoji-drawings/drawings.tsv" ]; then DRAWINGS='--drawings 0.5'; else DRAWINGS='--drawings 0'; fi

collect() {  # RUN...: copies the results of these runs to $OUT
  mkdir -p "$OUT"
  for run in "$@"; do
    folder=$RUNS/$run
    for file in log.jsonl samples.png samples.txt out.log; do [ -f "$folder/$file" ] && cp "$folder/$file" "$OUT/$run.$file"; done
    [ -f "$folder/average.pt" ] && split -b 15000000 "$folder/average.pt" "$OUT/$run.pt."
  done
  ls -l "$OUT"
}

train() {  # recipe, settings...: trains as run <recipe>-gpu; the output also goes to out.log
  folder=$RUNS/$1-gpu
  mkdir -p "$folder"
  $TRAIN "$@" --run "$1-gpu" $SMOKE 2>&1 | tee -a "$folder/out.log"
  [ -f "$folder/average.pt" ]            # checked because tee hides a failure of train.py
}

# trains the GPU stage of a recipe, starting from the shipped file; `data` is the folder of the data set
small() {  # recipe, stage, data, settings...
  name=$1 stage=$2 of=$3
  shift 3
  mkdir -p "$RUNS/$name-$stage"
  if [ "$stage" = 1 ] || [ -n "$SMOKE" ]; then SHIPPED=; else SHIPPED="--stage $stage --from weights/$name.gguf"; fi
  $TRAIN $name $SHIPPED --run $name-$stage --threads 2 --sheets -1 --limit-seconds 540 --data "$DATA/$of" "$@" $SMOKE_SMALL >"$RUNS/$name-$stage/out.log" 2>&1 \
    || tail -n 15 "$RUNS/$name-$stage/out.log"
  grep -E "valid|step|gamma" "$RUNS/$name-$stage/out.log" | tail -n 3 | sed "s/^/$name: /"
}

# prints the small models, one per line: recipe, stage, folder of the data set, options (`gpu` in the recipes)
small_models() { (cd weights/train && "${PYTHON:-python3}" -m common.recipes); }

# Both networks continue the same first run, as the model card says, so that they differ only in attention.
sagan() {
  small sagan-emoji-plain 1 emoji --run sagan-first --batch 64 --minutes 3.5 --lr-floor 1
  for name in sagan-emoji sagan-emoji-plain; do small $name 1 emoji --begun sagan-first --batch 64 --minutes 3 & done
  wait
}

together() {
  models=$(small_models)
  names=$(echo "$models" | cut -d ' ' -f 1)
  for name in ${*:-$names sagan}; do
    [ "$name" != sagan ] || { sagan & continue; }
    model=$(echo "$models" | grep "^$name ") || { echo "no small model $name; there are" $names sagan >&2; exit 2; }
    small $model &
  done
  wait
  mkdir -p "$OUT"
  (cd "$RUNS" && tar c --exclude checkpoint.pt --exclude "together.tar.*" */) | split -b 15000000 - "$OUT/together.tar."
}

probe() {
  nvidia-smi || true
  for size in "384 6 6" "384 6 8" "512 8 6"; do
    set -- $size
    echo "width $1, $2 heads, $3 blocks"
    timeout 60 $TRAIN cifar10 --run probe-$1-$3 --embedding-length $1 --feed-forward-length $((4 * $1)) --head-count $2 --key-length 64 --block-count $3 \
      $CIFAR10_SCHEDULE --minutes 0.15 --warmup 20 --every 99 --sheets -1 --final-valid-images 64 --data "$DATA/cifar10" $SMOKE || echo "no result"
  done
}
emoji() { train emoji $EMOJI $DRAWINGS --minutes 4 --limit-seconds 400 "$@"; collect emoji-gpu; }
cifar10() { train cifar10 $CIFAR10 --minutes 8.5 --limit-seconds 575 --data "$DATA/cifar10" "$@"; collect cifar10-gpu; }

# Keeps the recipe's model size. A larger model would be too slow for the page, which draws two dozen enlargements at a time on a CPU.
emoji_sr() {
  train emoji-sr ${SHIPPED---from weights/emoji-sr.gguf} $DRAWINGS --batch 64 --lr 1.5e-3 --warmup 100 --fresh-rate 1 --ema 0.9995 --every 2 --sheets 0 \
    --compile 1 --threads 8 --minutes 9 --limit-seconds 575 --data "$DATA/emoji" "$@"
  collect emoji-sr-gpu
}

# Uses dropout, because the model has 14 M parameters and the text is only 12 MB.
stories() {
  SMOKE=$SMOKE_TEXT
  train stories --embedding-length 384 --feed-forward-length 1024 --head-count 6 --head-count-kv 6 --block-count 7 --batch 64 --lr 1.5e-3 \
    --warmup 200 --dropout 0.15 --ema 0.999 --every 1 --minutes 5 --limit-seconds 400 --threads 8 --data "$DATA/stories" "$@"
  collect stories-gpu
}

# Uses the model size in the recipe, because the file of a larger model would be too large for a page.
de_en() {
  SMOKE=$SMOKE_TEXT
  train de-en --every 1 --minutes 6 --limit-seconds 500 --threads 8 --data "$DATA/multi30k" "$@"
  collect de-en-gpu
}

task=${1:-help}
[ $# -gt 0 ] && shift
case $task in
  probe | emoji | cifar10 | stories | together) $task "$@" ;;
  emoji-sr) emoji_sr "$@" ;;
  de-en) de_en "$@" ;;
  collect) collect cifar10-gpu emoji-gpu emoji-sr-gpu stories-gpu de-en-gpu ;;
  smoke)
    RUNS=$(mktemp -d)
    export NEXTPIXEL_RUNS=$RUNS
    OUT=$RUNS/out
    SMOKE='--smoke --block-count 1 --embedding-length 32 --feed-forward-length 32 --head-count 2 --key-length 16 --minutes 0 --steps 2 --batch 2
      --sheets -1 --final-valid-images 2 --threads 2 --attention batched'
    SHIPPED=                             # these tiny models cannot continue from the shipped file, which is larger
    SMOKE_TEXT='--smoke --minutes 0 --steps 2 --batch 2 --sheets -1 --final-valid-images 2 --threads 2'
    SMOKE_SMALL=$SMOKE_TEXT
    # without the GAN, because the pictures that a network this small generates are smaller than the pictures of its data set
    probe && cifar10 && emoji && emoji_sr && stories && de_en && together $(small_models | cut -d ' ' -f 1) && collect cifar10-gpu emoji-gpu emoji-sr-gpu stories-gpu de-en-gpu
    rm -rf "$RUNS"
    echo 'every line works' ;;
  *) help ;;
esac
