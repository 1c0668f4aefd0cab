// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Drives an installed Firefox through WebDriver BiDi (https://w3c.github.io/webdriver-bidi/): JSON messages over a WebSocket. This driver
 * uses few commands, so it needs no library.
 */

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { command, end, sleep, within } from './engine.js';

const find = () => process.env.FIREFOX || command('firefox-esr', 'firefox');

/** @type {import('./engine.js').Engine} */
export const firefox = {
  name: 'Firefox',
  missing() {
    if (!find()) return 'Firefox (Debian package: firefox-esr), or FIREFOX=PATH';
    // Before version 22, Node has WebSocket only with --experimental-websocket.
    return typeof WebSocket === 'function' ? undefined : 'Node.js 22 or later, to speak with Firefox';
  },
  async open(url) {
    const profile = await mkdtemp(join(tmpdir(), 'nextpixel-firefox-'));
    const options = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0', 'about:blank'];
    const browser = spawn(/** @type {string} */ (find()), options, { stdio: ['ignore', 'ignore', 'pipe'] });
    /** @type {WebSocket | undefined} */
    let socket;
    const close = async () => {
      socket?.close();
      await end(browser);
      // Helper processes of Firefox may write files for a moment longer.
      await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    };
    try {
      const call = await within(
        connect(browser, (opened) => (socket = opened)),
        60_000,
        'starting Firefox',
      );
      await call('session.new', { capabilities: {} });
      const {
        contexts: [{ context }],
      } = await call('browsingContext.getTree', {});
      await call('browsingContext.setViewport', { context, viewport: { width: 1200, height: 900 } });
      await call('browsingContext.navigate', { context, url, wait: 'complete' });
      /** @param {string} expression @param {string} target */
      const evaluateIn = async (expression, target) => {
        // The result is passed as text, because BiDi has its own serialisation.
        const { result, exceptionDetails } = await call('script.evaluate', {
          expression: `Promise.resolve(${expression}).then((value) => JSON.stringify(value) ?? '')`,
          target: { context: target },
          awaitPromise: true,
        });
        if (exceptionDetails) throw new Error(`Firefox: ${exceptionDetails.text}`);
        return result.value === '' ? undefined : JSON.parse(result.value);
      };
      return {
        evaluate: (expression) => evaluateIn(expression, context),
        async evaluateInFrame(expression) {
          const { contexts } = await call('browsingContext.getTree', { root: context });
          return evaluateIn(expression, contexts[0].children[0].context);
        },
        async screenshot() {
          return Buffer.from((await call('browsingContext.captureScreenshot', { context })).data, 'base64');
        },
        async close() {
          await Promise.race([call('browser.close', {}).catch(() => {}), sleep(5000)]);
          await close();
        },
      };
    } catch (error) {
      await close();
      throw error;
    }
  },
};

/** @typedef {(method: string, params: object) => Promise<any>} Call */

/**
 * Number of messages that this process has sent to Firefox. From the 4097th message on, Node 20's WebSocket masks messages incorrectly, and
 * the receiver closes the connection. Drivers therefore wait LOOK_MS between two polls.
 */
let sent = 0;

/**
 * @param {import('node:child_process').ChildProcess} browser
 * @param {(socket: WebSocket) => void} opened
 * @returns {Promise<Call>}
 */
async function connect(browser, opened) {
  /** @type {string} */
  const address = await new Promise((resolve, reject) => {
    let said = '';
    browser.once('error', reject);
    browser.once('exit', () => reject(new Error(`Firefox ended at once:\n${said}`)));
    browser.stderr?.on('data', (text) => {
      said += text;
      const match = /WebDriver BiDi listening on (ws:\S+)/.exec(said);
      if (match) resolve(match[1]);
    });
  });
  const socket = new WebSocket(`${address}/session`);
  opened(socket);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error(`cannot connect to Firefox at ${address}`));
  });
  /** @type {Map<number, { resolve: (result: any) => void, reject: (error: Error) => void }>} */
  const waiting = new Map();
  socket.onmessage = ({ data }) => {
    const { id, type, result, error, message } = JSON.parse(data);
    const asked = waiting.get(id);
    waiting.delete(id);
    if (type === 'error') asked?.reject(new Error(`Firefox: ${error}: ${message}`));
    else asked?.resolve(result);
  };
  socket.onclose = () => {
    for (const { reject } of waiting.values())
      reject(new Error(`Firefox went away, after ${sent} messages of this process to it and others before`));
  };
  return (method, params) =>
    new Promise((resolve, reject) => {
      waiting.set(++sent, { resolve, reject });
      socket.send(JSON.stringify({ id: sent, method, params }));
    });
}
