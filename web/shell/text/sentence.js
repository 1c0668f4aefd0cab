// SPDX-License-Identifier: MIT
// Builds a field for a sentence. Models process the sentence either immediately, while the visitor types, or slowly, so that the visitor
// can watch.
// @ts-check
import { Playback, byId, createLoading, createTransport, keepInAddress, reducedMotion } from '../index.js';
import { createTyping } from './typing.js';
/** @import { Hold, Model, Phase } from '../index.js' */
/** @import { LoadOptions } from '../model/loading.js' */

/**
 * A run in which the models process the current sentence.
 *
 * @typedef {Object} Reading
 * @property {Model[]} models
 * @property {string} text
 * @property {boolean} slowly whether the run is slow enough to watch
 * @property {AbortSignal} signal
 * @property {() => Promise<void>} next waits until the next word may be shown; throws after the run has been aborted
 */

/**
 * Builds the text field, the example buttons, and the buttons that control the run. Also loads the models and keeps the settings in the
 * address.
 *
 * @param {Object} options
 * @param {string} options.figure id of the figure
 * @param {string} options.field id of the input element
 * @param {string[]} options.examples example sentences; the first one is processed immediately
 * @param {string} options.lang language of the examples
 * @param {number} options.speed words per second when the run is slow
 * @param {(how: LoadOptions) => Promise<Hold[]>} options.acquire acquires the models
 * @param {(models: Model[]) => void} options.onModels called after the models have loaded
 * @param {() => void} [options.onLost] called after the models have been closed
 * @param {(reading: Reading) => Promise<Phase | void>} options.read processes the sentence; passed to Playback.run()
 * @param {(empty: boolean) => void} [options.onEmpty] called with true when the models have been closed, and with false when they have
 *   loaded
 * @param {(text: string) => Record<string, string | number>} [options.settings] returns the settings for the address, given the text in the
 *   field
 * @param {(given: URLSearchParams) => void} [options.apply] applies all settings in an address except the sentence; may be called before
 *   the models have loaded
 */
export function createSentence({
  figure,
  field,
  examples,
  lang,
  speed,
  acquire,
  onModels,
  onLost = () => {},
  read,
  onEmpty = () => {},
  settings = (text) => ({ text }),
  apply = () => {},
}) {
  /** @type {HTMLInputElement} */
  const input = byId(field);
  /** @type {Model[]} */
  let models = [];
  const playback = new Playback({
    speed,
    onPhase(phase) {
      transport.show(phase);
      input.disabled = phase === 'empty';
      onEmpty(phase === 'empty');
    },
    onError: (error) => loading.failed(error),
  });

  /** @param {boolean} slowly whether the run is slow enough to watch */
  async function start(slowly) {
    if (models.length === 0) return;
    await playback.run((signal) => {
      loading.clear();
      return read({
        models,
        text: input.value,
        slowly,
        signal,
        async next() {
          if (slowly && !reducedMotion()) await playback.take(1, signal);
          signal.throwIfAborted();
        },
      });
    });
  }
  /** Restarts the run because the sentence or its settings have changed. @param {boolean} slowly */
  function restart(slowly) {
    sight.decide();
    address.changed();
    start(slowly);
  }

  const loading = createLoading(byId('load'), {
    acquire,
    onModels(loaded) {
      models = loaded;
      onModels(loaded);
      playback.enter('ready');
      address.proceed();
      sight.renew();
      sight.proceed();
    },
    onLost() {
      models = [];
      onLost();
      playback.enter('empty');
    },
  });
  const transport = createTransport(byId('transport'), { name: '', onRun: () => start(true), pace: true });
  const sight = playback.watch(byId(figure), () => start(true));
  transport.onPress(sight.decide);
  createTyping(input, {
    examples: 'examples',
    texts: examples,
    lang,
    look: 'textual',
    onType: sight.decide,
    onRest() {
      address.changed(true);
      start(false);
    },
    onExample: () => restart(true),
  });
  const address = keepInAddress(figure, {
    settings: () => settings(input.value),
    apply(given) {
      input.value = given.get('text') ?? input.value;
      apply(given);
      if (models.length === 0) return false;
      sight.decide();
      start(true);
      return true;
    },
  });
  return {
    load: loading.load,
    get text() {
      return input.value;
    },
    /** Shows a note about the running time. */
    say: transport.say,
    /** Processes the same sentence again with the changed settings. */
    again: () => restart(false),
    /** Records changed settings that need no new run. */
    changed: () => address.changed(),
  };
}
