// SPDX-License-Identifier: MIT
export default {
  base: './',
  build: { target: 'es2022' }, // main.js uses await at its top level
  // Needed only in a workspace, where node_modules is not next to this file.
  optimizeDeps: { exclude: ['nextpixel'] },
};
