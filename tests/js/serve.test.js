// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the server that `npm start` runs: content types, ranges, caching, and the security policy. The server must serve only its own
 * folders.
 */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { hostname, networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { framed, policy } from '../../web/tools/frame.js';
import { OF_PACKAGES, PAGE_PARTS, SAME_MS, sourcesOf } from '../../web/tools/fresh.js';
import { POLICY, serve } from '../../web/tools/serve.js';
import { ROOT, load, collect } from './helpers.js';

const digits = '0123456789';
/** @type {string} */
let root;
/** @type {Awaited<ReturnType<typeof serve>>} */
let server;

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'nextpixel-'));
  await mkdir(join(root, 'web', 'dist'), { recursive: true });
  await mkdir(join(root, 'web', 'empty'));
  await mkdir(join(root, 'weights'));
  await mkdir(join(root, 'build', 'found'), { recursive: true });
  const files = {
    'secret.txt': 'secret',
    'web/index.html': '<!doctype html>',
    'web/lib.js': 'x',
    'web/page.css': '',
    'web/dist/a.wasm': 'w',
    'web/a.json': '{}',
    'web/icon.svg': '<svg/>',
    'web/a.png': 'p',
    'web/a.ico': 'i',
    'web/a.webp': 'w',
    'web/a b%.js': 'y',
    'web/.hidden': 'h',
    'weights/a.gguf': digits,
    'web/UPPER.HTML': 'u',
    'web/odd': 'o',
    'build/mine.gguf': digits,
    'build/mine.json': '{}',
    'build/found/a.gguf': digits,
    'build/.hidden.gguf': 'h',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, name), text);
  await symlink(join(root, 'secret.txt'), join(root, 'web', 'out.txt'));
  await symlink(root, join(root, 'web', 'up'));
  await symlink(join(root, 'web', '.hidden'), join(root, 'web', 'shown.txt'));
  await symlink(join(root, 'web', 'lib.js'), join(root, 'web', 'inside.js'));
  await utimes(join(root, 'weights', 'a.gguf'), 1700000000.5, 1700000000.5);
  server = await serve({ port: 0, root });
});

after(async () => {
  await server.close();
  await rm(root, { recursive: true });
});

/**
 * Sends a request whose path is not normalised and may contain dots.
 *
 * @param {string} path
 * @param {{ method?: string, headers?: Record<string, string> }} [options]
 * @returns {Promise<{ status: number, headers: import('node:http').IncomingHttpHeaders, body: string }>}
 */
function ask(path, { method = 'GET', headers = {} } = {}) {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port: server.port, path, method, headers, agent: false }, (response) => {
      let body = '';
      response
        .setEncoding('latin1')
        .on('data', (chunk) => (body += chunk))
        .on('end', () => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
        });
    })
      .on('error', reject)
      .end();
  });
}

test('each file is sent with its content type', async () => {
  const types = {
    '/web/index.html': 'text/html; charset=utf-8',
    '/web/lib.js': 'text/javascript; charset=utf-8',
    '/web/page.css': 'text/css; charset=utf-8',
    '/web/dist/a.wasm': 'application/wasm',
    '/web/a.json': 'application/json; charset=utf-8',
    '/web/icon.svg': 'image/svg+xml',
    '/web/a.png': 'image/png',
    '/web/a.ico': 'image/x-icon',
    '/web/a.webp': 'image/webp',
    '/weights/a.gguf': 'application/octet-stream',
    '/web/UPPER.HTML': 'text/html; charset=utf-8',
    '/web/odd': 'application/octet-stream',
  };
  for (const [path, type] of Object.entries(types)) {
    const { status, headers } = await ask(path);
    assert.deepEqual([status, headers['content-type']], [200, type], path);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['content-security-policy'], type.startsWith('text/html') ? POLICY : undefined);
  }
  assert.match(
    POLICY,
    /default-src 'none'; script-src 'self' 'wasm-unsafe-eval' 'sha256-[^']{44}'; worker-src 'self' blob:; connect-src 'self'/,
  );
  assert.doesNotMatch(POLICY, /unsafe-inline|'unsafe-eval'|https?:/);
});

