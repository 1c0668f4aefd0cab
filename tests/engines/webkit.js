// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Drives WebKitGTK's MiniBrowser by HTTP requests to WebKitWebDriver, as WebDriver defines them (https://www.w3.org/TR/webdriver2/).
 * MiniBrowser needs a display; Xvfb provides a virtual one.
 */

import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';

import { command, end, sleep, within } from './engine.js';

/** Returns the path of MiniBrowser; its folder depends on the architecture and the version. */
function findBrowser() {
  if (process.env.MINIBROWSER) return process.env.MINIBROWSER;
  const folders = ['/usr/lib', '/usr/libexec', '/usr/lib64']
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => [
      folder,
      ...readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && /-linux-/.test(entry.name))
        .map((entry) => `${folder}/${entry.name}`),
    ]);
  const paths = folders.flatMap((folder) =>
    ['webkitgtk-6.0', 'webkit2gtk-4.1', 'webkit2gtk-4.0'].map((name) => `${folder}/${name}/MiniBrowser`),
  );
  return paths.find((path) => existsSync(path)) ?? command('MiniBrowser');
}

/** @type {import('./engine.js').Engine} */
export const webkit = {
  name: 'WebKit',
  missing() {
    if (!command('WebKitWebDriver') || !findBrowser()) return 'WebKitGTK and its driver (Debian package: webkit2gtk-driver)';
    if (!command('Xvfb')) return 'a screen for WebKit (Debian package: xvfb)';
    return undefined;
  },
  async open(url) {
    /** @type {import('node:child_process').ChildProcess[]} */
    const children = [];
    /** @type {string | undefined} */
    let session;
    const close = async () => {
      if (session) await ask('DELETE', session).catch(() => {}); // this also ends the browser
      for (const child of children.reverse()) await end(child);
    };
    let base = '';
    /** @type {(method: string, path: string, body?: object) => Promise<any>} */
    const ask = async (method, path, body) => {
      const response = await fetch(base + path, { method, body: body && JSON.stringify(body) });
      const { value } = /** @type {any} */ (await response.json());
      if (!response.ok) throw new Error(`WebKit: ${value.error}: ${value.message}`);
      return value;
    };
    try {
      const screen = spawn('Xvfb', ['-displayfd', '3', '-nolisten', 'tcp', '-screen', '0', '1280x1000x24'], {
        stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      });
      children.push(screen);
      const display = await within(firstLine(screen, 3), 20_000, 'starting Xvfb');
      const port = await freePort();
      base = `http://127.0.0.1:${port}`;
      children.push(
        spawn('WebKitWebDriver', [`--port=${port}`, '--host=127.0.0.1'], {
          stdio: 'ignore',
          env: { ...process.env, DISPLAY: `:${display}` },
        }),
      );
      await within(
        listening(() => ask('GET', '/status')),
        20_000,
        'starting WebKitWebDriver',
      );
      const { sessionId } = await within(
        ask('POST', '/session', {
          capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': { binary: findBrowser(), args: ['--automation'] } } },
        }),
        60_000,
        'starting MiniBrowser',
      );
      session = `/session/${sessionId}`;
      await ask('POST', `${session}/window/rect`, { width: 1200, height: 950 });
      await ask('POST', `${session}/url`, { url });
      return {
        evaluate: (expression) => ask('POST', `${session}/execute/sync`, { script: `return (${expression})`, args: [] }),
        screenshot: async () => Buffer.from(await ask('GET', `${session}/screenshot`), 'base64'),
        close,
      };
    } catch (error) {
      await close();
      throw error;
    }
  },
};

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {number} descriptor
 * @returns {Promise<string>}
 */
function firstLine(child, descriptor) {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`${child.spawnfile} ended at once`)));
    child.stdio[descriptor]?.once('data', (text) => resolve(String(text).trim()));
  });
}

/** @returns {Promise<number>} a free port, because WebKitWebDriver does not accept port 0 */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
      .once('error', reject)
      .listen(0, '127.0.0.1', () => {
        const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
        server.close(() => resolve(port));
      });
  });
}

/** @param {() => Promise<unknown>} ask */
async function listening(ask) {
  for (;;) {
    try {
      return await ask();
    } catch {
      await sleep(100);
    }
  }
}
