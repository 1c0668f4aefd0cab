// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Serves the demo on the loopback address. The server needs only Node: `npm start`, or `npm start -- --port 3000`. With `--host`, it also
 * serves other machines.
 *
 * The server serves web/ and weights/ of the repository, or of a built site, as /web/ and /weights/. /build/ serves the GGUF files that
 * weights/train/export.py writes to build/. The server is meant for the developer's own machine. It supports byte ranges and status 304,
 * but no other optional parts of HTTP. It sends the Content-Security-Policy with which the demo is tested. The server generates each page
 * from its page.html. Lists of pages, such as the courses and the tiles, contain facts about all pages. The server reads these facts only
 * when it starts. If the pages' scripts in web/dist do not match the sources, the server sends the sources instead, so that edits take
 * effect.
 * Two modules always come from web/dist: they import packages, which browsers cannot find by name. ./build.sh js rebuilds them.
 */

import { createHash } from 'node:crypto';
import { open, realpath, stat } from 'node:fs/promises';
import { constants, realpathSync } from 'node:fs';
import { createServer } from 'node:http';
import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { basename, dirname, extname, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { courseFilesOf } from './course-files.js';
import { pageOf, policy } from './frame.js';
import { bundledOf, checkSources, isMade, sourceOf } from './fresh.js';

const LOOPBACK = '127.0.0.1';
const LOOPBACKS = [LOOPBACK, '::1'];
/** The IPv4 and IPv6 addresses that mean all addresses of this machine. */
const [EVERYWHERE, EVERYWHERE_6] = ['0.0.0.0', '::'];
const FIRST_PORT = 8080;
const LAST_PORT = 8179;
const FOLDERS = /^(web|weights(-[0-9a-f]{12})?|build)$/; // weights-HASH is the folder that ./build.sh site writes
/** Matches the files of build/ that are served: models that the user trained, written by weights/train/export.py. */
const TRAINED = /^[^/]+\.gguf$/;

/**
 * Matches the addresses that pages from other origins may read if the server allows this (--cors). These addresses do not include models
 * trained on this machine.
 */
const READABLE = /^\/(web|weights(-[0-9a-f]{12})?)\//;

/** Media types by file extension. @type {Record<string, string>} */
export const TYPES = {
  '.bin': 'application/octet-stream',
  '.css': 'text/css; charset=utf-8',
  '.gguf': 'application/octet-stream',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/plain; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
};

/** The Content-Security-Policy of the pages. */
export const POLICY = policy();

/** Thrown to send an error status or a redirect instead of a file. */
class Refusal extends Error {
  /**
   * @param {number} status
   * @param {Record<string, string>} [headers]
   */
  constructor(status, headers = {}) {
    super(String(status));
    this.status = status;
    this.headers = headers;
  }
}

/** @param {string} address  @returns {string}  the address as written in URLs */
const inUrl = (address) => (isIP(address) === 6 ? `[${address}]` : address);

/** Returns the addresses of this machine. */
const interfaces = () => Object.values(networkInterfaces()).flatMap((all = []) => all);

/**
 * Returns the host names that a client may use for the server. A request with another name may come from an attacker's page: the attacker
 * makes a domain name resolve to this machine (DNS rebinding).
 *
 * @param {string} host  the address that the server listens on
 */
function namesOf(host) {
  const addresses = LOOPBACKS.includes(host)
    ? LOOPBACKS
    : [hostname(), `${hostname()}.local`, ...interfaces().map(({ address }) => address)];
  return ['localhost', LOOPBACK, host, ...addresses].map(inUrl);
}

/**
 * @param {object} [options]
 * @param {number} [options.port]     port to use, which must be free; 0 for any free port (default: the first free port from 8080 on)
 * @param {string} [options.root]     folder that contains web/ and weights/
 * @param {string} [options.connect]  hosts from which pages may fetch models, besides this server
 * @param {string} [options.host]     address to listen on; 0.0.0.0 for all addresses of this machine (default: 127.0.0.1)
 * @param {boolean} [options.cors]    whether pages from other origins, such as a sandboxed frame, may read web/ and weights/
 * @returns {Promise<{ url: string, port: number, close: () => Promise<void> }>}
 */
export async function serve({
  port,
  root = fileURLToPath(new URL('../..', import.meta.url)),
  connect,
  host = LOOPBACK,
  cors = false,
} = {}) {
  const base = await realpath(root);
  const names = namesOf(host);
  const server = createServer((request, response) => {
    answer({ base, names, pages: policy(connect), cors }, request, response).catch((error) => {
      if (error instanceof Refusal) refuse(response, error.status, error.headers);
      else if (response.headersSent)
        response.destroy(); // the client has disconnected, or reading the file failed after the headers were sent
      else {
        console.error(`nextpixel: ${request.url}: ${error.message}`); // for example, an error in a page.html
        refuse(response, 500);
      }
    });
  });
  const bound = await listen(server, port, host);
  return {
    url: `http://${[EVERYWHERE, EVERYWHERE_6].includes(host) ? LOOPBACK : inUrl(host)}:${bound}/`,
    port: bound,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * @param {import('node:http').Server} server
 * @param {number | undefined} port
 * @param {string} host
 * @returns {Promise<number>}
 */
async function listen(server, port, host) {
  for (let candidate = port ?? FIRST_PORT; ; candidate++) {
    try {
      await new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(candidate, host, () => {
          server.off('error', reject);
          resolve(undefined);
        });
      });
      return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
    } catch (error) {
      const taken = /** @type {NodeJS.ErrnoException} */ (error).code === 'EADDRINUSE';
      if (!taken || port !== undefined || candidate === LAST_PORT) throw error;
    }
  }
}

/**
 * @param {object} site
 * @param {string} site.base     root folder, with symbolic links resolved
 * @param {string[]} site.names  host names that a client may use
 * @param {string} site.pages    Content-Security-Policy of the pages
 * @param {boolean} site.cors     see serve()
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function answer({ base, names, pages, cors }, request, response) {
  const { localPort } = request.socket;
  // Rejects requests with several Host headers, because the headers may name different hosts.
  if (request.rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host').length > 1) throw new Refusal(400);
  if (!names.some((name) => request.headers.host === `${name}:${localPort}` || (localPort === 80 && request.headers.host === name)))
    throw new Refusal(421);
  if (cors && READABLE.test(request.url ?? '')) response.setHeader('Access-Control-Allow-Origin', '*');
  if (request.method !== 'GET' && request.method !== 'HEAD') throw new Refusal(405, { Allow: 'GET, HEAD' });
  const page = await pageAt(base, request.url ?? '/');
  if (page !== undefined) {
    response.on('finish', () => void checkSources(join(base, 'web'))); // the browser requests the page's scripts next
    return sendPage(request, response, page, pages);
  }
  if (/^\/web\/courses\.json(\?|$)/.test(request.url ?? '') && (await isSource(base)))
    return send(response, JSON.stringify(await courseFilesOf(base)), TYPES['.json']);
  const path = await locate(base, request.url ?? '/');
  const sources = dirname(path) === join(base, 'web/dist') ? sourceOf(basename(path)) : undefined;
  if (sources !== undefined && !(await isMade(path))) return send(response, sources, TYPES[extname(path)]);
  const bundled = bundledOf(relative(join(base, 'web'), path).replaceAll(sep, '/'));
  if (bundled !== undefined) return send(response, bundled, TYPES['.js']);
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)); // fails if the path is now a symbolic link
  try {
    const { size, mtime, mtimeMs } = await file.stat();
    const type = TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream';
    const etag = `"${size.toString(16)}-${Math.round(mtimeMs).toString(16)}"`;
    const lastModified = mtime.toUTCString();
    /** @type {Record<string, string | number>} */
    const headers = {
      'Accept-Ranges': 'bytes',
      'Cache-Control': 'no-cache', // the browser may cache the file, but must check whether it has changed
      'Content-Type': type,
      ETag: etag,
      'Last-Modified': lastModified,
      'X-Content-Type-Options': 'nosniff',
    };
    if (type.startsWith('text/html')) headers['Content-Security-Policy'] = pages;
    if (isFresh(request.headers, etag, mtimeMs)) {
      response.writeHead(304, headers).end();
      return;
    }
    const unchanged = [undefined, etag, lastModified].includes(request.headers['if-range']?.toString());
    const range = unchanged ? parseRange(request.headers.range, size) : undefined;
    if (range === 'unsatisfiable') throw new Refusal(416, { 'Content-Range': `bytes */${size}` });
    const [start, end] = range ?? [0, size - 1];
    headers['Content-Length'] = end - start + 1;
    if (range) headers['Content-Range'] = `bytes ${start}-${end}/${size}`;
    response.writeHead(range ? 206 : 200, headers);
    if (request.method === 'HEAD' || size === 0) response.end();
    else await pipeline(file.createReadStream({ start, end, autoClose: false }), response);
  } finally {
    await file.close();
  }
}

