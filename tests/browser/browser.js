// SPDX-License-Identifier: MIT
// @ts-check

/** Starts a headless Chromium for the tests, and a server for the pages. */

import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';

import { chromium } from 'playwright-core';

import { framedPages } from '../../web/tools/frame.js';
import { pagesOf } from '../../web/tools/fresh.js';
import { serve, POLICY } from '../../web/tools/serve.js';
import { isBuilt, published } from './published.js';

/** @import { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core' */

/** The folder for screenshots, which Git ignores. */
export const OUT = fileURLToPath(new URL('./out/', import.meta.url));

/**
 * LIBRARY is the address of the published library, for import() inside a page. The published library is one file. Loading the sources,
 * which are a hundred modules, would take half a second more processor time per page. If the sources are newer than the published library,
 * edited() redirects the address to the sources.
 */
export const LIBRARY = '/web/dist/nextpixel.js';
export const WEIGHTS = '/weights/digits.gguf';

/**
 * The browser under test is Chromium. If the headless shell of Chromium is installed, the tests use this shell, because it runs them four
 * times as fast. `npm run test:all` uses the full browser.
 */
export const CHROMIUM =
  process.env.CHROMIUM || (existsSync('/usr/bin/chromium-headless-shell') ? '/usr/bin/chromium-headless-shell' : '/usr/bin/chromium');

/** Whether the browser is the headless shell. The headless shell uses more main-thread time than the full browser, and has no camera. */
export const SHELL = CHROMIUM.includes('headless-shell');

/** Flags that keep the browser off the network, and let it run in containers without a sandbox or a GPU. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // This switch replaces Playwright's switch of the same name, so it repeats the features that Playwright disables. The switch also
  // disables the popups of the address bar. Otherwise every new context would create these popups, which are separate pages. Creating them
  // takes nearly half of the time that a new context needs.
  `--disable-features=${[
    'AvoidUnnecessaryBeforeUnloadCheckSync',
    'DestroyProfileOnBrowserClose',
    'HttpsUpgrades',
    'HttpsFirstBalancedModeAutoEnable',
    'LensOverlay',
    'MediaRouter',
    'PaintHolding',
    'ThirdPartyStoragePartitioning',
    'AvoidCorsURLLoaderRestartOnRedirect',
    'OptimizationHints',
    'NetworkTimeServiceQuerying',
    'AimEnabled',
    'PreconnectToSearch',
    'WebUIOmniboxPopup',
    'WebUIOmniboxAimPopup',
    'WebUIOmniboxFullPopup',
  ].join()}`,
];

/**
 * Two font environments (fonts/): one has only a wide font family, and the other has only a narrow font family. In these environments,
 * pages look the same on every machine. The key is the name of the fontconfig file. The value is a font file that this configuration needs.
 */
const FONTS = {
  wide: '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf',
  narrow: '/usr/share/fonts/truetype/liberation/LiberationSansNarrow-Regular.ttf',
};
/** @typedef {keyof typeof FONTS} Fonts */

/** Returns the reason why a test with these fonts cannot run here; false if it can. @param {Fonts} fonts */
export const lacks = (fonts) => !existsSync(FONTS[fonts]) && `needs ${FONTS[fonts]}`;

/** @param {string[]} [more] flags @param {Fonts} [fonts] */
export async function launch(more = [], fonts = 'wide') {
  if (!existsSync(CHROMIUM)) {
    throw new Error(
      `No browser at ${CHROMIUM}: install Chromium (Debian package: chromium-headless-shell or chromium), or name one in the environment variable ` +
        'CHROMIUM',
    );
  }
  const letters = lacks(fonts) ? {} : { FONTCONFIG_FILE: fileURLToPath(new URL(`./fonts/${fonts}.conf`, import.meta.url)) };
  return chromium.launch({ executablePath: CHROMIUM, args: [...FLAGS, ...more], env: { ...process.env, ...letters } });
}

/**
 * Problems that a page reports: serious console messages, uncaught errors and violations of the content security policy.
 *
 * @typedef {string[]} Complaints
 */

/** Objects that all test files in this process share (../group.js): the server, and the browsers, keyed by their flags and fonts. */
const shared = {
  /** @type {Map<string, Promise<Browser>>} */
  browsers: new Map(),
  /** @type {ReturnType<typeof startServer> | undefined} */
  server: undefined,
  /** The number of sessions that have not ended. */
  sessions: 0,
};

