// SPDX-License-Identifier: MIT
// @ts-check

/**
 * A server on this machine that replaces the Hugging Face Hub. The server returns the files to which hf: addresses resolve, and
 * supports ETags, ranges and CORS.
 */

import { createServer } from 'node:http';

/** @import { Page } from 'playwright-core' */

/**
 * @param {Record<string, Buffer>} files  files by their path on the hub, such as /owner/name/resolve/main/file.gguf
 */
export async function startHub(files) {
  /** The path and the Range header of every request. @type {{ path: string, range?: string }[]} */
  const asked = [];
  /**
   * The server's behaviour. `stopAfter`: the maximum number of bytes of a response that the server sends. `ranges`: whether its headers say
   * that it accepts range requests.
   */
  const how = { stopAfter: Infinity, ranges: true };
  const headers = { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'range', 'access-control-expose-headers': '*' };
  const server = createServer((request, response) => {
    const path = decodeURIComponent(String(request.url));
    if (request.method === 'OPTIONS') return void response.writeHead(204, headers).end();
    const { range } = request.headers;
    asked.push({ path, range });
    const file = files[path];
    if (!file) return void response.writeHead(404, headers).end('Entry not found');
    const from = how.ranges ? Number(/bytes=(\d+)-/.exec(range ?? '')?.[1] ?? 0) : 0;
    const body = file.subarray(from);
    response.writeHead(from > 0 ? 206 : 200, {
      ...headers,
      'content-type': 'application/octet-stream',
      'content-length': String(body.length),
      etag: `"${path.length}-${file.length}"`,
      ...(from > 0 && { 'content-range': `bytes ${from}-${file.length - 1}/${file.length}` }),
    });
    if (body.length <= how.stopAfter) response.end(body);
    else response.write(body.subarray(0, how.stopAfter)); // the rest is never sent
  });
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(undefined));
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    asked,
    how,
    /**
     * Makes this server answer the requests that a page sends to the Hub. The page's policy must allow the redirection (bypassCSP).
     *
     * @param {Page} page
     */
    async standsIn(page) {
      await page.addInitScript((to) => {
        const { fetch } = globalThis;
        globalThis.fetch = (what, init) => fetch(typeof what === 'string' ? what.replace('https://huggingface.co', to) : what, init);
      }, `http://127.0.0.1:${port}`);
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
