// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Opens every page in every browser. The first figure must be drawn, show the same picture as in the other browsers, and cause no error.
 * The pages are the front page and the pages of web/pages.
 */

import { createHash } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { isMade, pagesOf } from '../../web/tools/fresh.js';
import { writeSite } from '../../web/tools/site.js';
import { LOOK_MS, sleep } from './engine.js';

/** @import { Engine } from './engine.js' */

/**
 * The contents of the first figure of a page in one engine.
 *
 * @typedef {object} Sight
 * @property {string} page      folder of the page; '' for the front page
 * @property {string} engine
 * @property {{ name: string, size: string, hash: string, blank: boolean }[]} pictures  name: the picture's accessible name
 * @property {string[]} complaints
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/**
 * Time limits in milliseconds, on a machine with all cores busy: for the next change of a figure that is being drawn, and for the whole
 * figure. A slow machine may draw the many pictures of a figure for several minutes.
 */
const PATIENCE_MS = 120_000;
const LONGEST_MS = 900_000;
const WITNESS = '<script src="/web/engines/witness.js"></script>';

/**
 * Builds the site as it is published, and inserts the witness script into every page.
 *
 * @param {string} site
 * @returns {Promise<string[]>} the pages
 */
export async function stagePages(site) {
  if (!(await isMade(`${ROOT}web/dist/page-shell.js`))) throw new Error('the pages are not built: run ./build.sh js');
  await writeSite(site, { effort: 0 });
  cpSync(new URL('witness.js', import.meta.url), `${site}/web/engines/witness.js`);
  const pages = ['', ...(await pagesOf(`${site}/web`))];
  for (const page of pages) {
    const path = join(site, 'web', pathOf(page), 'index.html');
    const text = readFileSync(path, 'utf8');
    if (!text.includes('<head>')) throw new Error(`${path} has no <head> for the witness`);
    writeFileSync(path, text.replace('<head>', `<head>\n  ${WITNESS}`));
  }
  return pages;
}

/** Returns the path of a page below web/. @param {string} page */
const pathOf = (page) => (page ? `pages/${page}/` : '');
/** Returns a readable name of a page. @param {string} page */
export const nameOf = (page) => page || 'front page';

/**
 * Opens a page and waits until its first figure is drawn.
 *
 * @param {Engine} engine
 * @param {string} base  the address of the site
 * @param {string} page
 * @param {(png: Buffer) => void} [onPicture]  called with a screenshot once the figure is drawn
 * @param {number} [patience]  limit in milliseconds for the next change of the figure
 * @returns {Promise<Sight>}
 */
export async function see(engine, base, page, onPicture, patience = PATIENCE_MS) {
  const session = await engine.open(`${base}web/${pathOf(page)}`);
  const ask = async (/** @type {string} */ expression) => JSON.parse(String(await session.evaluate(`JSON.stringify(${expression})`)));
  try {
    /** @type {{ name: string, size: string, text: string }[] | null} */
    let shown = null;
    const begun = Date.now();
    let changed = begun; // when the figure last changed
    for (let known = 0; !shown && Date.now() - changed < patience && Date.now() - begun < LONGEST_MS; ) {
      const { drawn, changes } = await ask('{ drawn: globalThis.witness?.done() ?? null, changes: globalThis.witness?.changes() ?? 0 }');
      if (changes !== known) changed = Date.now();
      known = changes;
      shown = drawn;
      if (!shown) await sleep(LOOK_MS);
    }
    const seconds = (/** @type {number} */ since) => Math.round((Date.now() - since) / 1000);
    const complaints = await ask('globalThis.witness?.complaints ?? ["no witness"]');
    if (!shown) complaints.push(`not drawn after ${seconds(begun)} seconds, without a change for ${seconds(changed)}`);
    onPicture?.(await session.screenshot());
    const pictures = (shown ?? []).map(({ name, size, text }) => ({
      name,
      size,
      hash: createHash('sha256').update(text).digest('hex'),
      blank: new Set(text.split(/[; ]/)).size <= 2,
    })); // the text for a picture of a single colour has only one or two different parts
    return { page, engine: engine.name, pictures, complaints };
  } finally {
    await session.close();
  }
}

/**
 * Returns a message for each difference between engines and for each error.
 *
 * @param {string[]} pages
 * @param {string[]} engines
 * @param {Sight[]} sights
 * @returns {string[]}
 */
export function pageFaults(pages, engines, sights) {
  return pages.flatMap((page) => {
    const own = sights.filter((sight) => sight.page === page);
    const found = own.flatMap(({ engine, complaints }) => complaints.map((text) => `${nameOf(page)} in ${engine}: ${text}`));
    for (const engine of engines) {
      const sight = own.find((one) => one.engine === engine);
      if (!sight) found.push(`${nameOf(page)} in ${engine}: was not opened`);
      else if (sight.pictures.every(({ blank }) => blank)) found.push(`${nameOf(page)} in ${engine}: nothing is drawn`);
    }
    const [first, ...others] = own;
    for (const other of others) {
      const counts = [first, other].map(({ pictures }) => pictures.length);
      if (counts[0] !== counts[1]) found.push(`${nameOf(page)}: ${counts[0]} pictures in ${first.engine}, ${counts[1]} in ${other.engine}`);
      else {
        first.pictures.forEach(({ name, size, hash }, i) => {
          const { name: called, size: sized, hash: is } = other.pictures[i];
          if (hash !== is || size !== sized)
            found.push(`${nameOf(page)}: picture ${i + 1} ("${name}", ${size}) differs in ${other.engine} ("${called}", ${sized})`);
          else if (name !== called)
            found.push(`${nameOf(page)}: picture ${i + 1} is "${name}" in ${first.engine}, "${called}" in ${other.engine}`);
        });
      }
    }
    return found;
  });
}

/**
 * Returns a table with a row for each page and a column for each engine. A cell shows the beginning of the hash of the first figure's whole
 * content.
 *
 * @param {string[]} pages
 * @param {string[]} engines
 * @param {Sight[]} sights
 */
export function pageTable(pages, engines, sights) {
  const rows = [
    ['', 'pictures', ...engines],
    ...pages.map((page) => {
      const own = engines.map((engine) => sights.find((sight) => sight.page === page && sight.engine === engine));
      const cell = (/** @type {Sight | undefined} */ sight) =>
        sight
          ? createHash('sha256')
              .update(sight.pictures.map(({ hash }) => hash).join())
              .digest('hex')
              .slice(0, 8)
          : 'missing';
      return [nameOf(page), String(own.find(Boolean)?.pictures.length ?? 0), ...own.map(cell)];
    }),
  ];
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  return rows
    .map(
      (row) =>
        `${row
          .map((text, i) => text.padEnd(widths[i]))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
