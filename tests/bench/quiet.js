// SPDX-License-Identifier: MIT
// Pauses a running training queue (weights/train/train_queue.py) until the importing process ends. Scripts that measure times import this
// file.
// @ts-check
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const TRAIN = fileURLToPath(new URL('../../weights/train/', import.meta.url));
const RUNS = process.env.NEXTPIXEL_RUNS || `${TRAIN}runs`;

if (existsSync(`${RUNS}/queue.json`)) {
  const paused = spawnSync('python3', [`${TRAIN}train_queue.py`, 'pause', '--holder', String(process.pid)]);
  if (paused.status !== 0) process.stderr.write('the training queue could not be paused, so the times are those of a busy machine\n');
  process.on('exit', () => rmSync(`${RUNS}/queue.hold/${process.pid}`, { force: true }));
}
