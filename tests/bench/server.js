// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Serves the pages of the benchmark on the loopback address. Files of the repository have the same paths on the server as in the
 * repository. Every response has the headers of cross-origin isolation, so all contenders can use their fastest build, and clocks have a
 * finer resolution.
 */

import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, sep } from 'node:path';

/** @type {Record<string, string>} */
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm' };

/**
 * @param {Record<string, string>} folders  maps the first component of a path to the folder to serve
 * @returns {Promise<{ url: string, files: string[], close: () => Promise<void> }>} files: the files requested so far, in order
 */
export async function serve(folders) {
  /** @type {string[]} */
  const files = [];
  const server = createServer(async (request, response) => {
    try {
      const [, name, ...rest] = decodeURIComponent((request.url ?? '/').split('?')[0]).split('/');
      const folder = await realpath(folders[name]);
      const path = await realpath(join(folder, ...rest));
      const status = await stat(path);
      if (!path.startsWith(folder + sep) || !status.isFile()) throw new Error('not a file of the folder');
      files.push(path);
      response.writeHead(200, {
        'Content-Length': status.size,
        'Content-Type': TYPES[extname(path)] ?? 'application/octet-stream',
        'Cross-Origin-Embedder-Policy': 'require-corp',
        'Cross-Origin-Opener-Policy': 'same-origin',
      });
      createReadStream(path).pipe(response);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}/`,
    files,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
