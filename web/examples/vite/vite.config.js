// SPDX-License-Identifier: MIT
export default {
  base: './',
  build: { target: 'es2022' }, // main.js awaits at its top level
  // Not needed if node_modules is next to this file; needed in a workspace.
  optimizeDeps: { exclude: ['nextpixel'] },
};
