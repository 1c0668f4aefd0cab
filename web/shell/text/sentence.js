// SPDX-License-Identifier: MIT
// A sentence and what models make of it: at once while somebody types, slowly for whoever watches.
// @ts-check
import { Playback, byId, createLoading, createTransport, keepInAddress, reducedMotion } from '../index.js';
import { createTyping } from './typing.js';
/** @import { Hold, Model, Phase } from '../index.js' */
/** @import { LoadOptions } from '../model/loading.js' */

/**
 * A run over the sentence as it stands.
 *
 * @typedef {Object} Reading
 * @property {Model[]} models
 * @property {string} text
 * @property {boolean} slowly for whoever watches
 * @property {AbortSignal} signal
 * @property {() => Promise<void>} next waits until the next word may be shown, and throws when the run is over
 */

/**
 * The field of a sentence with its examples, the transport, the models, and the place in the address.
 *
 * @param {Object} options
 * @param {string} options.figure its id
 * @param {string} options.field id of the input
 * @param {string[]} options.examples the first one is read at once
 * @param {string} options.lang of the examples
 * @param {number} options.speed words a second, for whoever watches
 * @param {(how: LoadOptions) => Promise<Hold[]>} options.acquire gets the models
 * @param {(models: Model[]) => void} options.onModels they are there
 * @param {() => void} [options.onLost] they are gone
 * @param {(reading: Reading) => Promise<Phase | void>} options.read what Playback.run() takes
 * @param {(empty: boolean) => void} [options.onEmpty] whether there are no models to read with
 * @param {(text: string) => Record<string, string | number>} [options.settings] what the address says, with the text of the field
 * @param {(given: URLSearchParams) => void} [options.apply] applies the other settings of an address, also before the models are loaded
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

  /** @param {boolean} slowly for whoever watches */
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
  /** The sentence or its settings have changed. @param {boolean} slowly */
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
    /** About the time. */
    say: transport.say,
    /** The same sentence in another way: it is read anew, at once. */
    again: () => restart(false),
    /** The settings have changed, and nothing is to be read anew. */
    changed: () => address.changed(),
  };
}
