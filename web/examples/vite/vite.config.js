// SPDX-License-Identifier: MIT
export default {
  base: './',
  build: { target: 'es2022' }, // main.js awaits at its top level
  // Not needed where node_modules stands beside this file; in a workspace it is.
  optimizeDeps: { exclude: ['nextpixel'] },
};