test('the front page is served', async () => {
  const { status, headers } = await ask('/');
  assert.deepEqual([status, headers.location], [302, '/web/']);
  assert.equal((await ask('/web/')).body, '<!doctype html>');
  assert.equal((await ask('/web/?x=1')).status, 200);
  assert.deepEqual([(await ask('/web?a=b')).status, (await ask('/web?a=b')).headers.location], [301, '/web/?a=b']);
  assert.equal((await ask('/web/a%20b%25.js')).body, 'y');
  assert.equal((await ask('/web/inside.js')).body, 'x', 'a link that stays inside');
});

test('range requests are answered', async () => {
  const get = /** @param {string} range */ (range) => ask('/weights/a.gguf', { headers: { range } });
  for (const [range, from, to] of /** @type {const} */ ([
    ['bytes=0-0', 0, 0],
    ['bytes=2-5', 2, 5],
    ['bytes=7-', 7, 9],
    ['bytes=5-99', 5, 9],
    ['bytes=-3', 7, 9],
    ['bytes=-99', 0, 9],
    ['bytes=0-9', 0, 9],
  ])) {
    const { status, headers, body } = await get(range);
    assert.deepEqual([status, body, headers['content-range']], [206, digits.slice(from, to + 1), `bytes ${from}-${to}/10`], range);
    assert.equal(headers['content-length'], String(to - from + 1));
  }
  for (const range of ['bytes=10-', 'bytes=10-12', 'bytes=-0']) {
    const { status, headers } = await get(range);
    assert.deepEqual([status, headers['content-range']], [416, 'bytes */10'], range);
  }
  for (const range of ['bytes=5-2', 'bytes=-', 'bytes=a-b', 'lines=0-1', 'bytes=0-1,3-4', 'bytes 0-1', 'bytes=-1-2', '']) {
    const { status, body } = await get(range);
    assert.deepEqual([status, body], [200, digits], range);
  }
  const {
    headers: { etag, 'last-modified': date },
  } = await ask('/weights/a.gguf');
  const conditional = /** @param {any} ifRange */ (ifRange) =>
    ask('/weights/a.gguf', { headers: { range: 'bytes=0-1', 'if-range': ifRange } });
  assert.equal((await conditional(etag)).status, 206);
  assert.equal((await conditional(date)).status, 206);
  assert.equal((await conditional('"other"')).status, 200);
  assert.equal(
    (await ask('/web/page.css', { headers: { range: 'bytes=0-' } })).status,
    416,
    'a range of an empty file cannot be satisfied',
  );
  assert.deepEqual([(await ask('/web/page.css')).status, (await ask('/web/page.css')).body], [200, '']);
});

test('a HEAD request gets the headers without a body', async () => {
  const { status, headers, body } = await ask('/weights/a.gguf', { method: 'HEAD' });
  assert.deepEqual([status, headers['content-length'], headers['accept-ranges'], body], [200, '10', 'bytes', '']);
  assert.deepEqual((await ask('/weights/none.gguf', { method: 'HEAD' })).body, '');
});

test('cached files are not sent again', async () => {
  const { headers } = await ask('/weights/a.gguf');
  const tag = String(headers.etag),
    date = String(headers['last-modified']);
  assert.equal(date, 'Tue, 14 Nov 2023 22:13:20 GMT');
  const status = async (/** @type {Record<string, string>} */ conditions) => (await ask('/weights/a.gguf', { headers: conditions })).status;
  assert.equal(await status({ 'if-none-match': tag }), 304);
  assert.equal(await status({ 'if-none-match': `"x", W/${tag}` }), 304);
  assert.equal(await status({ 'if-none-match': '*' }), 304);
  assert.equal(await status({ 'if-none-match': '"x"' }), 200);
  assert.equal(await status({ 'if-modified-since': date }), 304);
  assert.equal(await status({ 'if-modified-since': 'Tue, 14 Nov 2023 22:13:19 GMT' }), 200);
  assert.equal(await status({ 'if-modified-since': 'yesterday' }), 200);
  assert.equal(await status({ 'if-none-match': '"x"', 'if-modified-since': date }), 200, 'the tag decides');
  const fresh = await ask('/web/', { headers: { 'if-none-match': String((await ask('/web/')).headers.etag) } });
  assert.deepEqual([fresh.status, fresh.body, fresh.headers['content-security-policy']], [304, '', POLICY]);
  await writeFile(join(root, 'weights', 'a.gguf'), digits);
  assert.equal(await status({ 'if-none-match': tag }), 200, 'written anew');
});

