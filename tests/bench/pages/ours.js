// SPDX-License-Identifier: MIT
// @ts-check

/** Measures nextpixel in two ways. Some functions call only the engine, through core.js, as the library's worker does. Other functions draw
 * complete pictures through the library. */

import { Core } from '../../../web/lib/engine/core.js';
import { load } from '../../../web/lib/index.js';
import { compile } from '../../../web/lib/workers/wasm.js';
import { bytesOf, turn, WARM_UP } from './common.js';

/** @import { AnyModel as Model } from '../../../web/lib/model/of-kind.js' */

const SETTINGS = { seed: 7n, temperature: 1, topK: 0, topP: 1 };
/** Number of positions that are drawn before a measurement in the same session, to warm up caches and branch prediction. */
const WARM = 8;

/** @param {number} count @param {number} values */
function known(count, values) {
  return Uint32Array.from({ length: count }, (_, i) => ((i * 2654435761) >>> 24) % values);
}

/** Starts the engine with one model. @param {{ wasm: string, model: string }} options */
export async function startCore({ wasm, model }) {
  const core = new Core(await compile(wasm), await bytesOf(model));
  const { span, values } = core.part;
  const ids = known(core.part.length * span, values);

  /**
   * Opens a session in which the values of the first `position` positions are given. Such positions are called "known positions".
   * @param {number} position
   * @param {number} samples
   * @param {boolean} [greedy]
   */
  const open = (position, samples, greedy = false) => {
    const session = core.openSession({ ...SETTINGS, samples, ...(greedy && { temperature: 0 }) });
    for (let from = 0; from < position; ) {
      const count = Math.min(position - from, core.sliceLimit(samples));
      core.put(session, ids.subarray(from * span, (from + count) * span), false);
      from += count;
    }
    return session;
  };
  const first = open(0, 1);
  core.draw(first, Math.min(WARM_UP, core.part.length));
  core.closeSession(first);
  /** @type {import('../../../web/lib/engine/sessions.js').Session | undefined} */
  let kept;

  return {
    positions: core.part.length,
    /** Returns milliseconds per step around a position, with all steps in one call. */
    time({ position = 0, steps = 1, samples = 1, greedy = false }) {
      const from = Math.max(0, Math.floor(position - steps / 2));
      const warm = Math.min(WARM, from);
      return turn(steps, () => {
        const session = open(from - warm, samples, greedy);
        if (warm) core.draw(session, warm);
        const start = performance.now();
        core.draw(session, steps);
        const ms = performance.now() - start;
        core.closeSession(session);
        return ms;
      });
    },
    /** Returns the time to the first generated token in milliseconds. The prompt has `length` tokens. */
    prompt({ length = 1 }) {
      return turn(1, () => {
        const session = core.openSession({ ...SETTINGS, samples: 1, temperature: 0 });
        const start = performance.now();
        core.put(session, ids.subarray(0, length), false);
        core.draw(session, 1);
        const ms = performance.now() - start;
        core.closeSession(session);
        return ms;
      });
    },
    /** Returns milliseconds per known position. The positions are read in groups of `columns`. */
    prefill({ position = 0, count = 1, columns = 1 }) {
      return turn(count, () => {
        const session = open(position - WARM, 1);
        core.put(session, ids.subarray((position - WARM) * span, position * span), false);
        const start = performance.now();
        for (let i = position; i < position + count; i += columns) {
          core.put(session, ids.subarray(i * span, (i + columns) * span), false);
        }
        const ms = performance.now() - start;
        core.closeSession(session);
        return ms;
      });
    },
    /** Returns milliseconds per position in the middle of a picture. All measurements use the same session, because the first half of a
     * large picture takes a long time to draw. */
    middle({ steps = 1, aligned = 1 }) {
      return turn(steps, () => {
        if (!kept || core.position(kept) + steps > core.part.length) {
          if (kept) core.closeSession(kept);
          kept = open(Math.floor(core.part.length / 2 / aligned) * aligned - aligned, 1);
          core.draw(kept, aligned);
        }
        const start = performance.now();
        core.draw(kept, steps);
        return performance.now() - start;
      });
    },
  };
}

