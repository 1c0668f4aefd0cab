// SPDX-License-Identifier: MIT
import { fileURLToPath } from 'node:url';

// Needs digits.gguf in dist/. Webpack finds and emits the worker and the wasm without any settings.
export default {
  mode: 'production',
  context: fileURLToPath(new URL('.', import.meta.url)),
  entry: './main.js',
  output: { path: fileURLToPath(new URL('dist', import.meta.url)), filename: 'main.js' },
  performance: { hints: false },
};