test('only models that training wrote are served from build/', async () => {
  assert.deepEqual([(await ask('/build/mine.gguf')).status, (await ask('/build/mine.gguf')).body], [200, digits]);
  for (const path of ['/build/', '/build/mine.json', '/build/found/a.gguf', '/build/.hidden.gguf', '/build/none.gguf'])
    assert.equal((await ask(path)).status, 404, path);
});

test('nothing outside the folders is served', async () => {
  const paths = [
    '/secret.txt',
    '/web/../secret.txt',
    '/web/%2e%2e/secret.txt',
    '/web/%2E%2E%2Fsecret.txt',
    '/web/..%2fsecret.txt',
    '/weights/../../secret.txt',
    '/web/dist/../../secret.txt',
    '/../secret.txt',
    '/..',
    '/.',
    '/web/./index.html',
    '//secret.txt',
    '//web/index.html',
    '/web//index.html',
    '/web/out.txt',
    '/web/up/secret.txt',
    '/web/up/',
    '/web/.hidden',
    '/web/shown.txt',
    '/web/%2ehidden',
    '/package.json',
    '/web/empty/',
    '/web/none.js',
    '/web/lib.js/',
    '/web/lib.js/x',
    '/%77eb/../secret.txt',
    '/weights/',
    '/WEB/index.html',
  ];
  for (const path of paths) {
    const { status, body } = await ask(path);
    assert.deepEqual([status, body], [404, '404\n'], path);
  }
  for (const path of ['/web/%00', '/web/index.html%00.js', '/web/..%5csecret.txt', '/web/%', '/web/%ff', 'http://other/web/', '*']) {
    const { status } = await ask(path);
    assert.equal(status, 400, path);
  }
  assert.equal((await ask(`/web/${'a'.repeat(5000)}`)).status, 404);
});

test('a folder that is a symbolic link out of the root is not served', async () => {
  const other = await mkdtemp(join(tmpdir(), 'nextpixel-'));
  await symlink(join(root, 'weights'), join(other, 'weights'));
  await mkdir(join(other, 'web'));
  const second = await serve({ port: 0, root: other });
  try {
    assert.equal((await fetch(`${second.url}weights/a.gguf`)).status, 404);
  } finally {
    await second.close();
    await rm(other, { recursive: true });
  }
});

test('the server accepts only its own host names', async () => {
  const { port } = server;
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`])
    assert.equal((await ask('/web/', { headers: { Host: host } })).status, 200, host);
  for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1', `127.0.0.1:${port + 1}`, `localhost:${port}.evil.example`]) {
    assert.equal((await ask('/web/', { headers: { Host: host } })).status, 421, host);
  }
});

test('a request with two Host headers is refused', async () => {
  const { port } = server;
  const own = `127.0.0.1:${port}`;
  for (const hosts of [
    [own, own],
    [own, 'evil.example'],
    ['evil.example', own],
  ]) {
    const socket = connect(Number(port), '127.0.0.1');
    socket.end(`GET /web/ HTTP/1.1\r\n${hosts.map((host, i) => `${i ? 'HOST' : 'Host'}: ${host}\r\n`).join('')}Connection: close\r\n\r\n`);
    let text = '';
    for await (const chunk of socket) text += chunk;
    assert.match(text, /^HTTP\/1\.1 4(00|21) /, hosts.join());
  }
});

test('methods other than GET and HEAD are refused', async () => {
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
    const { status, headers } = await ask('/web/', { method });
    assert.deepEqual([status, headers.allow], [405, 'GET, HEAD']);
  }
});

test('the server continues after a client disconnects', async () => {
  await writeFile(join(root, 'weights', 'large.gguf'), new Uint8Array(8e6));
  await new Promise((resolve) => {
    const leaving = request({ host: '127.0.0.1', port: server.port, path: '/weights/large.gguf', agent: false }, (response) => {
      response.once('data', () => {
        leaving.destroy();
        resolve(undefined);
      });
    });
    leaving.on('error', () => {}).end();
  });
  assert.equal((await ask('/web/')).status, 200);
});

test('an occupied port is an error if it was requested', async () => {
  await assert.rejects(serve({ port: server.port, root }), { code: 'EADDRINUSE' });
});

test('bundled scripts are served; if their sources have changed, the sources are served', async () => {
  /** @type {Record<string, string>} */
  const sources = {
    'page-front.js': "import '../front/main.js';\n",
    ...Object.fromEntries(Object.entries(PAGE_PARTS).map(([name, path]) => [`${name}.js`, `export * from '../${path}';\n`])),
    'page-look-ahead.js': "import '../pages/look-ahead/main.js';\n",
  };
  const write = async (/** @type {string} */ name, /** @type {string} */ text) => {
    await writeFile(join(root, name), text);
    await new Promise((resolve) => {
      setTimeout(resolve, SAME_MS);
    });
  };
  for (const name of Object.keys(sources)) {
    await write(`web/dist/${name}`, 'the bundle');
    assert.equal((await ask(`/web/dist/${name}`)).body, 'the bundle', 'without sources');
  }
  for (const folder of ['front', 'lib', 'pages/look-ahead', 'pictures', 'shell'])
    await mkdir(join(root, 'web', folder), { recursive: true });
  await write('web/pages/look-ahead/main.js', 'one');
  await write('web/lib/index.js', 'two');
  for (const [name, source] of Object.entries(sources)) {
    const made = `web/dist/${name}`;
    const stale = await ask(`/${made}`);
    assert.equal(stale.body, source);
    assert.match(stale.headers['content-type'] ?? '', /^text\/javascript/);
    assert.equal(stale.headers['cache-control'], 'no-store');
    await write(made, `// ${await sourcesOf(join(root, 'web'))}\nthe bundle`);
    assert.match((await ask(`/${made}`)).body, /the bundle$/);
    for (const [changed, text] of [
      ['web/pages/look-ahead/main.js', `a file changed for ${name}`],
      [`web/lib/${name}`, ''],
    ]) {
      await write(changed, text);
      assert.equal((await ask(`/${made}`)).body, source, changed);
      await write(made, `// ${await sourcesOf(join(root, 'web'))}\nthe bundle`);
      assert.match((await ask(`/${made}`)).body, /the bundle$/, changed);
    }
  }
});