/**
 * Returns a running browser with these flags and fonts; if the browser has crashed, starts it again.
 *
 * @param {string[]} [flags]
 * @param {Fonts} [fonts]
 */
function browserWith(flags, fonts) {
  const key = JSON.stringify([flags, fonts]);
  const running = shared.browsers.get(key);
  if (running) return running;
  const starting = launch(flags, fonts);
  const forget = () => {
    if (shared.browsers.get(key) === starting) shared.browsers.delete(key);
  };
  shared.browsers.set(key, starting);
  starting.then((browser) => browser.on('disconnected', forget), forget);
  return starting;
}

async function startServer() {
  mkdirSync(OUT, { recursive: true });
  const built = await isBuilt();
  return { built, ...(await serve({ port: 0, root: built ? (await published()).root : undefined })) };
}

/** Returns the server, which serves the published files, or the sources if they are newer. */
const served = () => (shared.server ??= startServer());

/** Redirects requests for the published library to its sources. @param {BrowserContext} context */
const edited = (context) =>
  context.route(/\/web\/dist\/(nextpixel|element|define|words-\w+)\.js/, (route) => {
    const [, name] = /([\w-]+)\.js/.exec(new URL(route.request().url()).pathname) ?? [];
    const words = name.startsWith('words-');
    const source = words ? `element/words/${name.slice(6)}` : name === 'nextpixel' ? 'index' : name;
    return route.fulfill({
      contentType: 'text/javascript',
      body: words ? `export { default } from '../lib/${source}.js';` : `export * from '../lib/${source}.js';`,
    });
  });

async function stop() {
  const browsers = [...shared.browsers.values()];
  shared.browsers.clear();
  for (const browser of browsers) await (await browser).close();
  const server = await shared.server;
  shared.server = undefined;
  await server?.close();
}

/**
 * Starts a server and a browser for the tests of a file. Several files may share the server and the browser; both end after the tests of
 * the last of these files.
 *
 * @param {string[]} [flags]  flags of the browser
 * @param {Fonts} [fonts]
 */
export function session(flags, fonts) {
  shared.sessions++;
  before(served);
  after(() => (--shared.sessions > 0 ? undefined : stop()));

  /**
   * Opens a page in its own context, and closes it when `body` is done. The test fails if the page reports a problem, unless `complains` is
   * set.
   *
   * @param {(page: Page, complaints: Complaints) => Promise<void>} body
   * @param {BrowserContextOptions & { complains?: boolean }} [options]
   */
  async function withPage(body, { complains = false, ...options } = {}) {
    const [browser, { url, built }] = await Promise.all([browserWith(flags, fonts), served()]);
    const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, baseURL: url, ...options });
    context.setDefaultTimeout(30000); // long enough for a busy machine
    try {
      if (!built) await edited(context);
      const page = await context.newPage();
      /** @type {Complaints} */
      const complaints = [];
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(`${message.type()}: ${message.text()}`);
      });
      page.on('pageerror', (error) => complaints.push(`uncaught: ${error.stack ?? error}`));
      await page.exposeFunction('complain', (/** @type {string} */ text) => complaints.push(text));
      await page.addInitScript(() => {
        addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) => {
          /** @type {any} */ (globalThis).complain(`policy: ${violatedDirective} ${blockedURI} ${sample}`);
        });
      });
      await body(page, complaints);
      if (!complains) assert.deepEqual(complaints, []);
    } finally {
      await context.close();
    }
  }
  return { withPage };
}

/**
 * Answers a page's requests for `path` with `body`.
 *
 * @param {Page} page
 * @param {string} path
 * @param {Uint8Array | string} body
 * @param {{ type?: string, status?: number }} [options]
 */
export async function provide(page, path, body, { type = 'application/octet-stream', status = 200 } = {}) {
  await page.route(`**${path}`, (route) =>
    route.fulfill({
      status,
      contentType: type,
      body: typeof body === 'string' ? body : Buffer.from(body),
      headers: type.startsWith('text/html') ? { 'Content-Security-Policy': POLICY } : {},
    }),
  );
}

/** The address of an empty page with the site's strict content security policy; scripts in this page can import the library. */
export const EMPTY = '/web/empty.html';

