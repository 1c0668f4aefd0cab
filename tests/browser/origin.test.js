// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests a page that consists of one line of code and one element, and loads the published library from another origin. The page may have
 * a strict policy, or be in a sandboxed frame.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { singles } from '../../web/tools/single.js';
import { toyModel } from '../js/toy.js';
import { more } from '../more.js';
import { OUT, session } from './browser.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session();

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const toy = toyModel();
/** @type {Record<string, string>} */
const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.wasm': 'application/wasm' };

/** The servers of the page and of the library. @type {import('node:http').Server[]} */
let servers;
let own = '',
  cdn = '';
/** The response for own/ours.html. @type {{ body: string, policy?: string, isolated?: boolean }} */
let ours = { body: '' };
/** Whether the other origin allows the page to read the worker scripts. */
let consents = true;

/**
 * Returns the script of a worker that cannot start workers itself. The script calls load() and reports the result.
 *
 * @param {string} tell  code that sends the report
 */
const tells = (tell) => `import { load } from '/dist/nextpixel.js';
  const said = load('/toy.gguf').then((model) => [model.info.architecture], ({ code, message }) => [code, message]);
  ${tell}`;
/** @type {Record<string, string>} */
const WORKERS = {
  '/shared.js': tells('self.onconnect = async ({ ports: [port] }) => port.postMessage(await said);'),
  '/service.js': tells('self.onmessage = async ({ ports: [port] }) => port.postMessage(await said);'),
};

/** @param {(path: string, response: import('node:http').ServerResponse) => Promise<string | Uint8Array>} answer */
async function serve(answer) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://here');
    response.setHeader('Content-Type', TYPES[extname(pathname)] ?? 'application/octet-stream');
    const body = await answer(pathname, response).catch(() => undefined);
    if (body === undefined) response.statusCode = 404;
    response.end(body);
  });
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(undefined));
  });
  return server;
}

/** Returns a file of the library, a model file, or the library as one file. @param {string} path */
async function file(path) {
  if (path in WORKERS) return WORKERS[path];
  if (path === '/toy.gguf') return toy;
  if (path === '/sound.gguf') return readFile(`${ROOT}tests/golden/wavenet-tiny.gguf`);
  if (path === '/inline.js') return /** @type {string} */ ((await singles()).get('inline.js'));
  return readFile(`${ROOT}web${path}`);
}

/**
 * Returns the library as a bundler writes it: the worker script has another name, and only the code that starts the worker contains this
 * name.
 *
 * @param {string} name
 */