/** Returns whether pages are generated from their sources. A built site contains them as files. @param {string} base */
const isSource = (base) =>
  stat(join(base, 'web/front/page.html')).then(
    () => true,
    () => false,
  );

/**
 * Sends generated content.
 *
 * @param {import('node:http').ServerResponse} response
 * @param {string} text
 * @param {string} type
 */
function send(response, text, type) {
  response.writeHead(200, {
    'Cache-Control': 'no-store',
    'Content-Length': Buffer.byteLength(text),
    'Content-Type': type,
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(text);
}

/** @param {string} address  @returns {string}  '' if the address is malformed; `locate` then rejects it */
function decoded(address) {
  try {
    return decodeURIComponent(address);
  } catch {
    return '';
  }
}

/**
 * Returns the HTML of the page at an address.
 *
 * @param {string} base
 * @param {string} url  address in the request line
 * @returns {Promise<string | undefined>}  undefined if there is no page at the address, or if the page exists as a file
 */
async function pageAt(base, url) {
  const [address, query] = url.split(/\?(.*)/s);
  const [, path, slash] = /^\/web\/((?:[\w-]+\/)*?[\w-]*?(?:index\.html)?)(\/?)$/.exec(decoded(address)) ?? [];
  if (path === undefined) return undefined;
  if (path.endsWith('index.html')) return slash ? undefined : pageOf(join(base, 'web'), path);
  const page = await pageOf(join(base, 'web'), `${path && `${path}/`}index.html`);
  if (page !== undefined && path && !slash) throw new Refusal(301, { Location: `${address}/${query === undefined ? '' : `?${query}`}` });
  return page;
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 * @param {string} page
 * @param {string} policy  Content-Security-Policy of the pages
 */
function sendPage(request, response, page, policy) {
  const etag = `"${createHash('sha256').update(page).digest('hex').slice(0, 16)}"`;
  const headers = {
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': policy,
    'Content-Type': TYPES['.html'],
    ETag: etag,
    'X-Content-Type-Options': 'nosniff',
  };
  if (isFresh(request.headers, etag, NaN)) response.writeHead(304, headers).end();
  else response.writeHead(200, { ...headers, 'Content-Length': Buffer.byteLength(page) }).end(page);
}

/**
 * Returns the path of the file at an address. After symbolic links are resolved, the file must be in one of the served folders.
 *
 * @param {string} base
 * @param {string} url  address in the request line
 * @returns {Promise<string>}
 */
async function locate(base, url) {
  const [address, query] = url.split(/\?(.*)/s);
  let path;
  try {
    path = decodeURIComponent(address);
  } catch {
    throw new Refusal(400);
  }
  if (!path.startsWith('/') || /[\0\\]/.test(path)) throw new Refusal(400);
  if (path === '/') throw new Refusal(302, { Location: '/web/' });
  const [folder, ...names] = path.slice(1).split('/');
  const inside = names.slice(0, -1).every((name) => name !== '') && names.every((name) => !name.startsWith('.'));
  if (!FOLDERS.test(folder) || !inside || (folder === 'build' && !TRAINED.test(names.join('/')))) throw new Refusal(404);
  try {
    const found = await realpath(join(base, folder, ...names));
    const home = join(base, folder);
    if (found !== home && !found.startsWith(home + sep)) throw new Refusal(404);
    if (found.slice(home.length).includes(`${sep}.`)) throw new Refusal(404); // the address leads to a hidden file through a symbolic link
    const { isFile, isDirectory } = await kindOf(found);
    if (isDirectory && !path.endsWith('/')) {
      throw new Refusal(301, { Location: `${address}/${query === undefined ? '' : `?${query}`}` });
    }
    if (isDirectory) return await locate(base, `${address}index.html`);
    if (isFile && !path.endsWith('/')) return found;
  } catch (error) {
    if (error instanceof Refusal) throw error;
  }
  throw new Refusal(404);
}

/** @param {string} path */
async function kindOf(path) {
  const status = await stat(path);
  return { isFile: status.isFile(), isDirectory: status.isDirectory() };
}

/**
 * Returns whether the client's cached copy is still valid.
 *
 * @param {import('node:http').IncomingHttpHeaders} headers
 * @param {string} etag
 * @param {number} mtimeMs
 */
function isFresh(headers, etag, mtimeMs) {
  const tags = headers['if-none-match'];
  if (tags !== undefined) {
    return tags.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
  }
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return Math.floor(mtimeMs / 1000) * 1000 <= since; // the header has a resolution of one second
}

/**
 * Returns the first and last byte of a single range. Ignores malformed ranges and lists of several ranges, as the standard allows.
 *
 * @param {string | undefined} header
 * @param {number} size
 * @returns {[number, number] | 'unsatisfiable' | undefined}
 */
function parseRange(header, size) {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return undefined;
  const [first, last] = [match[1], match[2]];
  if (first === '') {
    const length = Math.min(Number(last), size); // a suffix range requests this number of bytes at the end of the file
    return length > 0 ? [size - length, size - 1] : 'unsatisfiable';
  }
  if (last !== '' && Number(last) < Number(first)) return undefined;
  if (Number(first) >= size) return 'unsatisfiable';
  return [Number(first), last === '' ? size - 1 : Math.min(Number(last), size - 1)];
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {number} status
 * @param {Record<string, string>} [headers]
 */
function refuse(response, status, headers = {}) {
  const text = `${status}\n`;
  response.writeHead(status, {
    ...headers,
    'Content-Length': Buffer.byteLength(text),
    'Content-Type': 'text/plain; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(text); // Node omits the body of a response to HEAD
}

const HELP = `Serves the folders web/ and weights/ of nextpixel to this machine, and without --host to no other:

    npm start                          prints the addresses of the demo and of the manual; open one in a browser, end with Ctrl+C
    npm start -- --port 3000           on this port (or PORT=3000 npm start); without it, on the first free one from ${FIRST_PORT} to ${LAST_PORT}
    npm start -- --connect https://huggingface.co
                                       pages that take models of others may fetch them from this host alone, instead of from any https host;
                                       which page takes what: PAGE/?model=ADDRESS (the chapter Hosting of the manual)
    npm start -- --host                to every machine of your network too, such as the phones in a classroom; prints the addresses to give them
    npm start -- --host 192.168.1.5    on this address of the machine instead of ${LOOPBACK}
    npm start -- --cors                pages of other origins may read web/ and weights/: a frame with the attribute sandbox needs that
    node web/tools/serve.js [--help] [--port PORT] [--connect HOST] [--host [ADDRESS]] [--cors]

It needs Node.js and nothing else and is not made for the internet: there, any static server does (the chapter Hosting of the manual).`;

const OPTIONS = /** @type {const} */ ({
  help: { type: 'boolean', short: 'h' },
  port: { type: 'string' },
  connect: { type: 'string' },
  host: { type: 'string' },
  cors: { type: 'boolean' },
});

/** @param {string | undefined} text  @param {string} name  name of the setting, for the error @returns {number | undefined} */
function portOf(text, name) {
  if (text === undefined || (name === 'PORT' && text === '')) return undefined;
  if (!/^\d+$/.test(text) || Number(text) > 65535)
    throw new Error(`${name} must be a whole number from 0 to 65535, not ${JSON.stringify(text)}`);
  return Number(text);
}

/**
 * Replaces --host without an address with --host=0.0.0.0, which means all addresses of this machine.
 * @param {string} arg
 * @param {number} i
 * @param {string[]} all
 */
const withAddress = (arg, i, all) => (arg === '--host' && (all[i + 1] ?? '--').startsWith('--') ? `--host=${EVERYWHERE}` : arg);

/** @returns {{ [name in keyof typeof OPTIONS]?: any }} the options given on the command line */
function given() {
  try {
    return parseArgs({ args: process.argv.slice(2).map(withAddress), options: OPTIONS }).values;
  } catch (error) {
    throw new Error(
      `${/** @type {Error} */ (error).message.split('\n')[0].replace(/\. To specify.*/, '')}: node web/tools/serve.js --help lists the options`,
    );
  }
}

/** Runs the server from the command line. */
async function main() {
  const { help, connect = 'https:', host, cors, ...rest } = given();
  if (help) return console.log(HELP);
  if (!/^https?:(\/\/[\w.-]+(:\d+)?)?$/.test(connect))
    throw new Error(`--connect takes https: or a host such as https://huggingface.co, not ${JSON.stringify(connect)}`);
  if (host !== undefined && !isIP(host))
    throw new Error(`--host takes an address of this machine such as 0.0.0.0 or 192.168.1.5, not ${JSON.stringify(host)}`);
  const port = portOf(rest.port, '--port') ?? portOf(process.env.PORT, 'PORT');
  try {
    const { url, port: bound } = await serve({ port, connect, host, cors });
    console.log(`nextpixel: ${url}   (Ctrl+C ends)\nits manual: ${url}web/manual/`);
    if (host !== undefined && !LOOPBACKS.includes(host)) {
      const everywhere = [EVERYWHERE, EVERYWHERE_6].includes(host);
      const outside = everywhere ? interfaces().filter(({ internal, family }) => !internal && family === 'IPv4') : [];
      for (const { address } of outside) console.log(`for other machines: http://${address}:${bound}/`);
      console.log(
        `WARNING: every machine that can reach ${everywhere ? 'this one' : host} can read web/ and weights/. Over plain HTTP the browsers of other machines give pages no microphone, no camera, no threads and no offline copy.`,
      );
    }
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'EADDRNOTAVAIL') throw new Error(`${host} is not an address of this machine`);
    if (code !== 'EADDRINUSE') throw new Error(message);
    throw new Error(
      port === undefined
        ? `every port from ${FIRST_PORT} to ${LAST_PORT} is taken: choose another with --port`
        : `port ${port} is taken: choose another with --port`,
    );
  }
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  main().catch((error) => {
    console.error(`nextpixel: ${error.message}`);
    process.exitCode = 1;
  });
}
