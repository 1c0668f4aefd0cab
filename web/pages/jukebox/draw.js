// SPDX-License-Identifier: MIT
// Draws a digit in a speaker's voice. The top prior samples the top-level codes and the bottom prior samples the bottom-level codes.
// The decoder turns the codes into sound, which is played while more codes are sampled. For comparison, WaveNet can draw the same digit.
// @ts-check
import { acquire, announce, byId, createTransport, fault, make, phrase, weights } from '../../shell/index.js';
import { audio, hush } from './audible.js';
import { createBars } from './bars.js';
import { createSurface, paintWave } from './surface.js';
/** @typedef {ReturnType<typeof import('./stages.js').createStages>} Stages */

const SECONDS = 1;
const SEED = 4;

/** @param {Stages} stages */
export function createDraw(stages) {
  const [digits, said] = [byId('digit'), byId('draw-said')];
  /** @type {HTMLSelectElement} */
  const speaker = byId('speaker');
  /** @type {HTMLInputElement} */
  const from = byId('goes-on');
  /** @type {HTMLButtonElement} */
  const other = /** @type {any} */ (byId('wavenet'));
  /** @type {HTMLAnchorElement} */
  const file = byId('file');
  /** @type {Float32Array[]} */
  let parts = [];
  let [most, cursor] = [0, -1];
  /** @type {Record<'top' | 'bottom', number[]>} */
  let codes = { top: [], bottom: [] };
  let stopper = new AbortController();
  const bars = { top: createBars(byId('drawn-top')), bottom: createBars(byId('drawn-bottom')) };
  const wave = createSurface(byId('drawn-wave'), (surface) => {
    const samples = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
      samples.set(part, at);
      at += part.length;
    }
    paintWave(surface, samples, { most, cursor });
  });
  const transport = createTransport(byId('transport'), {
    name: '',
    seed: SEED,
    onSeed: () => start(true),
    pace: true,
    onRun: () => start(true),
    onStop: () => {
      stopper.abort();
      transport.show(stages.model ? 'ready' : 'empty');
    },
  });

  function ready() {
    const { model, books } = stages;
    if (!model) return transport.show('empty');
    if (digits.childElementCount === 1) {
      const { classes, speakers = [] } = model.info;
      digits.append(
        ...classes.map((name) => {
          const input = make('input', { type: 'radio', name: 'digit', value: name });
          input.checked = name === '7';
          return make('label', {}, input, make('span', {}, name));
        }),
      );
      speaker.replaceChildren(
        ...speakers.map((name) => make('option', { value: name }, name)),
        make('option', { value: '' }, phrase`any voice`),
      );
      speaker.value = 'jackson';
      speaker.disabled = false;
      transport.show('ready');
    }
    for (const level of /** @type {const} */ (['top', 'bottom'])) if (books[level]) bars[level].book = books[level];
    from.disabled = !stages.staged;
    other.disabled = false;
  }
  const chosen = () => /** @type {HTMLInputElement | null} */ (digits.querySelector('input:checked'))?.value;

  /** @param {boolean} aloud */
  async function start(aloud) {
    stopper.abort();
    hush();
    const { model, staged } = stages;
    if (!model) return;
    const { signal } = (stopper = new AbortController());
    transport.show('running');
    file.hidden = true;
    said.textContent = phrase`Drawing`;
    const began = performance.now();
    const options = { label: chosen(), speaker: speaker.value || undefined, seconds: SECONDS, seed: transport.seed, signal };
    const half = from.checked && staged ? staged.samples.slice(0, staged.samples.length >> 1) : undefined;
    try {
      const run = /** @type {any} */ (
        half ? model.complete({ samples: half, sampleRate: model.info.sampleRate ?? 8000 }, options) : model.generate(options)
      );
      const heard = aloud ? hear(run, signal) : Promise.resolve('');
      heard.catch(() => {});
      [codes, parts] = [{ top: [], bottom: [] }, []];
      let [first, drawn] = [0, 0];
      for await (const step of run) {
        most = run.most;
        if (step.level === 'sound') {
          first ||= performance.now() - began;
          parts.push(step.samples);
          drawn = step.to;
          wave();
        } else {
          const { level } = /** @type {{ level: 'top' | 'bottom' }} */ (step);
          codes[level].push(...step.codes);
          bars[level].show(codes[level], level === 'top' ? most / (stages.books.top?.hop ?? 64) : codes.top.length * 4);
        }
      }
      const took = (performance.now() - began) / 1000;
      most = drawn;
      for (const level of /** @type {const} */ (['top', 'bottom'])) bars[level].show(codes[level]);
      wave();
      const seconds = drawn / (model.info.sampleRate ?? 1);
      byId('result').textContent = `${codes.top.join(' ')} | ${codes.bottom.join(' ')}`;
      transport.say(
        drawn === 0
          ? ''
          : phrase`${seconds.toFixed(2)} s of sound in ${took.toFixed(2)} s, playback could start after ${Math.round(first)} ms`,
      );
      said.textContent =
        drawn === 0
          ? phrase`It ended immediately: try another seed.`
          : `${phrase`${codes.top.length} codes of the top level, ${codes.bottom.length} of the bottom level, ${seconds.toFixed(2)} s of sound.`}${await heard}`;
      if (signal.aborted) return;
      if (file.href) URL.revokeObjectURL(file.href);
      file.href = URL.createObjectURL(await run.wav());
      file.download = `${options.label ?? 'sound'}-${transport.seed}.wav`;
      file.hidden = drawn === 0;
      transport.show('done');
      announce(said.textContent);
    } catch (error) {
      if (signal.aborted) return; // a newer run has aborted this one, and sets the buttons itself
      transport.show('ready');
      said.textContent = `${fault(error)}.`;
    }
  }

  /**
   * Plays a run. Returns a message if the playback failed or had gaps, otherwise ''.
   * @param {any} run
   * @param {AbortSignal} signal
   * @returns {Promise<string>}
   */
  async function hear(run, signal) {
    try {
      const { gaps } = await run.playTo(audio(), {
        signal,
        onPlay: (/** @type {{ seconds: number, over: boolean }} */ { seconds, over }) => {
          cursor = over ? -1 : seconds * run.sampleRate;
          wave();
        },
      });
      return gaps === 0
        ? ''
        : ` ${gaps === 1 ? phrase`Your device was too slow to play without interruption: 1 gap.` : phrase`Your device was too slow to play without interruption: ${gaps} gaps.`}`;
    } catch (error) {
      return signal.aborted ? '' : ` ${phrase`The sound cannot be played: ${fault(error)}.`}`;
    } finally {
      cursor = -1;
      wave();
    }
  }

  digits.addEventListener('change', () => start(true));
  speaker.addEventListener('change', () => start(true));
  from.addEventListener('change', () => start(true));
  other.addEventListener('click', async () => {
    stopper.abort();
    transport.show('ready');
    hush();
    const { signal } = (stopper = new AbortController());
    const context = audio();
    void context.resume(); // browsers allow sound only if it is started during a click
    const note = byId('wavenet-said');
    note.textContent = phrase`Loading WaveNet`;
    try {
      const { model, release } = await acquire(weights('wavenet.gguf'), { signal });
      try {
        const began = performance.now();
        const run = /** @type {any} */ (
          model.generate({ label: chosen() ?? '7', speaker: speaker.value || 'jackson', seconds: SECONDS, seed: transport.seed, signal })
        );
        const heard = run.playTo(context, { signal });
        heard.catch(() => {});
        const samples = await run.samples();
        note.textContent = phrase`WaveNet drew ${(samples.length / run.sampleRate).toFixed(2)} s of sound in ${((performance.now() - began) / 1000).toFixed(2)} s, sample by sample.`;
        await heard;
      } finally {
        release();
      }
    } catch (error) {
      note.textContent = signal.aborted ? '' : `${fault(error)}.`;
    }
  });
  stages.on(ready);
  ready();
  let drawn = false;
  stages.on(() => {
    if (drawn || !stages.model || !stages.books.bottom) return;
    drawn = true;
    void start(false);
  });
}
