// SPDX-License-Identifier: MIT
import react from '@vitejs/plugin-react';

export default { base: './', plugins: [react()], optimizeDeps: { exclude: ['nextpixel'] } };