/** Starts the engine with an audio model. @param {{ wasm: string, model: string }} options */
export async function startSound({ wasm, model }) {
  const core = new Core(await compile(wasm), await bytesOf(model));
  return {
    /** Returns milliseconds per sample in the middle of a sound. */
    sample({ steps = 1, warm = 1 }) {
      return turn(steps, () => {
        // The samples are given, not generated, so the sound cannot end during the measurement.
        const session = core.openSession({ ...SETTINGS, samples: 1 }, { length: warm + steps });
        core.put(session, new Uint32Array(warm).fill(128), false);
        const ids = known(steps, 256);
        const start = performance.now();
        for (let i = 0; i < steps; i++) core.put(session, ids.subarray(i, i + 1), true);
        const ms = performance.now() - start;
        core.closeSession(session);
        return ms;
      });
    },
  };
}

/** Starts the engine with a model that draws a picture in one pass from a latent. @param {{ wasm: string, model: string }} options */
export async function startPicture({ wasm, model }) {
  const core = new Core(await compile(wasm), await bytesOf(model));
  const label = Uint32Array.of(0);
  return {
    /** Returns the milliseconds per picture with one thread, including the time to open and close the session. */
    picture: () =>
      turn(1, () => {
        const start = performance.now();
        const session = core.openSession({ ...SETTINGS, samples: 1 });
        core.input(session, 'class', label);
        while (core.encode(session)) {
          /* continue with the next chunk */
        }
        core.result(session, 'image', 0, core.resultLength(session, 'image'));
        core.closeSession(session);
        return performance.now() - start;
      }),
  };
}

/**
 * Starts a shipped model through the library's public interface.
 *
 * @param {{ wasm: string, model: string }} options
 */
export async function startLibrary({ wasm, model }) {
  const loaded = /** @type {Model} */ (await load(model, { wasmUrl: wasm }));
  const { width, height, channels, verbs } = loaded.info;
  const completes = verbs.includes('complete');
  /** @type {OffscreenCanvas | undefined} */
  let picture;
  if (completes) {
    // The model completes a picture that it drew itself. Such a picture has typical values, on which the time of a step may depend.
    picture = new OffscreenCanvas(width, height);
    const blank = { data: new Uint8Array(width * height * channels), width, height };
    await loaded.complete(blank, { rows: 0, seed: 1 }).drawTo(/** @type {any} */ (picture));
  }
  return {
    info: { width, height, completes },
    /** Draws the lower half of a picture. Returns the time in milliseconds, and the number of pixels that are drawn per sample. */
    async half({ samples = 1 }) {
      let count = 0;
      const ms = await turn(1, async () => {
        count = 0;
        const start = performance.now();
        const run = lowerHalf(loaded, /** @type {OffscreenCanvas} */ (picture), samples);
        for await (const { values } of run) count += values.length;
        return performance.now() - start;
      });
      return { ms, pixels: count / samples / channels };
    },
    /** Draws pictures without input and returns the milliseconds per picture in two modes. The default mode uses speculative decoding if it
     * is faster; the other mode never uses speculative decoding. The share of correct drafts differs between pictures, so several pictures
     * are measured. They are the same in every round. The two modes alternate, because the speed of the machine changes from second to
     * second. */
    async ahead({ pictures = 4 }) {
      const parts = { with: 0, without: 0 };
      for (let seed = 1; seed <= pictures; seed++) {
        for (const way of seed % 2 ? /** @type {const} */ (['with', 'without']) : /** @type {const} */ (['without', 'with'])) {
          const start = performance.now();
          for await (const _ of loaded.generate({ seed, ...(way === 'without' && { lookAhead: false }) })) {
            /* the drawn values are not used */
          }
          parts[way] += (performance.now() - start) / pictures;
        }
      }
      return { parts };
    },
  };
}

/** @param {Model} model @param {OffscreenCanvas} picture @param {number} samples */
function lowerHalf(model, picture, samples) {
  return model.complete(/** @type {any} */ (picture), { samples, seed: 7 });
}

/** Loads a model with the library's default options, then closes it. @param {{ model: string }} options */
export async function startChoice({ model }) {
  /** @type {Model} */ (await load(model)).close();
  const files = performance
    .getEntriesByType('resource')
    .map(({ name }) => name)
    .filter((name) => name.endsWith('.wasm'));
  return {
    /** Returns the address of the wasm build that the library chose. This is the last wasm file that load() fetched. */
    wasm: () => files.at(-1),
  };
}