test('for a module that imports a package, the server sends the file of web/dist that contains the package', async () => {
  for (const folder of ['lib', 'shell', 'pages', 'front', 'pictures']) {
    for (const name of await readdir(join(ROOT, 'web', folder), { recursive: true })) {
      if (!name.endsWith('.js')) continue;
      const path = `${folder}/${name}`;
      const imported = (await readFile(join(ROOT, 'web', path), 'utf8')).match(/^(?:import|export)\b[^;]*? from '(?![./]|node:)[^']+';$/m);
      assert.equal(imported !== null, OF_PACKAGES.has(path), `${path}: ${imported?.[0]}`);
    }
  }
  const own = await serve({ port: 0 });
  try {
    for (const path of OF_PACKAGES.keys()) {
      const address = new URL(`web/${path}`, own.url);
      const response = await fetch(address);
      assert.equal(response.headers.get('content-type'), 'text/javascript; charset=utf-8');
      const [, to] = /^export \* from '(.*)';\n$/.exec(await response.text()) ?? assert.fail(path);
      const bundled = await (await fetch(new URL(to, address))).text();
      assert.doesNotMatch(bundled, /from ?"(?!\.\/)/, to);
      const [here, there] = [await import(`${ROOT}web/${path}`), await import(join(ROOT, 'web', path, '..', to))];
      assert.deepEqual(Object.keys(there), Object.keys(here), path);
    }
  } finally {
    await own.close();
  }
});

test('a page shows its current page.html in the shared frame', async () => {
  const folder = join(root, 'web/pages/fvsbn'); // this page is part of a course
  await mkdir(folder, { recursive: true });
  const source = (/** @type {string} */ title) =>
    [
      '---',
      `title: ${title}`,
      'description: A toy.',
      'takes: tokens',
      'contents:',
      '  #figure-toy The figure',
      'ways:',
      '  ../look-ahead/ Ahead',
      '---',
      '<h1>A toy</h1>',
      '<p class="deck">Of a page.</p>',
      '',
      '<figure id="figure-toy"></figure>',
      '<footer>',
      '<p>Ours.</p>',
      '</footer>',
      '',
    ].join('\n');
  await writeFile(join(folder, 'index.html'), 'an earlier build');
  assert.equal((await ask('/web/pages/fvsbn/')).body, 'an earlier build', 'without a page.html');
  await writeFile(join(folder, 'fvsbn.css'), '');
  await writeFile(join(folder, 'another.css'), '');
  await writeFile(join(folder, 'page.html'), source('one'));
  const { body, headers } = await ask('/web/pages/fvsbn/');
  assert.equal(headers['content-security-policy'], POLICY);
  assert.ok(body.includes(`content="${policy('https:')}"`));
  assert.match(body, /<title>nextpixel: one<\/title>/);
  assert.match(body, /<a class="skip" href="#figure-toy">/);
  assert.match(body, /href="fvsbn\.css">\n.*href="another\.css">\n.*src="\.\.\/\.\.\/dist\/page-fvsbn\.js"/);
  await rm(join(folder, 'index.html'));
  await writeFile(join(folder, 'page.html'), source('two'));
  for (const address of ['/web/pages/fvsbn/', '/web/pages/fvsbn/index.html', '/web/pages/fvsb%6e/']) {
    assert.match((await ask(address)).body, /<title>nextpixel: two<\/title>/);
  }
  const { etag = '' } = (await ask('/web/pages/fvsbn/')).headers;
  assert.equal((await ask('/web/pages/fvsbn/', { headers: { 'if-none-match': etag } })).status, 304);
  assert.deepEqual(
    [(await ask('/web/pages/fvsbn?x=1')).status, (await ask('/web/pages/fvsbn?x=1')).headers.location],
    [301, '/web/pages/fvsbn/?x=1'],
  );
  assert.equal((await ask('/web/pages/fvsbn/ko/')).status, 404, 'not in Korean yet');
  await writeFile(join(folder, 'page.ko.html'), source('three').replace(/takes: .*\n/, ''));
  await mkdir(join(root, 'web/front'), { recursive: true });
  assert.match((await ask('/web/pages/fvsbn/ko/')).body, /<html lang="ko">[^]*<title>nextpixel: three<\/title>/);
  assert.deepEqual(
    [(await ask('/web/pages/fvsbn/ko')).status, (await ask('/web/pages/fvsbn/ko')).headers.location],
    [301, '/web/pages/fvsbn/ko/'],
  );
  assert.match((await ask('/web/pages/fvsbn/')).body, /hreflang="ko" href="ko\/"/);
  await rm(join(folder, 'page.ko.html'));
  await mkdir(join(root, 'elsewhere'));
  await writeFile(join(root, 'elsewhere/page.html'), source('secret'));
  await symlink(join(root, 'elsewhere'), join(root, 'web/pages/out'));
  assert.equal((await ask('/web/pages/out/')).status, 404, 'a link that leads out of the folder');
  for (const [wrong, message] of /** @type {[string, RegExp][]} */ ([
    ['<h1>no facts</h1>', /toy\.html must begin with its facts/],
    [source('x').replace('title', 'titel'), /"titel: x" must begin with one of title, /],
    [source('x').replace('description: A toy.\n', ''), /has no description/],
    [source('x').replace('<footer>', ''), /end with a <footer>/],
    [source('x').replace(' id="figure-toy"', ''), /must have a <figure id/],
    [source('x').replace('<figure', '<p data-figure="figure-none"></p><figure'), /no figure with a figcaption whose id is "figure-none"/],
  ]))
    assert.throws(() => framed(wrong, { path: 'toy.html', name: 'toy', sheets: [] }), message);
  const numbered = (/** @type {string} */ text) =>
    framed(source('x').replace('<figure id="figure-toy"></figure>', text), { path: 'toy.html', name: 'fvsbn', sheets: [] });
  const figure = (/** @type {string} */ id) => `<figure id="figure-${id}"><figcaption id="c">Of ${id}.</figcaption></figure>`;
  const two = numbered(
    `<p>See <a data-figure="figure-two">the other one</a>.</p>${figure('one')}<figure id="figure-bare"></figure>${figure('two')}`,
  );
  for (const part of [
    '<a data-figure="figure-two">Figure 2</a>',
    '<figcaption id="c"><b>Figure 1.</b> Of one.',
    '<b>Figure 2.</b> Of two.',
  ])
    assert.ok(two.includes(part), part);
  assert.match(numbered(figure('one')), /<b>Figure\.<\/b> Of one\./, 'the only figure has no number');
  await rm(folder, { recursive: true });
});

/** @param {Record<string, string>} environment  @param {string[]} options */
function start(environment, ...options) {
  const child = spawn(process.execPath, [`${ROOT}web/tools/serve.js`, ...options], { env: { ...process.env, PORT: '', ...environment } });
  let text = '';
  /** @type {Promise<{ child: typeof child, text: string, code: number | null }>} */
  const said = new Promise((resolve) => {
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) resolve({ child, text, code: null });
    });
    child.stderr.on('data', (chunk) => (text += chunk));
    child.on('close', (code) => resolve({ child, text, code }));
  });
  return said;
}

