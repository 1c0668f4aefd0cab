// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Builds a page of the demo as a single HTML file that opens from disk, without a server: ./build.sh site --single PAGE. For pages opened
 * from disk (file:), browsers do not load modules, start workers or allow fetch(). The scripts are therefore bundled into one inline
 * module, and the worker starts from a Blob. Pictures, weights and wasm are embedded in the page as data.
 */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, extname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

import { weightsIn } from './course-files.js';
import { pageOf } from './frame.js';
import { PAGE_PARTS, PARTS_OF_PACKAGES, pagesOf } from './fresh.js';
import { LANGUAGES } from './languages.js';
import { legalComments } from './notices.js';
import { TYPES } from './serve.js';
import { filesInside } from './single.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const WEB = `${ROOT}web/`;
const WEIGHTS = `${ROOT}weights/`;

/** @param {string} path */
const dataAddress = async (path) => `data:${TYPES[extname(path)].replace(/; /, ';')};base64,${await readFile(path, 'base64')}`;

/** Returns the id of the element in which a weight file is embedded. @param {string} name */
const idOf = (name) => `data-${name.replace('.gguf', '')}`;

/**
 * Source code that replaces the module shell/model/weights.js. Its function weights() returns a blob: URL of the weights that are embedded
 * in the page.
 */
const WEIGHTS_INSIDE = `
  const addresses = new Map();
  export function weights(file) {
    let address = addresses.get(file);
    if (address) return address;
    const found = document.getElementById('data-' + file.replace('.gguf', ''));
    if (!found) throw new Error(file + ' is not in this page');
    const text = atob(found.textContent), bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    address = URL.createObjectURL(new Blob([bytes]));
    addresses.set(file, address);
    found.remove();
    return address;
  }`;

/**
 * Returns the modules to replace in a single-file page. A key is the path of a module in web/, and a value is a function that returns the
 * new source code of the module.
 *
 * @param {string | undefined} first  name of the page's first weight file
 */
const INSTEAD = (first) => ({
  'lib/threads-files.js': async () => 'export const threaded = () => undefined;',
  'lib/files.js': filesInside,
  'shell/model/weights.js': async () => WEIGHTS_INSIDE,
  'shell/model/first.js': async () => `
    import { weights as addressOf } from './weights.js';
    export const weights = ${first ? `{ href: addressOf(${JSON.stringify(first)}) }` : 'null'};
    export const takeWorker = () => undefined;
    for (const element of document.querySelectorAll('next-pixel[model]')) element.setAttribute('model', addressOf(element.getAttribute('model').split('/').at(-1)));`,
  'shell/page/offline.js': async () => 'export const workOffline = async () => {};',
  'shell/page/courses.js': async () => 'export const offerCourses = () => {}, refreshCourses = () => {};',
});

