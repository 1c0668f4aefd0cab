// SPDX-License-Identifier: MIT
// Bytes of what a page loads: the library's modules, either wasm, and the element, as they are and as gzip sends them.
//
//   ./build.sh size [--json]
// @ts-check
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';

const DIST = new URL('../../web/dist/', import.meta.url);

/** @param {Iterable<string>} files */
function measure(files) {
  let bytes = 0, gzip = 0;
  for (const file of files) {
    const content = readFileSync(new URL(file, DIST));
    bytes += content.length;
    gzip += gzipSync(content, { level: 9 }).length; // each file on its own, as a server sends them
  }
  return { bytes, gzip };
}

const LIBRARY = ['nextpixel.js', 'shared.js', 'worker.js'];
const ELEMENT = ['element.js', 'define.js'];
export const sizes = {
  library: { files: LIBRARY.length, ...measure(LIBRARY) },
  wasm: { files: 1, ...measure(['nextpixel.wasm']) },
  relaxed: { files: 1, ...measure(['nextpixel-relaxed.wasm']) }, // a page fetches one of the two
  element: { files: ELEMENT.length, ...measure(ELEMENT) },
};

/** gzip bytes of library and wasm, the larger one: what `import { load }` costs a page at most. */
export const total = sizes.library.gzip + Math.max(sizes.wasm.gzip, sizes.relaxed.gzip);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes('--json')) console.log(JSON.stringify({ ...sizes, total }));
  else {
    for (const [name, { files, bytes, gzip }] of Object.entries(sizes)) {
      console.log(`${name.padEnd(8)} ${String(files).padStart(3)} files ${String(bytes).padStart(8)} bytes ${String(gzip).padStart(7)} gzip`);
    }
    console.log(`library + wasm ${(total / 1024).toFixed(1)} KB gzip`);
  }
}
