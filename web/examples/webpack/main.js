// SPDX-License-Identifier: MIT
import { NextPixelError, load } from 'nextpixel';

const canvas = document.querySelector('canvas');
const status = document.querySelector('output');
try {
  const model = await load('digits.gguf', {
    onProgress: ({ phase, loaded, total }) => { status.textContent = total ? `${phase} ${Math.round((100 * loaded) / total)} %` : phase; },
  });
  await model.generate({ label: '3', samples: 3, seed: 1 }).drawTo(canvas);
  model.close();
  status.textContent = 'drawn';
} catch (error) {
  status.textContent = error instanceof NextPixelError ? error.message : String(error);
}
