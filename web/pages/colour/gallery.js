// SPDX-License-Identifier: MIT
// Draws the rows of pictures in a figure. A run fills the rows one by one.
// @ts-check
import { Codec, Playback } from '../../shell/index.js';
import { Row, SHOWN } from './row.js';
/** @import { PictureOptions, Model, Phase, PictureRun, Shot, Subject } from '../../shell/index.js' */
/** @import { Preview, Plan } from './row.js' */

/** Maximum drawing speed, in pixels per second for each picture. Fast enough for six rows, slow enough to watch. */
const SPEED = 400;
/** Number of pixels requested per message. */
const CHUNK = 16;

/**
 * @typedef {Object} Task what a gallery asks of its model, and how it shows the input
 * @property {'complete' | 'superResolve'} kind
 * @property {Plan} plan
 * @property {(model: Model, image: ImageData, options?: PictureOptions & { rows?: number }) => PictureRun} ask
 * @property {(run: PictureRun, codec: Codec, image: ImageData) => Preview} preview returns what a row shows before the model draws in it;
 *   image: the input picture of the run
 */

/**
 * @param {HTMLElement} root
 * @param {Subject[]} first one picture per row
 * @param {Task} task
 * @param {Object} hooks
 * @param {(phase: Phase) => void} hooks.onPhase
 * @param {(ms: number, pixels: number) => void} hooks.onPull receives the time that the model took, and the number of pixels that it drew
 * @param {(subjects: Subject[]) => void} hooks.onEnd called after a run has ended, with the input pictures of the rows that are complete
 * @param {(error: unknown) => void} hooks.onError
 */
export function createGallery(root, first, task, { onPhase, onPull, onEnd, onError }) {
  const rows = first.map((subject) => new Row(subject, task.plan));
  root.append(...rows.map((row) => row.root));
  /** @type {Model | undefined} */
  let model;
  /** @type {Codec | undefined} */
  let codec;
  let seed = 0;
  let temperature = 1;
  /**
   * Number of pictures to draw per row. These pictures are divided into SHOWN groups, and the row shows the most probable picture of each
   * group.
   */
  let tries = SHOWN;
  /** Percentage of a picture's rows that the model receives when it completes the picture. @type {number | undefined} */
  let given;
  const playback = new Playback({
    speed: SPEED,
    onPhase,
    onError(error) {
      for (const row of rows) if (!row.done) row.clear();
      onError(error);
    },
  });

  /**
   * Returns how many rows of a picture are given to the model. For a model that draws in blocks, the number is rounded down to whole rows
   * of blocks.
   *
   * @param {Model} artist
   * @returns {{ rows?: number }}
   */
  function part({ info: { height, blockRows } }) {
    if (given === undefined) return {};
    const step = blockRows || 1;
    return { rows: step * Math.floor(((given / 100) * height) / step) };
  }

  /** Shows the model's input in a row, for example a picture without the part that the model is to complete. @param {Row} row */
  function see(row) {
    if (model && codec) row.give(task.preview(task.ask(model, row.subject.image, part(model)), codec, row.subject.image));
  }

  /** @param {Row} row @param {Model} artist @param {Codec} knows @param {AbortSignal} signal */
  async function draw(row, artist, knows, signal) {
    const { image, label } = row.subject;
    const { channels, classes } = artist.info;
    const samples = tries;
    const resample = samples / SHOWN; // number of candidates per displayed picture
    const run = task.ask(artist, image, {
      samples,
      resample,
      seed,
      temperature,
      signal,
      ...part(artist),
      chunkSize: CHUNK * channels,
      label: label && classes.includes(label) ? label : null,
    });
    row.begin(samples);
    let asked = performance.now();
    let whole = true;
    for await (const step of run) {
      row.take(knows, step);
      if (step.sample < samples - 1 || step.anew) continue;
      const pixels = (step.to - step.from) / channels;
      // The first step is not timed, because it includes the time in which the model reads its input picture.
      if (!whole) onPull(performance.now() - asked, samples * pixels);
      whole = false;
      await playback.pass(pixels, signal);
      asked = performance.now();
    }
    row.end();
  }

  /** Draws rows, in the given order. @param {Row[]} queue */
  async function run(queue) {
    const [artist, knows] = [model, codec];
    if (!artist || !knows) return;
    for (const row of queue) row.clear();
    await playback.run(async (signal) => {
      const shown = queue.filter((row) => row.shown);
      for (const row of shown) await draw(row, artist, knows, signal);
      playback.enter(rows.every((row) => row.done || !row.shown) ? 'done' : 'ready');
      onEnd(shown.map(({ subject }) => subject));
      return playback.phase;
    });
  }

  function stop() {
    for (const row of rows) row.stop();
    playback.stop();
  }

  return {
    get phase() {
      return playback.phase;
    },
    /** @param {Model | null} loaded @param {number} [heat] temperature */
    use(loaded, heat = 1) {
      stop();
      model = loaded ?? undefined;
      temperature = heat;
      codec = loaded ? new Codec(loaded.info, loaded.order) : undefined;
      rows.forEach(see);
      playback.enter(loaded ? 'ready' : 'empty');
    },
    /** @param {number} n */
    set seed(n) {
      seed = n;
    },
    /** @param {number} n */
    set tries(n) {
      tries = n;
    },
    /** @param {number} percent percentage of the rows that are given */
    set given(percent) {
      if (given === percent) return;
      given = percent;
      playback.abort();
      rows.forEach(see);
    },
    start: () => run(rows),
    /** @param {number} share weight of the model's picture, 0 to 1; the bicubic enlargement has the weight 1 - share */
    blend(share) {
      for (const row of rows) row.blend(share);
    },
    /** Draws the rows that are not complete. */
    resume: () => run(rows.filter((row) => !row.done)),
    stop,
    /** @returns {Shot[]} */
    shots() {
      const knows = codec;
      return knows ? rows.filter((row) => row.shown).flatMap((row) => row.shots(knows, seed)) : [];
    },
    /** Returns the picture of the first row. */
    get first() {
      return rows[0].subject;
    },
    /** Replaces the pictures in the rows when the model changes. @param {Subject[]} subjects */
    show(subjects) {
      rows.forEach((row, i) => row.show(subjects[i]));
    },
    /**
     * Puts a picture into the first row. If another row already shows this picture, the two rows swap pictures.
     *
     * @param {Subject} subject
     */
    choose(subject) {
      const other = rows.find((row) => row.subject === subject && row !== rows[0]);
      const running = playback.phase === 'running';
      playback.abort();
      other?.show(rows[0].subject);
      rows[0].show(subject);
      const changed = rows.filter((row) => row === rows[0] || row === other);
      changed.forEach(see);
      run(running ? rows.filter((row) => !row.done) : changed);
    },
  };
}
