// SPDX-License-Identifier: MIT
// A model that generates all pixels in one pass has no likelihood. Instead, this evaluation runs weights/train/frechet.py, which needs
// PyTorch and the data set.
//
//   npm run eval -- weights/sagan-emoji.gguf
// @ts-check
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** @import { AnyModel as Model } from '../../../../web/lib/model/of-kind.js' */

/** Runs frechet.py: its metric, the Fréchet distance, needs features that PyTorch computes. @param {Model} model @param {string} file */
export async function evaluate(model, file) {
  model.close();
  const script = fileURLToPath(new URL('../../../train/frechet.py', import.meta.url));
  const python = ['python3', '/usr/bin/python3'].find((name) => spawnSync(name, ['-c', 'import torch, PIL']).status === 0) ?? 'python3';
  process.exitCode = spawnSync(python, [script, path.resolve(file)], { stdio: 'inherit' }).status ?? 1;
}