/** @param {Page} page */
export async function openEmpty(page) {
  await provide(page, EMPTY, '<!doctype html><html lang="en"><meta charset="utf-8"><title>empty</title><body></body></html>', {
    type: 'text/html; charset=utf-8',
  });
  await page.goto(EMPTY);
}

/**
 * Returns the pixels of a PNG, decoded by the page.
 *
 * @param {Page} page
 * @param {Buffer} png
 * @returns {Promise<{ width: number, height: number, at: (x: number, y: number) => [number, number, number] }>}
 */
export async function decode(page, png) {
  const { width, height, data } = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const context = /** @type {OffscreenCanvasRenderingContext2D} */ (new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d'));
    context.drawImage(bitmap, 0, 0);
    const image = context.getImageData(0, 0, bitmap.width, bitmap.height);
    let text = '';
    for (let i = 0; i < image.data.length; i += 8192) text += String.fromCharCode(...image.data.subarray(i, i + 8192));
    return { width: image.width, height: image.height, data: btoa(text) };
  }, png.toString('base64'));
  const rgba = Buffer.from(data, 'base64');
  return {
    width,
    height,
    at(x, y) {
      const i = 4 * (Math.floor(y) * width + Math.floor(x));
      return [rgba[i], rgba[i + 1], rgba[i + 2]];
    },
  };
}

const WEB = fileURLToPath(new URL('../../web', import.meta.url));

/** Returns the addresses of all English pages, relative to web/: the front page and the pages in web/pages. */
export const everyPage = async () => ['', ...(await pagesOf(WEB)).map((name) => `pages/${name}/`)];

/** Returns the addresses of all pages in all languages, relative to web/. */
export const everyPageInEveryLanguage = async () => [...(await framedPages(WEB)).keys()].map((path) => path.replace('index.html', ''));

/** Time limit for a page's first figure. If all cores are busy, the photographs on the colour page take a minute. */
export const WAIT = { timeout: 180_000 };

/**
 * Waits until the run of a page's first figure has reached this phase, and returns the playback controls of the figure
 * (web/shell/run/transport.js). A figure that plays only on request counts as finished when it has a result.
 *
 * @param {Page} page
 * @param {'loaded' | 'done'} [phase]
 */
export const firstFigure = (page, phase = 'loaded') =>
  page
    .locator('figure')
    .first()
    .locator(
      phase === 'done'
        ? '[data-phase="done"], :has([data-result]:not(:empty)) [data-phase="ready"]'
        : '[data-phase]:not([data-phase="empty"])',
    )
    .first();

/**
 * Makes a change that restarts the first figure, and waits until the new run has begun. A short run may end between two polls of
 * waitForFunction(), so this function first installs an observer, which misses no change.
 *
 * @param {Page} page
 * @param {() => Promise<unknown>} change
 */
export async function runAnew(page, change) {
  const begun = await page.evaluateHandle(() => {
    const text = /** @type {HTMLElement} */ (document.querySelector('#run-text'));
    /** @type {Promise<void>} */
    const promise = new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        if (text.textContent === 'Run again') return;
        observer.disconnect();
        resolve();
      });
      observer.observe(text, { childList: true, characterData: true, subtree: true });
    });
    return { promise };
  });
  await change();
  await begun.evaluate(({ promise }) => promise);
}

/**
 * Resolves when the browser has painted the current state. Chromium sometimes stops painting a page for good, although the page's scripts
 * still run; then the promise rejects after 30 seconds.
 *
 * @param {Page} page
 */
export async function painted(page) {
  const done = await page.evaluate(
    () =>
      new Promise((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(true)));
        setTimeout(resolve, 30000, false);
      }),
  );
  if (!done) throw new Error(`the browser has not painted ${page.url()} for 30 seconds`);
}

/** @param {number} ms */
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Waits until an expression is true in the page. (waitForFunction() does not wait for a promise that its function returns.)
 *
 * @template T
 * @param {Page} page
 * @param {(given: T) => Promise<boolean>} predicate  runs in the page
 * @param {T} [given]
 */
export async function until(page, predicate, given) {
  for (let tries = 0; !(await page.evaluate(/** @type {any} */ (predicate), given)); tries++) {
    if (tries === 600) throw new Error(`still false after 30 seconds: ${predicate}`);
    await sleep(50);
  }
}
