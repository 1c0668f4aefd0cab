// SPDX-License-Identifier: MIT
// Bytes of what a page loads: the library's modules, the wasm, and the element, as they are and as gzip sends them.
//
//   ./build.sh size [--json]
// @ts-check
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';

const WEB = new URL('../../web/', import.meta.url);

/** Follows the static imports and the worker of a module. @param {string} entry @param {Set<string>} seen */
function modules(entry, seen = new Set()) {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  const source = readFileSync(new URL(entry, WEB), 'utf8');
  for (const [, path] of source.matchAll(/(?:\bfrom\s+|\bimport\s+|new URL\()'(\.\.?\/[^']+\.js)'/g)) {
    modules(new URL(path, new URL(entry, WEB)).href.slice(WEB.href.length), seen);
  }
  return seen;
}

/** @param {Iterable<string>} files */
function measure(files) {
  let bytes = 0, gzip = 0;
  for (const file of files) {
    const content = readFileSync(new URL(file, WEB));
    bytes += content.length;
    gzip += gzipSync(content, { level: 9 }).length; // each file on its own, as a server sends them
  }
  return { bytes, gzip };
}

const library = modules('lib/index.js');
const element = [...modules('lib/define.js')].filter((file) => !library.has(file));
export const sizes = {
  library: { files: library.size, ...measure(library) },
  wasm: { files: 1, ...measure(['dist/nextpixel.wasm']) },
  element: { files: element.length, ...measure(element) },
};

/** gzip bytes of library and wasm: what `import { load }` costs a page. */
export const total = sizes.library.gzip + sizes.wasm.gzip;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes('--json')) console.log(JSON.stringify({ ...sizes, total }));
  else {
    for (const [name, { files, bytes, gzip }] of Object.entries(sizes)) {
      console.log(`${name.padEnd(8)} ${String(files).padStart(3)} files ${String(bytes).padStart(8)} bytes ${String(gzip).padStart(7)} gzip`);
    }
    console.log(`library + wasm ${(total / 1024).toFixed(1)} KB gzip`);
  }
}
