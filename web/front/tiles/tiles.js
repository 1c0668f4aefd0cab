// SPDX-License-Identifier: MIT
// Runs the tiles. The tiles start one by one, and pause while they are out of view. Once the first drawing on the page has ended, the tiles
// with small models draw new outputs, one model at a time.
// @ts-check
import { byId, make, perFrame, reducedMotion } from '../../shell/page/dom.js';
import { phrase } from '../../shell/page/phrase.js';
import { acquire } from '../../shell/library.js';
import { weights } from '../../shell/model/weights.js';
import { onTheme } from '../../shell/picture/palette.js';
import { openTile } from './open.js';
import { TILES } from './list.js';
/** @import { Painter, Tile } from './stage.js' */

/** Delay between the starts of two tiles. With this delay, all nine tiles start within the first second. */
const APART_MS = 100;
/** Number of new outputs that each tile with a small model draws automatically. */
const TURNS = 3;
/** Pause before each of these outputs, in milliseconds. */
const REST_MS = 2500;
/** Address of the recorded outputs. If the outputs cannot be loaded, the tiles remain plain links. */
const RECORD = new URL('record.json', import.meta.url);

/**
 * @typedef {{ name: string, tile: Tile, root: HTMLAnchorElement, canvas: HTMLCanvasElement, paint?: Painter, from: number, seen: boolean, over: boolean }} Shown
 * from: start time; Infinity if the drawing has not started
 */

/**
 * @param {Promise<unknown>} first  promise of the first drawing on the page; until it resolves, that drawing should have the processor to
 *   itself
 */
export async function createTiles(first) {
  const root = byId('tiles');
  /** @type {Shown[]} */
  const shown = [...root.querySelectorAll('a')].map((link) => {
    const name = link.dataset.tile ?? '';
    return {
      name,
      tile: TILES[name],
      root: link,
      canvas: /** @type {HTMLCanvasElement} */ (link.querySelector('canvas')),
      from: Infinity,
      seen: true,
      over: false,
    };
  });
  const records = /** @type {Record<string, any>} */ (await (await fetch(RECORD)).json());
  const style = getComputedStyle(document.documentElement);
  const [sans, serif] = ['--sans', '--serif'].map((name) => style.getPropertyValue(name));
  let paused = false;
  /** Time at which the tiles were paused. The duration of a pause is added to the start times. */
  let stopped = 0;

  /** @param {Shown} one @param {number} share */
  function paint({ canvas, paint: painter }, share) {
    const { clientWidth: width, clientHeight: height } = canvas;
    const scale = Math.min(3, devicePixelRatio);
    const [wide, high] = [Math.round(width * scale), Math.round(height * scale)];
    if (canvas.width !== wide || canvas.height !== high) Object.assign(canvas, { width: wide, height: high });
    const context = canvas.getContext('2d');
    if (!context || !painter || width === 0) return;
    context.save();
    context.clearRect(0, 0, wide, high);
    context.scale(scale, scale);
    painter({ context, width, height, sans, serif }, share);
    context.restore();
  }
  /** @param {Shown} one @param {number} now */
  const shareAt = ({ from, tile }, now) => (reducedMotion() ? 1 : Math.min(1, Math.max(0, (now - from) / tile.ms)));

  let running = false;
  function frame() {
    const now = performance.now();
    let more = false;
    for (const one of shown) {
      if (one.over || !one.seen || now < one.from) {
        more ||= one.seen && !one.over && one.from < Infinity;
        continue;
      }
      const share = shareAt(one, now);
      paint(one, share);
      one.over = share === 1;
      more ||= !one.over;
    }
    running = more && !paused && !document.hidden;
    if (running) requestAnimationFrame(frame);
  }
  function proceed() {
    if (running || paused || document.hidden) return;
    running = true;
    requestAnimationFrame(frame);
  }
  const all = perFrame(() => {
    for (const one of shown) if (one.from <= performance.now()) paint(one, one.over ? 1 : shareAt(one, performance.now()));
  });

  /** @param {Shown} one @param {number} [after]  milliseconds */
  function play(one, after = 0) {
    one.from = performance.now() + after;
    one.over = false;
    proceed();
  }

  const { saveData = false, effectiveType = '4g' } =
    /** @type {{ connection?: { saveData?: boolean, effectiveType?: string } }} */ (navigator).connection ?? {};
  /**
   * Returns whether models may load automatically. Returns false if the connection is slow, or if the visitor saves data or prefers reduced
   * motion.
   */
  const unasked = () => !reducedMotion() && !saveData && effectiveType === '4g';
  const pause = make('button', { type: 'button', class: 'tiles-pause' }, phrase`Pause the tiles`);
  pause.hidden = reducedMotion();
  pause.addEventListener('click', () => {
    const now = performance.now();
    paused = !paused;
    pause.textContent = paused ? phrase`Start the tiles` : phrase`Pause the tiles`;
    if (paused) stopped = now;
    else for (const one of shown) one.from += now - stopped;
    proceed();
  });
  byId('tiles-foot').append(pause);

  for (const [i, one] of shown.entries()) {
    one.paint = one.tile.paint(records[one.name]);
    play(one, i * APART_MS);
    one.root.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      void openTile(one.root, one.tile, records[one.name]);
    });
    for (const kind of ['pointerenter', 'focus']) {
      one.root.addEventListener(kind, () => {
        if (one.over && !paused && !reducedMotion()) play(one);
      });
    }
  }
  const sight = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const one = shown.find(({ root: link }) => link === target);
      if (one) one.seen = isIntersecting;
    }
    proceed();
  });
  for (const { root: link } of shown) sight.observe(link);
  document.addEventListener('visibilitychange', proceed);
  new ResizeObserver(all).observe(root);
  onTheme(all);

  await first;
  const small = shown.filter(({ tile }) => tile.live);
  for (let turn = 0; turn < TURNS * small.length; turn++) {
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
    const one = small[turn % small.length];
    if (!unasked()) return;
    if (paused || document.hidden || !one.seen || !one.over || document.querySelector('dialog[open]')) continue;
    try {
      await drawAnew(one, turn);
    } catch {
      return; // if a drawing fails, the tiles keep their last pictures
    }
  }

  /** @param {Shown} one @param {number} turn */
  async function drawAnew(one, turn) {
    const { file, live } = one.tile;
    if (!live) return;
    const stopper = new AbortController();
    const { model, release } = await acquire(weights(file), { signal: stopper.signal });
    try {
      one.paint = await live(model, 100 + turn, stopper.signal);
      one.root.dataset.live = '';
      play(one);
    } finally {
      release();
    }
  }
}
