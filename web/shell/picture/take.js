// SPDX-License-Identifier: MIT
// Saves a picture of a figure as a PNG, or as an animated PNG that shows how the picture was drawn. Also copies a link that draws the same
// picture again.
// @ts-check
import { announce, blank } from '../library.js';
import { ownName } from '../model/own-file.js';
import { addressOf, showAddress } from '../page/address.js';
import { createButton } from '../page/button.js';
import { make } from '../page/dom.js';
import { fault } from '../page/fault.js';
import { phrase } from '../page/phrase.js';
import { encodeFilm, encodePng } from './png.js';
/** @import { Picture } from '../library.js' */
/** @import { Settings } from '../page/address.js' */

/** Approximate side of a saved picture, in pixels. */
const SIDE = 320;
/** FRAMES: maximum number of frames in an animation. The final frame stays longer than all other frames. */
const FRAMES = 96;
const FRAME_MS = 40;
const END_MS = 2000;

/**
 * @typedef {Object} Shot a picture that can be saved
 * @property {string} name name to show on the page
 * @property {string} file file name without its extension
 * @property {Picture} picture picture at the model's resolution; transparent where nothing is drawn
 * @property {number[]} order raster indices of the drawn pixels in the order of drawing; all other pixels were given
 */

/** Returns the picture on a white background. @param {Picture} picture */
function onPaper({ data, width, height }) {
  const copy = blank(width, height);
  copy.data.fill(255);
  for (let i = 0; i < data.length; i += 4) if (data[i + 3]) copy.data.set(data.subarray(i, i + 4), i);
  return copy;
}

/** @param {Picture} picture */
const scaleOf = ({ width, height }) => Math.max(1, Math.round(SIDE / Math.max(width, height)));

/** @param {Shot} shot */
const stillOf = ({ picture }) => encodePng(onPaper(picture), scaleOf(picture));

/** Returns an animation that draws the picture pixel by pixel. @param {Shot} shot */
function filmOf({ picture, order }) {
  const whole = onPaper(picture);
  const now = onPaper(picture);
  for (const pixel of order) now.data.fill(255, 4 * pixel, 4 * pixel + 4);
  const copy = () => ({ ...now, data: now.data.slice(), width: now.width, height: now.height });
  const frames = [{ picture: copy(), ms: 10 * FRAME_MS }];
  const each = Math.max(1, Math.ceil(order.length / FRAMES));
  for (let from = 0; from < order.length; from += each) {
    for (const pixel of order.slice(from, from + each)) now.data.set(whole.data.subarray(4 * pixel, 4 * pixel + 4), 4 * pixel);
    frames.push({ picture: copy(), ms: FRAME_MS });
  }
  frames[frames.length - 1].ms = END_MS;
  return encodeFilm(frames, scaleOf(picture));
}

/** @param {Uint8Array<ArrayBuffer>} bytes @param {string} name */
function save(bytes, name) {
  const url = URL.createObjectURL(new Blob([bytes], { type: 'image/png' }));
  make('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/**
 * @param {HTMLElement} root
 * @param {Object} figure
 * @param {string} figure.id
 * @param {() => Shot[]} figure.shots returns the current pictures
 * @param {boolean} [figure.films] whether the pictures have a drawing order to animate
 * @param {(shot: number) => Settings | null} figure.settings returns the settings that determine the pictures; null if an address cannot
 *   hold them
 */
export function createTake(root, { id, shots, settings, films = true }) {
  const still = createButton(phrase`PNG`, { icon: 'picture' }).button;
  const film = createButton(phrase`Animated PNG`, { icon: 'film' }).button;
  const link = createButton(phrase`Link`, { icon: 'link' }).button;
  const said = make('p', { class: 'take-said' });
  const choice = make('select', { id: `${id}-take`, 'aria-label': phrase`Which picture` });
  const box = make(
    'details',
    { class: 'take' },
    make('summary', {}, phrase`Save or share`),
    make('div', { class: 'take-tools' }, choice, still, ...(films ? [film] : []), link),
    said,
  );
  root.append(box);

  /** @param {string} text */
  function tell(text) {
    said.textContent = text;
    announce(text);
  }

  /** Updates the list of pictures. The selected entry stays selected. */
  function refresh() {
    const all = shots();
    const chosen = Math.max(0, choice.selectedIndex);
    choice.replaceChildren(...all.map(({ name }) => make('option', {}, name)));
    choice.selectedIndex = Math.min(chosen, all.length - 1);
    still.disabled = film.disabled = all.length === 0;
    return all;
  }
  const chosen = () => refresh()[choice.selectedIndex];

  box.addEventListener('toggle', refresh);
  choice.addEventListener('pointerdown', () => {
    if (!choice.options.length) refresh();
  });
  /** @param {HTMLButtonElement} button @param {(shot: Shot) => Promise<Uint8Array<ArrayBuffer>>} encode @param {string} kind */
  const saves = (button, encode, kind) =>
    button.addEventListener('click', async () => {
      const shot = chosen();
      if (!shot) return tell(phrase`Nothing is drawn yet.`);
      try {
        save(await encode(shot), `${shot.file}${kind}.png`);
        tell(phrase`Saved: ${shot.name}.`);
      } catch (error) {
        // for example, because the browser cannot compress data
        tell(phrase`This browser cannot create the file: ${fault(error)}.`);
      }
    });
  saves(still, stillOf, '');
  saves(film, filmOf, '-film');
  link.addEventListener('click', async () => {
    refresh();
    const all = settings(Math.max(0, choice.selectedIndex));
    const own = ownName() && root.closest('figure')?.matches(':has(+ #own-file)'); // whether the figure shows the visitor's own model
    if (!all || own) return tell(phrase`A link cannot include your own model. You can save the pictures.`);
    const address = addressOf(id, all);
    showAddress(address);
    const copied = await navigator.clipboard?.writeText(address).then(
      () => true,
      () => false,
    );
    tell(
      copied
        ? phrase`The link is copied. It draws exactly this picture.`
        : phrase`The link is in the address bar. It draws exactly this picture.`,
    );
  });
}
