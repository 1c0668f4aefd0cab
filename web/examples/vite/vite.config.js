// SPDX-License-Identifier: MIT
export default {
  base: './',
  build: { target: 'es2022' }, // main.js uses await at its top level
  // This line is needed in a workspace, but not if node_modules is next to this file.
  optimizeDeps: { exclude: ['nextpixel'] },
};
