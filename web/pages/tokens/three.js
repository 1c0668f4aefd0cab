// SPDX-License-Identifier: MIT
// Continues one prompt at three temperatures side by side, with the same noise.
// @ts-check
import { Playback, announce, byId, createTransport, fault, keepInAddress, make, phrase, wholeIn } from '../../shell/index.js';
/** @import { Model, TextSheet } from '../../shell/index.js' */

const TEMPERATURES = [0.4, 0.8, 1.2];
const TOKENS = 90;
const SPEED = 14;

/** @param {TextSheet} Sheet library class that draws texts */
export function createThree(Sheet) {
  /** @type {HTMLInputElement} */
  const prompt = byId('three-prompt');
  const panels = TEMPERATURES.map((temperature, i) => {
    const canvas = make('canvas', { class: 'page-text small', 'aria-hidden': 'true', lang: '' });
    const mirror = make('p', { class: 'visually-hidden', lang: '' });
    const note = make('p', { class: 'panel-note' });
    byId('three-panels').append(
      make(
        'div',
        { class: 'panel' },
        make('p', { class: 'panel-name' }, make('b', {}, phrase`Temperature ${temperature}`)),
        make('div', { class: 'page', id: `three-${i}` }, canvas, mirror),
        note,
      ),
    );
    return { temperature, page: new Sheet(canvas, { mirror }), note };
  });
  /** @type {Model | null} */
  let model = null;
  const playback = new Playback({
    speed: SPEED,
    onPhase(phase) {
      transport.show(phase);
      prompt.disabled = phase === 'empty';
    },
    onError(error) {
      panels[0].note.textContent = fault(error);
    },
  });

  async function start() {
    const writer = model;
    if (!writer) return;
    announce(phrase`Writing at three temperatures.`);
    await playback.run(async (signal) => {
      const runs = panels.map(({ temperature, page, note }) => {
        const run = writer.generate(prompt.value, {
          temperature,
          seed: transport.seed,
          maxTokens: Math.min(TOKENS, writer.info.positions >> 1),
          signal,
        });
        page.clear();
        page.add({ text: run.before, given: true });
        note.textContent = '';
        return { steps: run[Symbol.asyncIterator](), run, page, note, nats: 0, count: 0, over: false };
      });
      while (runs.some(({ over }) => !over)) {
        await playback.take(1, signal);
        for (const one of runs) {
          if (one.over) continue;
          const { done, value } = await one.steps.next();
          one.over = Boolean(done);
          if (value) {
            one.page.add(value);
            one.nats += value.nats;
            one.count++;
          }
          if (one.over) one.page.end();
          const each = (one.nats / one.count).toFixed(2);
          one.note.textContent =
            one.count === 0
              ? ''
              : one.over && one.run.finish === 'end'
                ? phrase`${one.count} tokens, ${each} nats each; the story ended`
                : phrase`${one.count} tokens, ${each} nats each`;
        }
      }
      announce(phrase`Three stories are complete.`);
    });
  }

  const transport = createTransport(byId('three-transport'), {
    name: 'three',
    seed: 3,
    onRun: start,
    onSeed: changed,
    onStop: () => playback.stop(),
  });
  const sight = playback.watch(byId('figure-three'), start);
  transport.onPress(sight.decide);
  prompt.addEventListener('change', changed);
  /** Starts again when the visitor changes the prompt or requests other texts. */
  function changed() {
    sight.decide();
    address.changed();
    start();
  }
  const address = keepInAddress('figure-three', {
    settings: () => ({ seed: transport.seed, prompt: prompt.value }),
    apply(given) {
      transport.seed = wholeIn(given, 'seed', 0, 1e9 - 1, transport.seed);
      prompt.value = given.get('prompt') ?? prompt.value;
      if (playback.phase !== 'empty') start();
    },
  });
  return {
    /** @param {Model | null} next */
    use(next) {
      playback.abort();
      model = next;
      playback.enter(next ? 'ready' : 'empty');
      if (next) sight.proceed();
    },
  };
}