async function bundled(name) {
  if (name === 'assets/worker-Bf3k.js') return readFile(`${ROOT}web/dist/worker.js`);
  if (name === 'worker.js') throw new Error('no such file');
  const text = await readFile(`${ROOT}web/dist/${name}`);
  const start = /new Worker\(new URL\("\.\/worker\.js",\s*import\.meta\.url\)/;
  if (name !== 'shared.js') return text;
  assert.match(String(text), start);
  return String(text).replace(start, 'new Worker(new URL("assets/worker-Bf3k.js",import.meta.url)');
}

const originOf = (/** @type {import('node:http').Server} */ server) =>
  `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;

before(async () => {
  servers = [
    await serve(async (path, response) => {
      if (path.startsWith('/bundled/')) return bundled(path.slice('/bundled/'.length));
      if (path !== '/ours.html') return file(path);
      if (ours.isolated)
        response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp').setHeader('Cross-Origin-Opener-Policy', 'same-origin');
      if (ours.policy) response.setHeader('Content-Security-Policy', ours.policy);
      return `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>ours</title><body>${ours.body}</body></html>`;
    }),
    await serve(async (path, response) => {
      if (consents || !path.endsWith('worker.js')) response.setHeader('Access-Control-Allow-Origin', '*');
      return file(path);
    }),
  ];
  [own, cdn] = servers.map(originOf);
});

after(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/**
 * Opens a page of this test.
 *
 * @param {Page} page
 * @param {string} body
 * @param {string} [policy]
 * @param {boolean} [isolated]  whether the page is cross-origin isolated
 */
async function open(page, body, policy, isolated = false) {
  ours = { body, policy, isolated };
  await page.goto(`${own}/ours.html`);
}

const element = (/** @type {string} */ dist = 'dist/define.js') => `<script type="module" src="${cdn}/${dist}"></script>
  <next-pixel model="${cdn}/toy.gguf" task="generate" seed="1" autoplay controls></next-pixel>`;

/** Returns the final state of <next-pixel>. @param {Page | import('playwright-core').Frame} page */
async function outcome(page) {
  const status = page.locator('next-pixel [part=status]');
  await status.getByText(/^Drawn|[a-z] .*\./).waitFor();
  return status.textContent();
}

/** Returns the result of load() from the other origin. @param {Page} page @param {object} [options] @param {string} [dist] */
const loaded = (page, options = {}, dist = 'dist/nextpixel.js') =>
  page.evaluate(
    async ([library, given]) => {
      const { load } = await import(library);
      try {
        const model = await load(new URL('/toy.gguf', library).href, given);
        let count = 0;
        for await (const { values } of model.generate({ seed: 1 })) count += values.length;
        model.close();
        return count;
      } catch (error) {
        const { code, message } = /** @type {any} */ (error);
        return `${code}: ${message}`;
      }
    },
    /** @type {[string, object]} */ ([`${cdn}/${dist}`, options]),
  );

/** Returns the result of load() from the page's own copy of the library. @param {Page} page @param {string} [library] */
const ownLoaded = (page, library = '/dist/nextpixel.js') =>
  page.evaluate(async (address) => {
    const { load } = await import(address);
    try {
      (await load('/toy.gguf')).close();
      return 'loaded';
    } catch (error) {
      return /** @type {Error} */ (error).message;
    }
  }, library);

test('a page needs only one line of code and one element', () =>
  withPage(async (page) => {
    await open(page, element());
    assert.match((await outcome(page)) ?? '', /^Drawn: /);
    await page.screenshot({ path: `${OUT}origin.png` });
  }));

more('the sources, which are many modules, work in the same way', () =>
  withPage(async (page) => {
    await open(page, element('lib/define.js'));
    assert.match((await outcome(page)) ?? '', /^Drawn: /);
  }),
);

test('the library works in a sandboxed frame, where even reading `caches` throws', () =>
  withPage(async (page) => {
    await open(page, `<iframe sandbox="allow-scripts" srcdoc='${element()}' title="sandbox"></iframe>`);
    const [, frame] = page.frames();
    assert.equal(
      await frame.evaluate(() => {
        try {
          return typeof caches;
        } catch (error) {
          return /** @type {Error} */ (error).name;
        }
      }),
      'SecurityError',
    );
    assert.match((await outcome(frame)) ?? '', /^Drawn: /);
  }));

test('the library works under the strictest policy that can be written for it, with Trusted Types', () =>
  withPage(
    async (page, complaints) => {
      await open(
        page,
        '',
        `default-src 'none'; img-src data:; script-src ${cdn} 'wasm-unsafe-eval'; worker-src blob:; connect-src ${cdn}; ` +
          "require-trusted-types-for 'script'; trusted-types nextpixel",
      );
      assert.equal(await loaded(page), 64);
      // Before the library knows the policy, it tries to start its worker from the address of the worker script. This attempt causes one
      // report.
      assert.ok(
        complaints.every((text) => /Trusted|trusted/.test(text)),
        complaints.join('\n'),
      );
    },
    { complains: true },
  ));

test('Trusted Types work on a page of the same origin', () =>
  withPage(
    async (page) => {
      await open(page, '', "require-trusted-types-for 'script'; trusted-types nextpixel");
      assert.equal(
        await page.evaluate(async () => {
          const address = '/dist/nextpixel.js';
          const { load } = await import(address);
          (await load('/toy.gguf')).close();
          return 'loaded';
        }),
        'loaded',
      );
    },
    { complains: true },
  ));

test('Trusted Types work where a bundler has renamed the worker', () =>
  withPage(
    async (page) => {
      await open(page, '', "require-trusted-types-for 'script'; trusted-types nextpixel; worker-src 'self'");
      assert.equal(await ownLoaded(page, '/bundled/nextpixel.js'), 'loaded');
    },
    { complains: true },
  ));

test('if the name of the Trusted Types policy is taken, the error says what to allow, and not what is already allowed', () =>
  withPage(
    async (page) => {
      await open(page, '', "require-trusted-types-for 'script'; trusted-types nextpixel");
      await page.evaluate(() => /** @type {any} */ (globalThis).trustedTypes.createPolicy('nextpixel', {}));
      const said = await ownLoaded(page);
      assert.match(said, /trusted-types nextpixel 'allow-duplicates'/);
    },
    { complains: true },
  ));

test('on an isolated page whose worker is sent without the isolation header, the worker starts or the error names the header', () =>
  withPage(
    async (page) => {
      await open(page, '', undefined, true);
      assert.equal(await ownLoaded(page), 'loaded');
      await open(page, '', "worker-src 'self'", true);
      const said = await ownLoaded(page);
      assert.match(said, /worker\.js is sent without Cross-Origin-Embedder-Policy/);
      assert.doesNotMatch(said, /Content-Security-Policy/);
      await open(page, '', "worker-src 'none'", true);
      assert.match(await ownLoaded(page), /Add to it: worker-src 'self'/);
    },
    { complains: true },
  ));

test('with Trusted Types, load() accepts a worker address that the policy of the page has made', () =>
  withPage(async (page) => {
    await open(page, '', "require-trusted-types-for 'script'; trusted-types mine");
    assert.equal(
      await page.evaluate(async () => {
        const address = '/dist/nextpixel.js';
        const { load } = await import(address);
        const policy = /** @type {any} */ (globalThis).trustedTypes.createPolicy('mine', {
          createScriptURL: (/** @type {string} */ url) => url,
        });
        (await load('/toy.gguf', { workerUrl: policy.createScriptURL('/dist/worker.js') })).close();
        return 'loaded';
      }),
      'loaded',
    );
  }));

/**
 * Policies that forbid something, and the advice that the error must give.
 *
 * @type {[name: string, policy: () => string, advice: () => RegExp][]}
 */
const POLICIES = [
  ['no workers', () => "worker-src 'none'", () => /Content-Security-Policy.*Add to it: worker-src blob:/],
  ['only its own workers', () => "worker-src 'self'", () => /Add to it: worker-src blob:/],
  ['own connections alone', () => `connect-src 'self'`, () => new RegExp(`connect-src ${cdn}`)],
  ['no WebAssembly', () => `script-src ${cdn} 'unsafe-inline'`, () => /script-src 'wasm-unsafe-eval'/],
  [
    'Trusted Types of other names',
    () => "require-trusted-types-for 'script'; trusted-types other",
    () => /Add to it: trusted-types nextpixel/,
  ],
];
for (const [name, policy, advice] of POLICIES) {
  test(`if a policy forbids the worker (${name}), the error names the directive`, () =>
    withPage(
      async (page) => {
        await open(page, '', policy());
        const said = String(await loaded(page));
        assert.match(said, /^(network|wasm): /);
        assert.match(said, advice());
      },
      { complains: true },
    ));
}

test('if a policy of the same origin forbids the worker, the error names its directive', () =>
  withPage(
    async (page) => {
      await open(page, '', "worker-src 'none'");
      await assert.rejects(
        page.evaluate(async () => {
          const address = '/dist/nextpixel.js';
          await (await import(address)).load('/toy.gguf');
        }),
        /Add to it: worker-src 'self'/,
      );
    },
    { complains: true },
  ));

test('if the server does not allow the page to read the worker, the error names the missing header', () =>
  withPage(
    async (page) => {
      await open(page, '');
      consents = false;
      try {
        assert.match(String(await loaded(page)), /^network: .*worker\.js is of another origin.*Access-Control-Allow-Origin/);
      } finally {
        consents = true;
      }
    },
    { complains: true },
  ));

test('workerUrl and wasmUrl can name other addresses', () =>
  withPage(async (page) => {
    await open(page, '');
    /** @type {string[]} */
    const asked = [];
    page.on('request', (request) => asked.push(request.url()));
    assert.equal(await loaded(page, { workerUrl: '/dist/worker.js', wasmUrl: '/dist/nextpixel.wasm' }), 64);
    assert.deepEqual(asked.filter((url) => /worker\.js|\.wasm/.test(url)).sort(), [`${own}/dist/nextpixel.wasm`, `${own}/dist/worker.js`]);
  }));

test('a worker that the page started before it loaded the library is used, whatever messages it has sent', () =>
  withPage(async (page) => {
    await open(page, '');
    /** @type {string[]} */
    const asked = [];
    page.on('request', (request) => asked.push(request.url()));
    assert.equal(
      await page.evaluate(async () => {
        const worker = new Worker('/dist/worker.js', { type: 'module' });
        await new Promise((resolve) => {
          worker.onmessage = resolve;
        });
        worker.onmessage = null;
        const address = '/dist/nextpixel.js';
        const model = await (await import(address)).load('/toy.gguf', { worker });
        let count = 0;
        for await (const { values } of model.generate({ seed: 1 })) count += values.length;
        model.close();
        return count;
      }),
      64,
    );
    assert.equal(asked.filter((url) => url.endsWith('/worker.js')).length, 1);
  }));

/**
 * Plays a third of a second of sound after a click; returns the reports of playTo() and whether the AudioWorklet was used.
 *
 * @param {Page} page
 * @param {string} library
 */
async function heard(page, library) {
  await page.mouse.click(5, 5);
  return page.evaluate(
    async ([address, weights]) => {
      let worklets = 0;
      globalThis.AudioWorkletNode = class extends AudioWorkletNode {
        /** @param {any} context @param {string} name @param {AudioWorkletNodeOptions} [options] */
        constructor(context, name, options) {
          super(context, name, options);
          worklets++;
        }
      };
      const { load } = await import(address);
      const model = await load(weights);
      const context = new AudioContext({ sampleRate: 8000 });
      const run = model.generate({ label: 1, speaker: 0, seed: 4, seconds: 0.3 });
      const { seconds, over } = await run.playTo(context);
      const { length } = await run.samples();
      model.close();
      await context.close();
      return { worklets, over, whole: Math.round(8000 * seconds) === length && length > 0 };
    },
    [library, `${cdn}/sound.gguf`],
  );
}

test('under Trusted Types, the AudioWorklet plays a sound, and only the worker causes a report', () =>
  withPage(
    async (page, complaints) => {
      await open(
        page,
        '',
        `script-src ${cdn} 'wasm-unsafe-eval'; worker-src blob:; connect-src ${cdn}; require-trusted-types-for 'script'; trusted-types nextpixel`,
      );
      assert.deepEqual(await heard(page, `${cdn}/dist/nextpixel.js`), { worklets: 1, over: true, whole: true });
      assert.deepEqual(
        complaints.filter((text) => /player/.test(text)),
        [],
      );
    },
    { complains: true },
  ));

test('sound uses the AudioWorklet of the other origin, also in the single-file build, and uses audio buffers where a policy forbids the AudioWorklet', () =>
  withPage(
    async (page) => {
      await open(page, '', `script-src ${cdn} 'wasm-unsafe-eval'; worker-src blob:; connect-src ${cdn}`);
      assert.deepEqual(await heard(page, `${cdn}/dist/nextpixel.js`), { worklets: 1, over: true, whole: true });
      await open(page, '');
      assert.deepEqual(await heard(page, `${own}/inline.js`), { worklets: 1, over: true, whole: true });
      await open(page, '', `script-src ${own} 'wasm-unsafe-eval'; worker-src blob:`);
      assert.deepEqual(await heard(page, `${own}/inline.js`), { worklets: 0, over: true, whole: true });
    },
    { complains: true },
  ));

test('in a shared worker and in a service worker, load() says that no worker can be started there, and what to do', () =>
  withPage(async (page) => {
    await open(page, '');
    const said = await page.evaluate(async () => {
      const answer = (/** @type {MessagePort} */ port) =>
        new Promise((resolve) => {
          port.onmessage = ({ data }) => resolve(data);
        });
      const { port } = new SharedWorker('/shared.js', { type: 'module' });
      const shared = await answer(port);
      const registration = await navigator.serviceWorker.register('/service.js', { type: 'module' });
      const channel = new MessageChannel();
      const told = answer(channel.port1);
      (registration.installing ?? registration.waiting ?? registration.active)?.postMessage(0, [channel.port2]);
      const service = await told;
      await registration.unregister();
      return [shared, service];
    });
    const wanted = ['unsupported', 'A service or shared worker has no workers: load the model in a page'];
    assert.deepEqual(said, [wanted, wanted]);
  }));
