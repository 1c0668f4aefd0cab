// SPDX-License-Identifier: MIT
// Manages the scene, a picture of 64 x 64 pixels. The visitor adds, moves, resizes and removes objects by mouse, touch or keyboard.
// @ts-check
import { MEDIA, PictureError, announce, byId, make, openPicture, phrase, takeFiles } from '../../shell/index.js';
import { centralSquare } from '../colour/square.js';
import { THINGS } from './emoji.js';

export const SIDE = 64;
/** Side of each drawing in emoji.png, in pixels. */
const TILE = 32;
const [LEAST, MOST, GROW] = [12, 44, 3];
const STEP = 2;
/** The initial objects: name, left, top, size. @type {[string, number, number, number][]} */
const FIRST = [
  ['cat', 5, 6, 26],
  ['red heart', 38, 8, 20],
  ['bicycle', 18, 34, 28],
];
/** A pointer movement by more than this many pixels is a drag. */
const SLACK = 6;

/**
 * @typedef {{ name: string, row: number, left: number, top: number, size: number, handle: HTMLButtonElement }} Placed  row: row of the
 *   drawing in emoji.png
 */

export function createScene() {
  const stage = byId('scene');
  /** @type {HTMLInputElement} */
  const unseen = byId('unseen');
  const said = byId('said');
  const sheet = new Image();
  const canvas = Object.assign(document.createElement('canvas'), { width: SIDE, height: SIDE });
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d', { willReadFrequently: true }));
  /** @type {Placed[]} */
  let placed = [];
  /** The visitor's own picture, which replaces the white background. @type {CanvasImageSource | undefined} */
  let own;
  /** @type {((busy: boolean) => void)[]} */
  const listeners = [];

  /** @param {boolean} busy  whether an object is being dragged */
  function changed(busy = false) {
    for (const { name, left, top, size, handle } of placed) {
      for (const [side, at] of Object.entries({ left, top, width: size, height: size }))
        handle.style.setProperty(side, `${(100 * at) / SIDE}%`);
      handle.setAttribute(
        'aria-label',
        phrase`${phrase(name)}, ${Math.round(left + size / 2)} from the left, ${Math.round(top + size / 2)} from the top, ${size} wide`,
      );
    }
    for (const listener of listeners) listener(busy);
  }

  /** Returns the pixels in the model's format, with three bytes per pixel. */
  function pixels() {
    context.globalCompositeOperation = 'source-over';
    context.fillStyle = '#fff';
    context.fillRect(0, 0, SIDE, SIDE);
    context.imageSmoothingQuality = 'high';
    if (own) context.drawImage(own, 0, 0, SIDE, SIDE);
    context.globalCompositeOperation = 'darken'; // a drawing's white margin covers nothing, as in training
    for (const { name, row, left, top, size } of placed)
      context.drawImage(sheet, THINGS.indexOf(name) * TILE, row * TILE, TILE, TILE, left, top, size, size);
    const { data } = context.getImageData(0, 0, SIDE, SIDE);
    return Uint8Array.from({ length: 3 * SIDE * SIDE }, (_, i) => data[4 * Math.floor(i / 3) + (i % 3)]);
  }

  /** @param {number} at @param {number} size */
  const within = (at, size) => Math.max(0, Math.min(SIDE - size, Math.round(at)));

  /** @param {string} name @param {number} [left] @param {number} [top] @param {number} [size] */
  function put(name, left, top, size = 24) {
    const handle = make('button', { type: 'button', class: 'handle' });
    const spot = left === undefined || top === undefined ? emptiest(size) : { left, top };
    /** @type {Placed} */
    const thing = { name, row: Number(unseen.checked), left: within(spot.left, size), top: within(spot.top, size), size, handle };
    placed.push(thing);
    stage.append(handle);
    handle.addEventListener('keydown', (event) => key(event, thing));
    handle.addEventListener('pointerdown', (event) => {
      if (event.button > 0) return;
      event.preventDefault();
      handle.focus();
      drag(event, thing);
    });
    changed();
    return thing;
  }

  /** Returns the position at which an object of this size has the least overlap with the other objects. @param {number} size */
  function emptiest(size) {
    let best = { left: 20, top: 20, cost: Infinity };
    for (let top = 2; top <= SIDE - size - 2; top += 4) {
      for (let left = 2; left <= SIDE - size - 2; left += 4) {
        const cost = placed.reduce(
          (sum, other) =>
            sum +
            Math.max(0, Math.min(left + size, other.left + other.size) - Math.max(left, other.left)) *
              Math.max(0, Math.min(top + size, other.top + other.size) - Math.max(top, other.top)),
          0,
        );
        if (cost < best.cost) best = { left, top, cost };
      }
    }
    return best;
  }

  /** @param {Placed} thing */
  function takeAway(thing) {
    const at = placed.indexOf(thing);
    placed.splice(at, 1);
    thing.handle.remove();
    (placed[Math.min(at, placed.length - 1)]?.handle ?? byId('things').querySelector('button'))?.focus();
    announce(phrase`The ${phrase(thing.name)} was removed.`);
    changed();
  }

  /** @param {KeyboardEvent} event @param {Placed} thing */
  function key(event, thing) {
    const step = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] }[event.key];
    const grow = { '+': GROW, '=': GROW, '-': -GROW, '−': -GROW }[event.key];
    if (event.key === 'Delete' || event.key === 'Backspace') takeAway(thing);
    else if (step) moveTo(thing, thing.left + step[0], thing.top + step[1]);
    else if (grow) {
      const size = Math.max(LEAST, Math.min(MOST, thing.size + grow));
      const off = (size - thing.size) / 2;
      thing.size = size;
      moveTo(thing, thing.left - off, thing.top - off);
    } else return;
    event.preventDefault();
  }

  /** @param {Placed} thing @param {number} left @param {number} top @param {boolean} [busy] */
  function moveTo(thing, left, top, busy) {
    thing.left = within(left, thing.size);
    thing.top = within(top, thing.size);
    changed(busy);
  }

  /** Converts a point of the window to pixels of the scene. @param {PointerEvent} event */
  function pointOf(event) {
    const box = stage.getBoundingClientRect();
    return {
      x: ((event.clientX - box.left) / box.width) * SIDE,
      y: ((event.clientY - box.top) / box.height) * SIDE,
      inside: event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom,
    };
  }

  /** Moves an object with the pointer until the pointer is released. @param {PointerEvent} event @param {Placed} thing */
  function drag(event, thing) {
    const from = pointOf(event);
    const [left, top] = [thing.left, thing.top];
    follow(
      event,
      (now) => moveTo(thing, left + now.x - from.x, top + now.y - from.y, true),
      () => changed(),
    );
  }

  /** @param {PointerEvent} event @param {(now: ReturnType<typeof pointOf>) => void} move @param {() => void} end */
  function follow({ pointerId }, move, end) {
    const stopper = new AbortController();
    const { signal } = stopper;
    window.addEventListener(
      'pointermove',
      (event) => {
        if (event.pointerId === pointerId) move(pointOf(event));
      },
      { signal },
    );
    for (const over of ['pointerup', 'pointercancel']) {
      window.addEventListener(
        over,
        (event) => {
          if (/** @type {PointerEvent} */ (event).pointerId !== pointerId) return;
          stopper.abort();
          end();
        },
        { signal },
      );
    }
  }

  function fillThings() {
    byId('things').replaceChildren(
      ...THINGS.map((name, at) => {
        const button = make('button', { type: 'button', class: 'thing', 'aria-label': phrase(name), title: phrase(name) });
        button.style.setProperty('background-position', `${(100 * at) / (THINGS.length - 1)}% ${unseen.checked ? 100 : 0}%`);
        let dragged = false;
        button.addEventListener('click', () => {
          if (!dragged) {
            put(name);
            announce(phrase`A ${phrase(name)} is on the scene.`);
          }
          dragged = false;
        });
        button.addEventListener('pointerdown', (event) => {
          dragged = false;
          if (event.pointerType === 'touch') return; // a touch may still turn out to be a scroll
          /** @type {Placed | undefined} */
          let thing;
          const [x, y] = [event.clientX, event.clientY];
          follow(
            event,
            (now) => {
              if (!thing && now.inside && Math.hypot(now.x - x, now.y - y) > SLACK) {
                thing = put(name, now.x - 12, now.y - 12);
                dragged = true;
              }
              if (thing) moveTo(thing, now.x - thing.size / 2, now.y - thing.size / 2, true);
            },
            () => changed(),
          );
        });
        return button;
      }),
    );
  }

  function clear() {
    for (const { handle } of placed) handle.remove();
    placed = [];
    own = undefined;
    said.textContent = '';
    changed();
  }

  let latest = 0;
  /**
   * Replaces the scene with the central square of a picture. If several calls overlap, only the last call has an effect.
   *
   * @param {File} picture
   */
  async function show(picture) {
    const mine = ++latest;
    try {
      const bitmap = await openPicture(picture);
      const middle = await centralSquare(bitmap, SIDE).finally(() => bitmap.close());
      if (mine !== latest) return;
      const square = Object.assign(document.createElement('canvas'), { width: SIDE, height: SIDE });
      square.getContext('2d')?.putImageData(middle, 0, 0);
      clear();
      own = square;
      said.textContent = phrase`This is the middle of your picture. The model knows only 120 nouns and scenes of emoji on white, and describes anything else with these words.`;
      changed();
    } catch (error) {
      if (mine === latest) said.textContent = error instanceof PictureError ? error.message : phrase`The picture cannot be read: ${error}`;
    }
  }

  byId('clear').addEventListener('click', () => {
    clear();
    announce(phrase`The scene is empty.`);
  });
  unseen.addEventListener('change', () => {
    for (const thing of placed) thing.row = Number(unseen.checked);
    fillThings();
    changed();
  });
  takeFiles(byId('figure-tell'), {
    input: byId('file'),
    medium: MEDIA.picture,
    take: (picture) => void show(picture),
    say: (sentence) => {
      said.textContent = sentence;
    },
  });
  fillThings();
  sheet.src = new URL('emoji.png', import.meta.url).href;
  const ready = sheet.decode().then(() => {
    for (const [name, left, top, size] of FIRST) put(name, left, top, size);
  });

  return {
    /** Resolves when the drawings have loaded. */
    ready,
    pixels,
    /** Returns whether the scene is empty. */
    get empty() {
      return placed.length === 0 && !own;
    },
    /** @param {(busy: boolean) => void} listener */
    onChange(listener) {
      listeners.push(listener);
    },
  };
}