test('npm start prints its address, and the library loads a model from this address', async () => {
  const { child, text } = await start({});
  const [url] = /http:\/\/127\.0\.0\.1:\d+\//.exec(text) ?? [''];
  assert.ok(url, text);
  assert.ok(Number(new URL(url).port) >= 8080);
  const model = await load(`${url}weights/digits.gguf`, { wasmUrl: `${url}web/dist/nextpixel.wasm` });
  assert.equal((await collect(model.generate({ chunkSize: 100 }))).values[0].length, 784);
  model.close();
  child.kill();
});

test('--help explains the options, and an unknown option is an error', () => {
  const run = (/** @type {string[]} */ ...args) =>
    spawnSync(process.execPath, [`${ROOT}web/tools/serve.js`, ...args], { encoding: 'utf8', timeout: 10000 });
  const { status, stdout, stderr } = run('--help');
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
  assert.match(stdout, /npm start[^]*--port 3000[^]*PORT=3000/);
  for (const [args, problem] of /** @type {[string[], RegExp][]} */ ([
    [['--prot', '3'], /Unknown option '--prot': .*--help/],
    [['3000'], /3000/],
    [['--port'], /--port/],
    [['--host', 'here'], /--host takes an address.*"here"/],
    [['--connect', 'huggingface.co'], /--connect takes .*"huggingface.co"/],
    [['--host', '192.0.2.1'], /192\.0\.2\.1 is not an address of this machine/],
  ])) {
    const { status, stderr } = run(...args);
    assert.equal(status, 1, args.join(' '));
    assert.match(stderr, problem);
    assert.equal(stderr.trim().split('\n').length, 1, stderr);
  }
});

