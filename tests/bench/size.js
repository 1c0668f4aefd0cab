// SPDX-License-Identifier: MIT
// Measures the size of the files that a page loads: the library's modules, each wasm build, and the custom element. Prints uncompressed and
// gzip sizes.
//
//   ./build.sh size [--json] [--images FOLDER]     FOLDER: folder of the small build, which contains only picture models
// @ts-check
import { existsSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { fileURLToPath, pathToFileURL } from 'node:url';

const DIST = new URL('../../web/dist/', import.meta.url);

/**
 * Maximum gzip sizes in KB that the project guarantees:
 * - images: the small build, with the models whose rows in src/models/models.h are marked SMALL
 * - all: the build with all models
 */
const MOST = { images: 64, all: 128 };

/** @param {Iterable<string>} files  @param {URL} [folder] */
function measure(files, folder = DIST) {
  let bytes = 0,
    gzip = 0;
  for (const file of files) {
    const content = readFileSync(new URL(file, folder));
    bytes += content.length;
    gzip += gzipSync(content, { level: 9 }).length; // each file is compressed separately, as a server sends it
  }
  return { bytes, gzip };
}

const LIBRARY = ['nextpixel.js', 'shared.js', 'worker.js'];
const ELEMENT = ['element.js', 'define.js'];
export const sizes = {
  library: { files: LIBRARY.length, ...measure(LIBRARY) },
  wasm: { files: 1, ...measure(['nextpixel.wasm']) },
  relaxed: { files: 1, ...measure(['nextpixel-relaxed.wasm']) },
  pairs: { files: 1, ...measure(['nextpixel-pairs.wasm']) }, // a page loads only one of the three builds
  element: { files: ELEMENT.length, ...measure(ELEMENT) },
};

/** Gzip size in bytes of the library with the largest wasm build. A page with `import { load }` loads at most this much. */
const total = sizes.library.gzip + Math.max(sizes.wasm.gzip, sizes.relaxed.gzip, sizes.pairs.gzip);

/**
 * Returns the gzip size in bytes of the library with the largest wasm file of the small build.
 *
 * @param {string} folder
 */
function imagesAlone(folder) {
  const url = pathToFileURL(`${folder}/`);
  const library = measure(LIBRARY.filter((name) => name !== 'worker.js')).gzip + measure(['worker.js'], url).gzip;
  return (
    library +
    Math.max(
      ...['nextpixel.wasm', 'nextpixel-relaxed.wasm', 'nextpixel-pairs.wasm']
        .filter((name) => existsSync(`${folder}/${name}`))
        .map((name) => measure([name], url).gzip),
    )
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const at = process.argv.indexOf('--images');
  const images = at > 0 ? imagesAlone(process.argv[at + 1]) : undefined;
  if (process.argv.includes('--json')) console.log(JSON.stringify({ ...sizes, total, images }));
  else {
    for (const [name, { files, bytes, gzip }] of Object.entries(sizes)) {
      console.log(
        `${name.padEnd(8)} ${String(files).padStart(3)} files ${String(bytes).padStart(8)} bytes ${String(gzip).padStart(7)} gzip`,
      );
    }
    const kilo = (/** @type {number} */ bytes) => (bytes / 1024).toFixed(1);
    console.log(`library + wasm ${kilo(total)} KB gzip with every model, of ${MOST.all} promised`);
    if (images !== undefined)
      console.log(`library + wasm ${kilo(images)} KB gzip in the small build of pictures alone, of ${MOST.images} promised`);
  }
  if (total > 1024 * MOST.all || (images ?? 0) > 1024 * MOST.images) {
    console.error('larger than promised');
    process.exitCode = 1;
  }
}
