// SPDX-License-Identifier: MIT
// Controls a gallery: its buttons, the seed, the strip and the visitor's picture. Also tracks whether the figure is visible.
// @ts-check
import {
  STRIPS,
  announce,
  byId,
  createMeter,
  createTake,
  createTransport,
  fromText,
  integer,
  phrase,
  time,
  toText,
  whileSeen,
  wholeIn,
} from '../../shell/index.js';
import { createGallery } from './gallery.js';
import { createPhoto } from './photo.js';
import { createPictureStrip } from './picture-strip.js';
import { SHOWN } from './row.js';
/** @import { Model, Subject } from '../../shell/index.js' */
/** @import { Choice, Section } from './section.js' */

/** Percentage of a picture's rows that the model receives by default. */
const HALF = 50;

/**
 * @param {Section} section
 * @param {Choice} choice the initial choice
 * @param {Subject[]} subjects the pictures in the strip
 * @param {{ onRun: () => void, onError: (error: unknown) => void, onModel: (file: File) => void, onChange: () => void }} hooks onChange:
 *   called after a setting has changed
 */
export function createGalleryFigure({ id, task, fate }, choice, subjects, { onRun, onError, onModel, onChange }) {
  /** @type {<T extends HTMLElement>(name: string) => T} */
  const part = (name) => byId(`${id}-${name}`);
  const { many: made } = task.plan;
  /** Strip, temperature and model of the current choice. */
  let { strip: name, temperature, own: model } = choice;
  /** The visitor's picture, while it is in the first row. @type {Subject | null} */
  let own = null;
  const meter = createMeter((each) => transport.say(each > 0 ? phrase`${time(each)} per pixel, computed on your device` : ''));
  const gallery = createGallery(
    part('gallery'),
    choice.first.map((i) => subjects[i]),
    task,
    {
      onPull: meter.pulled,
      onError,
      onPhase(phase) {
        transport.show(phase);
        if (phase === 'running') onRun();
        if (phase === 'running') announce(phrase`Drawing ${STRIPS[name].things}, three ${made} of each.`);
      },
      onEnd: (drawn) =>
        announce(drawn.length === 1 ? phrase`${phrase(drawn[0].name)}: three ${made} are drawn.` : phrase`All ${made} are drawn.`),
    },
  );
  const transport = createTransport(part('transport'), {
    name: id,
    seed: 7,
    pace: true,
    onRun: () => gallery.start(),
    onStop() {
      gallery.stop();
      announce(phrase`Stopped.`);
    },
    onSeed(seed) {
      sight.decide();
      gallery.seed = seed;
      onChange();
      gallery.start();
    },
  });
  gallery.seed = transport.seed;
  const blend = /** @type {HTMLInputElement | null} */ (document.getElementById(`${id}-blend`));
  blend?.addEventListener('input', () => {
    gallery.blend(blend.valueAsNumber / 100);
    blend.setAttribute(
      'aria-valuetext',
      blend.value === '100' ? phrase`the model's` : blend.value === '0' ? phrase`bicubic` : phrase`${blend.value} percent by the model`,
    );
  });
  /** The select element for the percentage of a picture that the model receives. */
  const givenPart = /** @type {HTMLSelectElement | null} */ (document.getElementById(`${id}-given`));
  /** @param {number} percent one of the options; other values are ignored */
  function setGiven(percent) {
    if (!givenPart || ![...givenPart.options].some(({ value }) => Number(value) === percent)) return;
    givenPart.value = String(percent);
    gallery.given = percent;
  }
  givenPart?.addEventListener('change', () => {
    sight.decide();
    setGiven(Number(givenPart.value));
    onChange();
    gallery.start();
  });
  /** The select element for the number of candidates per displayed picture. */
  const tries = /** @type {HTMLSelectElement | null} */ (document.getElementById(`${id}-tries`));
  /** @param {number} count one of the options; other values are ignored */
  function setTries(count) {
    if (!tries || ![...tries.options].some(({ value }) => Number(value) === count)) return;
    tries.value = String(count);
    gallery.tries = count;
  }
  tries?.addEventListener('change', () => {
    sight.decide();
    gallery.tries = Number(tries.value);
    onChange();
    gallery.start();
  });
  const strip = createPictureStrip(part('strip'), (subject) => {
    own = null;
    gallery.choose(subject);
    onChange();
  });
  createPhoto(
    part('photo'),
    subjects[0].image.width,
    fate,
    (image) => {
      strip.clear();
      own = { name: 'your picture', note: '', label: null, image };
      gallery.choose(own);
      onChange();
      part('gallery').firstElementChild?.scrollIntoView({ block: 'nearest' });
    },
    onModel,
  );

  const sight = whileSeen(part('gallery'), {
    start() {
      if (gallery.phase !== 'ready') return false;
      gallery.resume();
      return true;
    },
    stop() {
      if (gallery.phase !== 'running') return false;
      gallery.stop();
      return true;
    },
  });
  transport.onPress(sight.decide);

  /** The pictures in the strip. */
  let among = subjects;
  /** Returns the settings that determine the pictures in the first row, or null if the visitor opened the model from a file. */
  function settings() {
    if (model && typeof model !== 'string') return null;
    const { first } = gallery;
    const index = among.indexOf(first);
    const { data, width, height } = first.image;
    const rgb = Uint8Array.from({ length: 3 * width * height }, (_, i) => data[4 * Math.floor(i / 3) + (i % 3)]);
    return {
      model: model ? 'own' : name,
      seed: transport.seed,
      temperature,
      ...(tries && { tries: Number(tries.value) }),
      ...(givenPart && { given: Number(givenPart.value) }),
      ...(index >= 0 ? { picture: index } : { pixels: toText(rgb) }),
    };
  }
  createTake(part('take'), { id: `figure-${id}`, shots: gallery.shots, settings });

  return {
    settings,
    /** Returns whether the first row shows the visitor's own picture. */
    get ofOwn() {
      return own !== null;
    },
    /**
     * After the visitor has chosen another model, shows the pictures for this model, but keeps the visitor's own picture.
     * @param {Choice} next
     * @param {Subject[]} pictures
     */
    show(next, pictures) {
      ({ strip: name, temperature, own: model } = next);
      setTries(next.tries ?? SHOWN);
      setGiven(next.given ?? HALF);
      among = pictures;
      const rows = next.first.map((i) => among[i]);
      if (own) rows[0] = own;
      gallery.show(rows);
      strip.show(name, among, rows[0]);
    },
    /** Stops the current model's run, because the visitor has chosen another model. The next run starts from the beginning. */
    leave() {
      gallery.use(null);
      sight.renew();
    },
    /** Applies the settings in an address. Call it after the figure's model has loaded. @param {URLSearchParams} given */
    apply(given) {
      const { width, height } = among[0].image;
      const rgb = fromText(given.get('pixels') ?? '', 3 * width * height);
      const index = wholeIn(given, 'picture', 0, among.length - 1, -1);
      transport.seed = wholeIn(given, 'seed', 0, 1e9 - 1, transport.seed);
      gallery.seed = transport.seed;
      setTries(wholeIn(given, 'tries', 1, 64, Number(tries?.value)));
      // Old links do not contain the setting `given`. When they were made, the model always received half of the picture.
      const old = !given.has('given') && ['seed', 'picture', 'pixels'].some((setting) => given.has(setting));
      setGiven(old ? HALF : wholeIn(given, 'given', 1, 99, Number(givenPart?.value)));
      if (rgb) {
        const image = new ImageData(width, height);
        for (let i = 0; i < width * height; i++) image.data.set([...rgb.subarray(3 * i, 3 * i + 3), 255], 4 * i);
        strip.clear();
        own = { name: 'your picture', note: '', label: null, image };
      } else if (index >= 0) {
        own = null;
      }
      const first = rgb ? own : among[index];
      sight.decide();
      if (first) gallery.choose(first);
      if (!rgb && index >= 0) strip.show(name, among, among[index]);
      gallery.start();
    },
    /** @param {Model | null} loaded null while another model is loading */
    use(loaded) {
      gallery.use(loaded, temperature);
      if (!loaded) return;
      meter.reset();
      part('temperature').textContent = String(temperature);
      if (!model) {
        part(`${name}-parameters`).textContent = integer(loaded.info.parameters);
        announce(phrase`The model of the ${STRIPS[name].things} is loaded.`);
      }
      sight.proceed();
    },
  };
}
