// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the control "Keep this course on this device". The kept pages must work without a connection, in every language, and even after a
 * new release. The visitor can cancel the download, remove a kept course, and install the site.
 */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';

import { COURSES, idOf } from '../../web/front/courses.js';
import { LANGUAGES } from '../../web/tools/languages.js';
import { EVERY, longer } from '../more.js';
import { OUT, WAIT, firstFigure, session, sleep } from './browser.js';
import { isFilled, scrollThrough } from './checks.js';
import { published } from './published.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session();

const COURSE = COURSES[2]; // the smallest course, which has two pages
const PAGES = COURSE.steps.map(({ page }) => page);
const ID = idOf(COURSE.name);
/** @param {Page} page @param {string} [id] */
const box = (page, id = ID) => page.locator(`[data-course="${id}"]`);
/** @param {Page} page @param {string} [id] */
const said = (page, id) => box(page, id).locator('[role=status]');
/** Returns the number of files in every cache. @param {Page} page */
const counts = (page) =>
  page.evaluate(async () =>
    Promise.all(['nextpixel-courses', 'nextpixel-page', 'nextpixel'].map(async (name) => (await (await caches.open(name)).keys()).length)),
  );

/** @param {Page} page */
async function openBox(page) {
  await box(page).locator('summary').click();
  await said(page).filter({ hasText: '2' }).waitFor(WAIT);
}

/** @param {Page} page @param {string} [id] */
async function keepIt(page, id) {
  await box(page, id).getByRole('button', { name: 'Keep' }).click();
  await said(page, id).filter({ hasText: 'Kept: the course works' }).waitFor(WAIT);
}

longer(
  'every page of a kept course works without a connection, in every language, and the course can be removed',
  { timeout: 400000 },
  () =>
    withPage(
      async (page, complaints) => {
        const asked = /** @type {string[]} */ ([]);
        page.on('request', (request) => asked.push(request.url()));
        await page.goto(`/web/pages/${COURSE.steps[0].page}/`);
        await firstFigure(page).waitFor(WAIT);
        assert.deepEqual(
          asked.filter((url) => /page-keep|courses\.json/.test(url)),
          [],
          'nothing of it is loaded before the click',
        );
        await openBox(page);
        assert.match(
          await said(page).innerText(),
          /^2 pages with their translations: [\d.]+ MB of pages and scripts, [\d.]+ MB of models\.$/,
        );
        await box(page).screenshot({ path: `${OUT}keep-before.png` });
        await keepIt(page);
        await box(page).screenshot({ path: `${OUT}keep-after.png` });
        assert.deepEqual(complaints, []);

        await page.context().setOffline(true);
        for (const [i, { page: name }] of COURSE.steps.entries()) {
          if (i === 0 && !EVERY) continue; // this page was cached when it was visited, so testing it proves less
          const translated = Object.keys(LANGUAGES).filter((code) =>
            existsSync(new URL(`../../web/pages/${name}/page.${code}.html`, import.meta.url)),
          );
          // Each page is opened in one of its languages; ./build.sh test-sweep opens it in all of them.
          const all = ['', ...translated.map((code) => `${code}/`)];
          for (const lang of EVERY ? all : [all[i % all.length]]) {
            complaints.length = 0;
            await page.goto(`/web/pages/${name}/${lang}`);
            await firstFigure(page).waitFor(WAIT);
            await isFilled(page);
            await scrollThrough(page);
            // Without a connection, Chromium reports the failed requests that check whether a file has changed.
            assert.deepEqual(
              complaints.filter((text) => !/ERR_INTERNET_DISCONNECTED|ERR_FAILED/.test(text)),
              [],
              `${name}/${lang}`,
            );
          }
        }
        await page.goto('/web/');
        await firstFigure(page, 'done').waitFor(WAIT);
        await box(page).scrollIntoViewIfNeeded();
        await openBox(page);
        await page.screenshot({ path: `${OUT}keep-front.png` });
        assert.match(await said(page).innerText(), /^Kept: the course works/);

        await page.context().setOffline(false);
        await box(page).getByRole('button', { name: 'Remove' }).click();
        await said(page)
          .filter({ hasText: /^2 pages/ })
          .waitFor(WAIT);
        assert.equal(await page.evaluate(() => caches.has('nextpixel-courses')), false);
        const left = await page.evaluate(async () => (await (await caches.open('nextpixel')).keys()).map(({ url }) => url));
        assert.deepEqual(
          left.filter((url) => PAGES.some((name) => url.includes(name))),
          [],
        );
      },
      { complains: true },
    ),
);

