// SPDX-License-Identifier: MIT
import { svelte } from '@sveltejs/vite-plugin-svelte';

export default {
  base: './',
  plugins: [svelte()],
  optimizeDeps: { exclude: ['nextpixel'] },
};