/** Replaces the addresses of files next to a module with data: URLs. @param {string} path  path of the module @param {string} text */
async function withData(path, text) {
  const folder = dirname(path);
  const addresses = [...text.matchAll(/new URL\((?:'([^']+)'|`([^`$]+)\$\{\w+\}`), import\.meta\.url\)/g)];
  for (const [found, file, start] of addresses) {
    const names = file
      ? [file]
      : (await readdir(join(folder, start))).filter((name) => /\.(png|json)$/.test(name)).map((name) => start + name);
    const data = await Promise.all(
      names.map(async (name) => [
        file ?? name.slice(start.length),
        existsSync(join(folder, name)) ? await dataAddress(join(folder, name)) : '',
      ]),
    );
    const key = file ? JSON.stringify(file) : /\{(\w+)\}/.exec(found)?.[1];
    text = text.replace(found, `new URL(${JSON.stringify(Object.fromEntries(data))}[${key}])`);
  }
  return text;
}

/**
 * Bundles the scripts of a page into one script.
 *
 * @param {string} name
 * @param {string | undefined} first  name of the page's first weight file
 */
async function scriptOf(name, first) {
  const instead = INSTEAD(first);
  const { outputFiles } = await build({
    absWorkingDir: WEB,
    stdin: {
      contents: `import './${PAGE_PARTS['page-start']}'; import './pages/${name}/main.js';`,
      resolveDir: WEB,
    },
    write: false,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    alias: PARTS_OF_PACKAGES,
    ignoreAnnotations: true,
    logLevel: 'warning',
    footer: { js: await legalComments() },
    plugins: [
      {
        name: 'inside',
        setup({ onLoad }) {
          onLoad({ filter: /[\\/]web[\\/](lib|shell|pages)[\\/].*\.js$/ }, async ({ path }) => {
            const name = relative(WEB, path);
            const other = /** @type {Record<string, () => Promise<string>>} */ (instead)[name];
            return { contents: other ? await other() : await withData(path, await readFile(path, 'utf8')), resolveDir: dirname(path) };
          });
        },
      },
    ],
  });
  return outputFiles[0].text;
}

/** @param {string} text  text of a script or style @returns {string} the hash of the text, as written in a Content-Security-Policy */
const hashOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Escapes a script for use in a script element, because the element would end at `</script`. @param {string} text */
export const inScript = (text) => text.replace(/<(?=\/script|!--)/gi, '\\x3c');
/** Escapes a style sheet for use in a style element. The space ends the CSS escape sequence. @param {string} text */
export const inStyle = (text) => text.replace(/<(?=\/style)/gi, '\\3c ');

/**
 * Builds one page as a single file.
 *
 * @param {string} name  name of the page's folder
 * @param {string | undefined} lang
 * @param {Map<string, string>} others  contents of the files of all pages, by path relative to web/
 * @returns {Promise<string>} its HTML
 */
async function singlePage(name, lang, others) {
  const path = `pages/${name}/${lang ? `${lang}/` : ''}index.html`;
  let html = /** @type {string} */ (await pageOf(WEB, path));
  const [, first] = /<link rel="preload"[^>]* href="[^"]*\/([\w-]+\.gguf)">/.exec(html) ?? [];
  const script = inScript(await scriptOf(name, first));
  const files = weightsIn(
    script + html,
    (await readdir(WEIGHTS)).filter((file) => file.endsWith('.gguf')),
  );
  const data = await Promise.all(
    files.map(async (file) => `<script type="text/plain" id="${idOf(file)}">${await readFile(WEIGHTS + file, 'base64')}</script>\n`),
  );
  const address = (/** @type {string} */ href) => posix.join(posix.dirname(path), href);
  const styles = await Promise.all(
    [...html.matchAll(/ *<link rel="stylesheet" href="([^"]+)">\n/g)].map(async ([, href]) => {
      const sheet = join(WEB, address(href));
      let text = await readFile(sheet, 'utf8');
      for (const [found, image] of text.matchAll(/url\(([\w./-]+)\)/g))
        text = text.replace(found, `url(${await dataAddress(join(dirname(sheet), image))})`);
      return inStyle(text);
    }),
  );
  const elsewhere = / connect-src 'self'([^;]*);/.exec(html)?.[1] ?? '';
  const allowed =
    `default-src 'none'; script-src ${hashOf(script)} 'wasm-unsafe-eval'; worker-src blob:; connect-src blob: data:${elsewhere}; ` +
    `img-src data: blob:; style-src ${styles.map(hashOf).join(' ')}; base-uri 'none'; form-action 'none'`;
  html = html
    .replace(/(<meta http-equiv="Content-Security-Policy" content=")[^"]*/, (_, start) => start + allowed)
    .replace(/ *<link rel="(preload|modulepreload|stylesheet|alternate)"[^>]*>\n/g, '')
    .replace(/ *<script (?:type="module"|src="[^"]*before\.js")[^>]*><\/script>\n/g, '')
    .replace(/ *<p class="figure-embed.*?<\/p>\n/g, '') // removes the embed buttons, because other people cannot open this file's address
    .replace(/<p id="from-file".*?<\/script>\n/s, '')
    .replace(/ *<link rel="manifest"[^>]*>\n| *<details class="take keep.*?<\/details>\n/gs, '')
    .replace('</head>', () => `${styles.map((text) => `<style>${text}</style>\n`).join('')}</head>`)
    .replace('</body>', () => `${data.join('')}<script type="module">${script}</script>\n</body>`);
  /** @type {Map<string, string>} */
  const images = new Map();
  for (const [, href] of html.matchAll(/<(?:img|link|next-pixel)\b[^>]* (?:src|href)="([\w./-]+\.(?:png|svg))"/g))
    images.set(href, await dataAddress(join(WEB, address(href))));
  return (
    html
      .replace(/<(?:img|link|next-pixel|a)\b(?=[^>]* (?:src|href)=")[^>]*>/g, (tag) =>
        tag.replace(/ (src|href)="([^"#]*)(#[^"]*)?"/, (all, attribute, href, hash = '') => {
          if (/^([a-z]+:|$)/.test(href)) return all;
          const image = images.get(href);
          if (image) return ` ${attribute}="${image}"`;
          const other = others.get(address(href));
          return other ? ` href="${other}${hash}"` : ' data-left-out';
        }),
      )
      // If a page is not written, links to it become plain text, and lines that contain only such links are removed.
      .replace(/<span><a data-left-out[^>]*>[^<]*<\/a><\/span> ?|^ *(?:<p>)?<a [^>]*data-left-out[^>]*>[^<]*<\/a>(?:<\/p>)?\n/gm, '')
      .replace(/^ *<nav class="ways"[^>]*>\s*<\/nav>\n/gm, '')
      .replace(/ data-left-out/g, '')
  );
}

/**
 * Writes each page as a single file per language: NAME.html, NAME.ko.html. Pages that are written together link to each other.
 *
 * @param {string} target  folder to write to
 * @param {string[]} names  names of pages, or `all` for every page
 */
export async function writeSingle(target, names) {
  const pages = await pagesOf(WEB);
  const chosen = names.includes('all') ? pages : names;
  for (const name of chosen)
    if (!pages.includes(name))
      throw new Error(`there is no page ${JSON.stringify(name)}: --single takes all or one of ${pages.join(', ')}`);
  const wanted = chosen.flatMap((name) =>
    [undefined, ...Object.keys(LANGUAGES)]
      .filter((lang) => existsSync(join(WEB, 'pages', name, `page${lang ? `.${lang}` : ''}.html`)))
      .map((lang) => ({ name, lang, file: `${name}${lang ? `.${lang}` : ''}.html` })),
  );
  const others = new Map(wanted.map(({ name, lang, file }) => [`pages/${name}/${lang ? `${lang}/` : ''}`, file]));
  await mkdir(target, { recursive: true });
  const written = [];
  for (const { name, lang, file } of wanted) {
    const html = await singlePage(name, lang, others);
    await writeFile(join(target, file), html);
    written.push({ file: join(target, file), bytes: Buffer.byteLength(html) });
  }
  return written;
}