test('keeping a course can be cancelled and continued; if there is no space or no connection, the page says so', { timeout: 300000 }, () =>
  withPage(
    async (page) => {
      await page.goto(`/web/pages/${PAGES[1]}/ko/`);
      await firstFigure(page).waitFor(WAIT);
      await openBox(page);
      const action = box(page).getByRole('button').first();
      await page.route('**/sagan-emoji-plain.gguf', () => {}); // the server never answers this request
      await action.click();
      await page.waitForFunction(() => Number(document.querySelector('.keep progress')?.getAttribute('value') ?? 0) > 0.5, undefined, WAIT);
      await action.click();
      await said(page).filter({ hasText: '취소했습니다' }).waitFor(WAIT);
      const [courses, files] = await counts(page);
      const stored = () =>
        page.evaluate(async () => {
          const all = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()));
          return all.flat().map(({ url }) => url.replace(/.*\//, ''));
        });
      assert.equal(courses, 1, 'the list of files that may be removed');
      assert.ok(files > 50, `${files}`);
      assert.ok(!(await stored()).includes('sagan-emoji-plain.gguf'), 'no file is stored in part');
      await sleep(500);
      assert.deepEqual((await counts(page)).slice(0, 2), [courses, files], 'nothing is stored after the end');

      await page.reload();
      await firstFigure(page).waitFor(WAIT);
      await openBox(page);
      await box(page).getByRole('button', { name: '지우기' }).click();
      await box(page)
        .getByRole('button', { name: '지우기' })
        .waitFor({ ...WAIT, state: 'hidden' });
      assert.equal((await counts(page))[0], 0);
      assert.ok((await counts(page))[1] < files / 2, 'the stored files of the course are gone');
      await action.click();
      await page.waitForFunction(() => Number(document.querySelector('.keep progress')?.getAttribute('value') ?? 0) > 0.5, undefined, WAIT);
      await action.click();
      await said(page).filter({ hasText: '취소했습니다' }).waitFor(WAIT);
      const kept = await stored();

      await page.unroute('**/sagan-emoji-plain.gguf');
      await page.route('**/sagan-emoji-plain.gguf', (route) => route.abort('internetdisconnected'));
      await action.click();
      await said(page).filter({ hasText: '서버에 연결되지 않았습니다' }).waitFor(WAIT);

      await page.unroute('**/sagan-emoji-plain.gguf');
      await page.route('**/sagan-emoji-plain.gguf', (route) => route.fulfill({ status: 503 }));
      await action.click();
      await said(page).filter({ hasText: 'sagan-emoji-plain.gguf 파일에 503으로 답했습니다' }).waitFor(WAIT);
      await page.unroute('**/sagan-emoji-plain.gguf');

      await page.evaluate(() => {
        const { put } = Cache.prototype;
        Cache.prototype.put = async () => {
          Cache.prototype.put = put;
          throw new DOMException('Unexpected internal error.', 'UnknownError');
        };
      });
      await action.click();
      await said(page).filter({ hasText: '브라우저에 오류가 났습니다. Unexpected internal error.' }).waitFor(WAIT);
      assert.ok(await box(page).getByRole('button', { name: '지우기' }).isVisible());

      await page.evaluate(() => {
        const { estimate } = StorageManager.prototype;
        StorageManager.prototype.estimate = async () => {
          StorageManager.prototype.estimate = estimate;
          return { quota: 10, usage: 0 };
        };
      });
      await action.click();
      await said(page).filter({ hasText: '공간이 모자랍니다' }).waitFor(WAIT);

      const fetched = /** @type {string[]} */ ([]);
      page.on('request', (request) => request.headers()['x-nextpixel-keep'] && fetched.push(request.url().replace(/.*\//, '')));
      await action.click();
      await said(page).filter({ hasText: '저장했습니다' }).waitFor(WAIT);
      assert.ok(fetched.includes('sagan-emoji-plain.gguf'));
      assert.deepEqual(
        fetched.filter((name) => name.endsWith('.gguf') && kept.includes(name)),
        [],
        'files that have arrived are not fetched again',
      );
    },
    { complains: true },
  ),
);

test(
  'the box says that it measures the course; if its script or the list of files is missing, it says why, keeps the Remove button, and tries again',
  {
    timeout: 120000,
  },
  () =>
    withPage(
      async (page) => {
        const button = (/** @type {string} */ name) => box(page).getByRole('button', { name, exact: true });
        let answer = () => {};
        const asked = new Promise((resolve) => {
          answer = () => resolve(undefined);
        });
        await page.route('**/page-keep*.js', (route) => route.abort('internetdisconnected'));
        await page.route('**/courses.json', async (route) => {
          await asked;
          await route.fulfill({ status: 500 });
        });
        await page.goto(`/web/pages/${PAGES[1]}/`);
        await firstFigure(page).waitFor(WAIT);
        await box(page).locator('summary').click();
        await said(page).filter({ hasText: 'Measuring the course' }).waitFor();
        await said(page).filter({ hasText: 'This needs a connection.' }).waitFor(WAIT);
        await page.unroute('**/page-keep*.js');
        await button('Try again').click();
        await said(page).filter({ hasText: 'Measuring the course' }).waitFor();
        answer();
        await said(page).filter({ hasText: 'The server answered 500 for courses.json.' }).waitFor(WAIT);
        assert.equal(await box(page).locator('[role=status]').count(), 1);

        // Even if the server fails, the box says that the course is kept, and its button removes the course.
        await page.evaluate(
          async ([id, url]) =>
            (await caches.open('nextpixel-courses')).put(
              new URL(`../../courses/${id}`, location.href),
              new Response(JSON.stringify({ release: 'old', files: [[url, 9, 'tag']] })),
            ),
          [ID, new URL('./', page.url()).href],
        );
        await page.unroute('**/courses.json');
        await page.route('**/courses.json', (route) => route.abort('internetdisconnected'));
        await button('Try again').click();
        await said(page)
          .filter({ hasText: 'There is no connection to the server. Kept: the course works without a connection. 1 page' })
          .waitFor(WAIT);
        await button('Remove').click();
        await button('Remove').waitFor({ state: 'hidden' });
        assert.equal(await page.evaluate(() => caches.has('nextpixel-courses')), false);
        assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Try again');
      },
      { complains: true },
    ),
);

test('after a new release, a kept course works until it is updated, and unchanged files are not fetched again', { timeout: 120000 }, () =>
  withPage(
    async (page) => {
      const { root } = await published();
      const worker = await readFile(join(root, 'web/sw.js'));
      const code = await readFile(
        join(root, `web/${(await readFile(join(root, 'web/index.html'), 'utf8')).match(/dist-[0-9a-f]{12}/)?.[0]}/page-keep.js`),
      );
      /** Whether the server stops sending a model file before its end. */
      let silent = false;
      /** The release of the site on the server. */
      let release = 1;
      /** The courses on the server, each with the name of its page. @type {Record<string, string>} */
      let site = { [ID]: 'one' };
      const folder = (/** @type {string} */ kind) => `${kind}-${String(release).repeat(12)}`;
      const asked = /** @type {string[]} */ ([]);
      const server = createServer((request, response) => {
        const { pathname } = new URL(request.url ?? '', 'http://here');
        asked.push(pathname);
        /** @param {string} type @param {string | Buffer} body */
        const send = (type, body) => response.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(body);
        if (pathname === '/sw.js') return send('text/javascript', worker);
        if (pathname.endsWith('page-keep.js')) return send('text/javascript', code);
        if (pathname === '/courses.json') {
          /** @param {string} page @returns {[string, number, string][]} */
          const filesOf = (page) => [
            [`pages/${page}/`, 9, `${page}${release}`],
            [`${folder('dist')}/a.js`, 9, `a${release}`],
            [`${folder('weights')}/same.gguf`, 9, 'same'],
            [`${folder('weights')}/other.gguf`, 9, `other${release}`],
          ];
          const courses = Object.fromEntries(Object.entries(site).map(([id, page]) => [id, { files: filesOf(page) }]));
          return send('application/json', JSON.stringify({ release: `r${release}`, courses }));
        }
        if (pathname.includes('-') && !pathname.includes(String(release).repeat(12))) return response.writeHead(404).end();
        if (pathname.endsWith('.js')) return send('text/javascript', `document.title = '${release}';`);
        if (pathname.endsWith('.gguf') && silent) return response.writeHead(200).write('the first bytes');
        if (pathname.endsWith('.gguf')) return send('application/octet-stream', `${pathname} ${release}`);
        send('text/html', `<!doctype html><link rel="icon" href="data:,"><title>0</title><script src="/${folder('dist')}/a.js"></script>`);
      });
      await new Promise((done) => {
        server.listen(0, '127.0.0.1', () => done(undefined));
      });
      const url = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
      /** Opens the box of a course. @param {string} [course] */
      const fill = (course = ID) =>
        page.evaluate(async (id) => {
          const address = '/dist/page-keep.js'; // the script finds other files relative to the folder above dist/
          const { fill } = await import(address);
          document.body.innerHTML = `<div class="keep" data-course="${id}"><p role="status"></p></div>`;
          await fill(document.querySelector('.keep'), document.querySelector('p'));
        }, course);
      const refresh = () =>
        page.evaluate(async () => {
          const address = '/dist/page-keep.js';
          await (await import(address)).refresh();
        });
      /** Takes the lock, as a page does while it stores a course. */
      const hold = () =>
        page.evaluate(
          () =>
            new Promise((held) => {
              void navigator.locks.request('nextpixel-courses', () => {
                held(undefined);
                return new Promise((free) => addEventListener('free', free, { once: true }));
              });
            }),
        );
      const letGo = () => page.evaluate(() => void dispatchEvent(new Event('free')));
      /** Returns the ids of the courses that are kept, or, with 'unfinished', of the courses whose download is unfinished. */
      const stored = (folder = 'courses') =>
        page.evaluate(
          async (start) =>
            (await (await caches.open('nextpixel-courses')).keys())
              .map(({ url: at }) => at.slice(location.origin.length))
              .filter((at) => at.startsWith(start))
              .map((at) => at.slice(start.length))
              .sort(),
          `/${folder}/`,
        );
      try {
        await page.goto(`${url}/pages/one/`);
        await page.evaluate(() => navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready));
        await page.reload();
        await fill();
        await keepIt(page);

        const older = await page.context().newPage();
        await older.goto(`${url}/pages/one/`);

        // With a connection, the new page is shown. Without a connection, the old page is shown with all its files, although weights of the
        // new release have already been requested.
        release = 2;
        await page.goto(`${url}/pages/one/`);
        assert.equal(await page.title(), '2');
        await page.evaluate(() => fetch('/weights-222222222222/other.gguf').then((answer) => answer.text()));
        await page.waitForTimeout(500);
        await page.context().setOffline(true);
        await page.goto(`${url}/pages/one/`);
        assert.equal(await page.title(), '1');
        const copies = () =>
          page.evaluate(async () =>
            (await (await caches.open('nextpixel')).keys()).map((request) => request.url.replace(location.origin, '')),
          );
        assert.deepEqual((await copies()).sort(), ['/weights-111111111111/other.gguf', '/weights-111111111111/same.gguf']);

        await page.context().setOffline(false);
        await page.goto(`${url}/pages/one/`);
        asked.length = 0;
        await refresh();
        assert.deepEqual(
          asked.filter((path) => path.endsWith('.gguf')),
          ['/weights-222222222222/other.gguf'],
          'the unchanged file is copied',
        );
        assert.equal((await copies()).length, 4, 'the page of the old release may need its weights');
        await older.close();
        await page.goto(`${url}/pages/one/`);
        await page.evaluate(() => fetch('/weights-222222222222/other.gguf').then((answer) => answer.text()));
        while ((await copies()).length > 2) await page.waitForTimeout(20);
        assert.deepEqual((await copies()).sort(), ['/weights-222222222222/other.gguf', '/weights-222222222222/same.gguf']);
        await page.context().setOffline(true);
        await page.goto(`${url}/pages/one/`);
        assert.equal(await page.title(), '2');

        // The site removes one course and renames another. The removed course stays on the device until the visitor removes it; the renamed
        // one keeps its pages.
        await page.context().setOffline(false);
        // A course whose pages are also in another course counts as removed, not as renamed.
        site = { 'course-a-dropped-one': 'two', 'course-b': 'one', 'course-c': 'three', 'course-d': 'three' };
        await page.goto(`${url}/pages/one/`);
        for (const id of ['course-a-dropped-one', 'course-c', 'course-d']) {
          await fill(id);
          await keepIt(page, id);
        }
        assert.deepEqual(await stored(), ['course-a-dropped-one', 'course-c', 'course-d', ID]);
        release = 3;
        site = { 'course-b': 'one', 'course-c': 'three' };
        await page.goto(`${url}/pages/one/`);
        asked.length = 0;
        await hold();
        const refreshed = refresh();
        while (!asked.includes('/courses.json')) await page.waitForTimeout(20);
        await page.waitForTimeout(200);
        release = 4; // a new release appears while the box waits for the lock
        await letGo();
        await refreshed;
        assert.deepEqual(
          [...new Set(asked.flatMap((path) => /weights-\d/.exec(path)?.[0] ?? []))],
          ['weights-4'],
          'no file of an earlier release',
        );
        assert.deepEqual(await stored(), ['course-a-dropped-one', 'course-b', 'course-c', 'course-d']);
        await fill('course-b');
        await said(page, 'course-b').filter({ hasText: 'Kept: the course works' }).waitFor();
        const dropped = box(page, 'course-b').getByText('“a dropped one” is also kept on this device');
        await dropped.waitFor();
        const removal = (/** @type {string} */ name) => page.getByRole('button', { name: `Remove “${name}”` });
        const cancel = box(page, 'course-b').getByRole('button', { name: 'Cancel' });
        const own = box(page, 'course-b').getByRole('button', { name: 'Remove', exact: true });
        await hold();
        for (const [button, name] of /** @type {const} */ ([
          [own, 'Remove'],
          [removal('a dropped one'), 'Remove “a dropped one”'],
        ])) {
          await button.click();
          await said(page, 'course-b').filter({ hasText: 'Waiting for another download or removal to end.' }).waitFor();
          for (const other of [own, removal('a dropped one'), removal('d')])
            assert.equal(await other.getAttribute('aria-disabled'), 'true');
          assert.equal(await page.evaluate(() => document.activeElement?.textContent), name, 'the focus stays');
          await removal('d').click({ force: true });
          await cancel.click();
          await said(page, 'course-b')
            .filter({ hasText: /^Cancelled\. Kept/ })
            .waitFor();
          await cancel.waitFor({ state: 'hidden' });
        }
        await removal('a dropped one').click();
        await said(page, 'course-b').filter({ hasText: 'Waiting for another download or removal to end.' }).waitFor();
        await letGo();
        await dropped.waitFor({ state: 'detached' });
        await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'status');
        assert.deepEqual(await stored(), ['course-b', 'course-c', 'course-d']);
        assert.equal(await page.evaluate(() => caches.match('/pages/two/', { cacheName: 'nextpixel-page' })), undefined);

        // No course can be removed while another one is being stored. If a new release appears meanwhile, the new release is stored.
        site = { ...site, 'course-e': 'five' };
        await fill('course-e');
        await hold();
        await box(page, 'course-e').getByRole('button', { name: 'Keep' }).click();
        await said(page, 'course-e').filter({ hasText: 'Waiting for another download or removal to end.' }).waitFor();
        assert.equal(await removal('d').getAttribute('aria-disabled'), 'true');
        release = 5;
        await letGo();
        await said(page, 'course-e').filter({ hasText: 'Kept: the course works' }).waitFor();
        await removal('d').click();
        await removal('d').waitFor({ state: 'detached' });
        await box(page, 'course-e').getByRole('button', { name: 'Remove', exact: true }).click();
        await box(page, 'course-e').getByRole('button', { name: 'Keep' }).waitFor();
        assert.deepEqual(await stored(), ['course-b', 'course-c']);
        assert.ok(await page.evaluate(() => caches.match('/pages/three/', { cacheName: 'nextpixel-page' }).then(Boolean)));
        await fill('course-b');
        await box(page, 'course-b').getByRole('button', { name: 'Remove', exact: true }).click();
        await box(page, 'course-b').getByRole('button', { name: 'Keep' }).waitFor();
        assert.deepEqual(await stored(), ['course-c']);

        // A stalled download ends after 30 seconds and no longer blocks other downloads; the same holds for a download of the next release.
        silent = true;
        await page.clock.install();
        for (release of [6, 7]) {
          let over = false;
          const stalled = refresh().then(() => {
            over = true;
          });
          while (!asked.some((path) => path.startsWith(`/weights-${release}`))) await page.waitForTimeout(20);
          await page.clock.fastForward(29000);
          await page.waitForTimeout(100);
          assert.equal(over, false);
          await page.clock.fastForward(2000);
          await stalled;
          assert.equal(await page.evaluate(async () => (await navigator.locks.query()).held?.length), 0);
          assert.deepEqual(await stored(), ['course-c']);
          assert.deepEqual(await stored('unfinished'), ['course-c'], 'the list of the files that have arrived');
        }

        // An unfinished download is deleted if it cannot be continued because its release was withdrawn or its course was removed.
        const scripts = () =>
          page.evaluate(async () => {
            const cache = await caches.open('nextpixel-page');
            return (await cache.keys()).map((request) => request.url).filter((at) => at.endsWith('.js'));
          });
        await page.evaluate(async () => {
          const file = `${location.origin}/dist-888888888888/x.js`;
          await (await caches.open('nextpixel-page')).put(file, new Response(''));
          await (await caches.open('nextpixel-courses')).put(
            '/unfinished/course-x',
            new Response(JSON.stringify({ unfinished: [[file, 9, 'x']] })),
          );
        });
        const names = ['/dist-666666666666/a.js', '/dist-777777777777/a.js', '/dist-888888888888/x.js'];
        for (const name of names) assert.ok((await scripts()).includes(url + name), name);
        release = 4;
        silent = false;
        await refresh();
        for (const name of names) assert.ok(!(await scripts()).includes(url + name), name);
        assert.deepEqual(await stored('unfinished'), []);
        assert.deepEqual(await stored(), ['course-c']);
      } finally {
        await page.context().setOffline(false);
        server.closeAllConnections();
        server.close();
      }
    },
    { complains: true },
  ),
);

test('the site can be installed, in each language', { timeout: 120000 }, () =>
  withPage(async (page) => {
    const devtools = await page.context().newCDPSession(page);
    for (const path of ['/web/', '/web/ko/', '/web/pages/sagan/ko/']) {
      await page.goto(path);
      const { url, errors, data = '' } = await devtools.send('Page.getAppManifest');
      assert.deepEqual(errors, []);
      const { icons, lang, start_url: start } = JSON.parse(data);
      assert.equal(lang, path.includes('ko/') ? 'ko' : 'en');
      assert.equal((await page.request.get(new URL(start, url).href)).status(), 200);
      for (const { src, sizes, type } of icons) {
        const answer = await page.request.get(new URL(src, url).href);
        assert.deepEqual([answer.status(), answer.headers()['content-type']], [200, type]);
        if (type === 'image/png') {
          const head = await answer.body();
          assert.equal(`${head.readUInt32BE(16)}x${head.readUInt32BE(20)}`, sizes);
        }
      }
      const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors');
      // In Playwright's contexts, which are private windows, the full Chromium reports exactly one obstacle to installation, the private
      // window itself. The headless shell does not report this obstacle.
      assert.deepEqual(
        installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito'),
        [],
      );
    }
  }),
);
