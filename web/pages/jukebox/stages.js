// SPDX-License-Identifier: MIT
// Draws the first figure: a sound, its codes at two levels, and the sound decoded from each level. The visitor can play each sound and each
// code.
// @ts-check
import {
  MEDIA,
  acquireFirst,
  announce,
  byId,
  createLoading,
  createTransport,
  fault,
  make,
  deviceRefused,
  phrase,
  recorded,
  takeFiles,
} from '../../shell/index.js';
import { audio, hush, playSamples } from './audible.js';
import { createBars } from './bars.js';
import { readBook } from './book.js';
import { RECORDINGS } from './recordings.js';
import { samplesOf } from './levels.js';
import { createSurface, paintWave } from './surface.js';
/** @import { Model } from '../../shell/index.js' */
/** @import { Book, Level } from './book.js' */

/** @typedef {{ samples: Float32Array, top: Uint32Array, bottom: Uint32Array, from: Record<Level, Float32Array> }} Staged */

const LISTEN_MS = 1500;
const LEVELS = /** @type {const} */ (['top', 'bottom']);
const STAGES = /** @type {const} */ (['given', ...LEVELS]);
const SOUNDS = { given: phrase`The given sound`, top: phrase`From the top level alone`, bottom: phrase`From the bottom level` };

export function createStages() {
  const [choice, said, notes] = [byId('recording'), byId('stages-said'), byId('stages-note')];
  const [record, file] = [/** @type {HTMLButtonElement} */ (byId('record')), /** @type {HTMLInputElement} */ (byId('sound-file'))];
  /** @type {Model | undefined} */
  let model;
  /** @type {Staged | undefined} */
  let staged;
  /** @type {{ [L in Level]?: Book }} */
  const books = {};
  /** @type {Set<() => void>} */
  const listeners = new Set();
  let stopper = new AbortController();
  const cursors = { given: -1, top: -1, bottom: -1 };

  const waves = Object.fromEntries(
    STAGES.map((name) => [
      name,
      createSurface(byId(`wave-${name}`), (surface) => {
        const samples = name === 'given' ? staged?.samples : staged?.from[name];
        if (samples)
          paintWave(surface, samples, {
            most: staged?.from.bottom.length,
            cursor: cursors[name],
            ink: name === 'given' ? '--ink' : '--predicted',
          });
      }),
    ]),
  );
  const bars = Object.fromEntries(
    LEVELS.map((level) => [
      level,
      createBars(byId(`bars-${level}`), {
        onPick(at) {
          const book = books[level];
          const code = staged?.[level][at];
          if (!book || code === undefined || !model?.info.sampleRate) return;
          const { length = 0 } = staged?.[level] ?? {};
          said.textContent =
            level === 'top'
              ? phrase`Code ${at + 1} of ${length} of the top level is number ${code} of ${book.count}. The code represents ${book.hop} samples; here you hear it for longer.`
              : phrase`Code ${at + 1} of ${length} of the bottom level is number ${code} of ${book.count}. The code represents ${book.hop} samples; here you hear it for longer.`;
          void playSamples(book.sounds[code], model.info.sampleRate);
        },
      }),
    ]),
  );
  /** Plays a sound. Returns whether the whole sound was played. @param {'given' | Level} name @returns {Promise<boolean>} */
  async function hear(name) {
    const samples = name === 'given' ? staged?.samples : staged?.from[name];
    const rate = model?.info.sampleRate;
    if (!samples || !rate) return false;
    said.textContent = phrase`${SOUNDS[name]}: ${(samples.length / rate).toFixed(2)} s.`;
    return playSamples(samples, rate, (seconds) => {
      cursors[name] = seconds < 0 ? -1 : seconds * rate;
      waves[name]();
      if (name !== 'given') bars[name].cursor = seconds < 0 ? -1 : (seconds * rate) / (books[name]?.hop ?? 1);
    });
  }
  const buttons = Object.fromEntries(
    STAGES.map((name) => {
      const button = /** @type {HTMLButtonElement} */ (byId(`hear-${name}`));
      button.addEventListener('click', () => {
        void hear(name);
      });
      return [name, button];
    }),
  );
  const transport = createTransport(byId('stages-transport'), {
    name: 'stages',
    verb: phrase`Hear all three`,
    onStop: hush,
    async onRun() {
      transport.show('running');
      for (const name of STAGES) if (!(await hear(name))) break;
      transport.show(model ? 'done' : 'empty');
    },
  });

  /** @param {any} sound @param {string} what */
  async function stage(sound, what) {
    if (!model) return;
    stopper.abort();
    const { signal } = (stopper = new AbortController());
    said.textContent = ''; // the message is cleared before the work starts, so that no message of this run is lost
    try {
      const began = performance.now();
      const { top, bottom, heard } = await model.encode(sound, { signal });
      const coded = performance.now();
      const [fromTop, fromBottom] = [await model.decode({ top }, { signal }), await model.decode({ bottom }, { signal })];
      const { sampleRate: rate } = fromBottom;
      staged = { samples: heard.samples, top, bottom, from: { top: fromTop.samples, bottom: fromBottom.samples } };
      for (const level of LEVELS) bars[level].show(staged[level]);
      for (const paint of Object.values(waves)) paint();
      for (const button of Object.values(buttons)) button.disabled = false;
      const seconds = heard.samples.length / rate;
      notes.textContent = phrase`${what}, ${seconds.toFixed(2)} s: ${heard.samples.length} samples became ${top.length} codes of the top level and ${bottom.length} of the bottom level in ${Math.round(coded - began)} ms. Decoding these into samples took ${Math.round(performance.now() - coded)} ms. ${heard.said}`;
      byId('stages-result').textContent = `${[...top].join(' ')} | ${[...bottom].join(' ')}`;
      announce(notes.textContent);
      for (const tell of listeners) tell();
    } catch (error) {
      if (!signal.aborted) said.textContent = `${fault(error)}.`;
    }
  }

  const chosen = () => RECORDINGS[Number(/** @type {HTMLInputElement | null} */ (choice.querySelector('input:checked'))?.value ?? 0)];
  const stageChosen = () => {
    const { said: digit, speaker, levels } = chosen();
    return stage(
      { samples: samplesOf(levels), sampleRate: model?.info.sampleRate ?? 8000 },
      phrase`“${digit}” as ${speaker} said it, in a held-out recording`,
    );
  };
  choice.append(
    ...RECORDINGS.map(({ said: digit, speaker }, i) => {
      const input = make('input', { type: 'radio', name: 'recording', value: String(i) });
      input.checked = i === 0;
      return make('label', {}, input, make('span', {}, `${digit}, ${speaker}`));
    }),
  );
  choice.addEventListener('change', stageChosen);
  record.addEventListener('click', async () => {
    record.disabled = true;
    void audio().resume();
    try {
      await stage(
        await recorded(LISTEN_MS, () => {
          said.textContent = phrase`Speak now`;
        }),
        phrase`Your voice`,
      );
    } catch (error) {
      said.textContent = deviceRefused('microphone', error);
    } finally {
      record.disabled = !model;
    }
  });
  takeFiles(byId('figure-stages'), {
    input: file,
    medium: MEDIA.sound,
    take: (sound) => void stage(sound, sound.name),
    say: (sentence) => {
      said.textContent = sentence;
    },
  });

  const loading = createLoading(byId('load'), {
    acquire: async (options) => [await acquireFirst(options)],
    async onModels([loaded]) {
      model = loaded;
      record.disabled = file.disabled = false;
      transport.show('running');
      for (const tell of listeners) tell();
      try {
        await stageChosen();
        for (const level of LEVELS) {
          const book = await readBook(loaded, level);
          if (model !== loaded) return; // another model is shown now
          bars[level].book = books[level] = book;
        }
        transport.show('done');
        for (const tell of listeners) tell();
      } catch (error) {
        if (model === loaded) loading.failed(error);
      }
    },
    onLost() {
      model = undefined;
      record.disabled = file.disabled = true;
      transport.show('empty');
    },
  });
  return {
    loaded: loading.load(),
    get model() {
      return model;
    },
    get staged() {
      return staged;
    },
    books,
    /**
     * Registers a function that is called after each of these events: a model has loaded, a sound has been encoded and decoded at both
     * levels, the codebooks have been read.
     *
     * @param {() => void} tell
     */
    on(tell) {
      listeners.add(tell);
    },
  };
}