test('npm start refuses an invalid port and an occupied port, both in PORT and in --port', async () => {
  for (const PORT of ['x', '-1', '65536', '80.5']) {
    const { text, code } = await start({ PORT });
    assert.deepEqual([code, /PORT must be/.test(text)], [1, true]);
    const option = await start({}, `--port=${PORT}`);
    assert.deepEqual([option.code, /--port must be/.test(option.text)], [1, true]);
  }
  const taken = createServer();
  await new Promise((resolve) => taken.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (taken.address());
  for (const { text, code } of [await start({ PORT: String(port) }), await start({ PORT: '0' }, '--port', String(port))]) {
    assert.deepEqual([code, text], [1, `nextpixel: port ${port} is taken: choose another with --port\n`]);
  }
  taken.close();
});

test('npm start: --host serves other machines and warns; without it there is no warning', async () => {
  const { child, text } = await start({ PORT: '0' });
  assert.doesNotMatch(text, /WARNING/);
  child.kill();
  const all = await serve({ port: 0, host: '0.0.0.0', root });
  for (const [name, status] of /** @type {[string, number][]} */ ([
    [`127.0.0.1:${all.port}`, 200],
    [`${hostname()}:${all.port}`, 200],
    [`${hostname()}.local:${all.port}`, 200],
    [`elsewhere.example:${all.port}`, 421],
  ])) {
    const asked = request({ host: '127.0.0.1', port: all.port, path: '/web/', headers: { host: name } });
    asked.end();
    const [response] = await once(asked, 'response');
    assert.equal(response.statusCode, status, name);
    response.resume();
  }
  await all.close();
  const outside = Object.values(networkInterfaces()).flatMap((all = []) =>
    all.filter(({ internal, family }) => !internal && family === 'IPv4'),
  );
  for (const args of [['--host', '0.0.0.0'], ['--host'], ['--host=0.0.0.0']]) {
    const shown = spawn(process.execPath, [`${ROOT}web/tools/serve.js`, ...args, '--port', '0'], { env: { ...process.env, PORT: '' } });
    let said = '';
    for await (const chunk of shown.stdout) if (/WARNING: every machine.*\n/.test((said += chunk))) break;
    assert.match(said, /http:\/\/127\.0\.0\.1:\d+\/[^]*WARNING: every machine/, args.join(' '));
    const [, port] = /127\.0\.0\.1:(\d+)/.exec(said) ?? [];
    for (const { address } of outside) {
      assert.ok(said.includes(`for other machines: http://${address}:${port}/\n`), said);
      assert.equal((await fetch(`http://${address}:${port}/web/`)).status, 200, address);
    }
    shown.kill();
  }
});
