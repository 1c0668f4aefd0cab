// SPDX-License-Identifier: MIT
// @ts-check

import { BaseRun, noSavedRun } from './base-run.js';
import { probabilitiesAt } from './probabilities.js';

/** @import { EncodedMessage, Inputs, Settings } from '../engine/protocol.js' */
/** @import { Link } from '../workers/link.js' */
/** @import { Request } from '../workers/job.js' */
/** @import { Stage } from '../flow.js' */

/** @typedef {EncodedMessage['results']} Results */

/**
 * A step of one part, for one sample.
 *
 * @typedef {object} FlowStep
 * @property {string} part      name of the part
 * @property {number} sample    index of the sample, from 0
 * @property {number} from      the first position, or the index of the first encoded item
 * @property {number} to        index after the last position or item
 * @property {Uint32Array} [ids]    the drawn ids, for a part that draws
 * @property {Float32Array} [nats]  nats of `ids`
 * @property {Float32Array} [probabilities]  distribution of each id before it was drawn, shape (ids, values of the part), if the run
 *   requested it
 * @property {Results} [results]    for a part that encodes drawn ids: the results for the items from `from` to `to`
 */

/** @typedef {(part: string, ids: Record<string, number[]>) => number} LengthOf */

/**
 * @typedef {object} SavedFlow
 * @property {1} version
 * @property {string} model
 * @property {string} seed
 * @property {object} options
 * @property {Record<string, number[]>[]} ids   for each sample, the ids that each part has drawn
 * @property {Record<string, number>[]} told    for each sample, how many encoded items of each part have been reported
 */

/**
 * A run that computes all parts of a model in order, separately for each sample. Normally, a part that encodes ids waits until another part
 * has drawn all of them. If the encoding part has a reach (the number of ids on either side of an id that affect its results), it encodes
 * the first ids while the later ones are still being drawn. The worker then alternates between drawing and encoding.
 *
 * One worker computes all parts of a sample. This class is not in the worker's script, because that script is loaded for every model. In
 * Node, one audio code takes 0.126 ms. Code outside the worker, including the loop that reads the steps, takes only 9 % of this time.
 *
 * @template Result
 * @extends {BaseRun<FlowStep, Result>}
 */
export class FlowRun extends BaseRun {
  #links;
  #flow;
  #given;
  #how;
  /** @type {Record<string, number[]>[]} */
  #ids;
  /** @type {Record<string, number>[]} */
  #told;
  /** Results of the encoding parts that run before the drawing begins, by part name. @type {Record<string, Results>} */
  #encoded = {};
  /** The encoding jobs that run in parallel with the drawing. @type {Set<ReturnType<Link['job']>>} */
  #asking = new Set();

  /**
   * @param {Link[]} links  the workers that share the samples
   * @param {Stage[]} flow
   * @param {Inputs} given  the inputs that no part produces
   * @param {{ seed: number | bigint, settings: Settings, length: number | LengthOf, chunkSize?: number, probabilities?: boolean, drawn?: Pick<SavedFlow, 'ids' | 'told'> }} how
   *   length: the maximum number of positions that a part draws, or a function that returns this number, given the part's name and the
   *   ids that earlier parts drew for a sample; settings: shared by all samples; drawn: the saved state of a resumed run
   * @param {{ model: string, options: object }} kept
   * @param {AbortSignal} [signal]
   * @internal
   */
  constructor(links, flow, given, how, kept, signal) {
    super(how.seed, kept, signal);
    const {
      settings: { samples },
      drawn,
    } = how;
    const wrong = (/** @type {unknown} */ list) =>
      !Array.isArray(list) || list.length !== samples || list.some((one) => typeof one !== 'object' || one === null);
    if (drawn && (wrong(drawn.ids) || wrong(drawn.told))) throw noSavedRun();
    this.#links = links;
    this.#flow = flow;
    this.#given = given;
    this.#how = how;
    this.#ids = drawn
      ? drawn.ids.map((all) => Object.fromEntries(Object.entries(all).map(([name, ids]) => [name, [...ids]])))
      : empty(samples);
    this.#told = drawn ? drawn.told.map((all) => ({ ...all })) : empty(samples);
  }

  /** Returns everything that is needed to resume the run. @returns {SavedFlow} */
  save() {
    return this.saved({ ids: this.#ids, told: this.#told });
  }

  /** @returns {AsyncGenerator<FlowStep, void, void>} @internal */
  async *stream() {
    try {
      for (const stage of this.#flow) {
        if (stage.draws) yield* this.#draw(stage);
        else if (!Object.values(stage.from).some(({ result }) => result === undefined)) await this.#encode(stage);
        if (this.stopped) return;
      }
    } finally {
      for (const job of this.#asking) job.end();
    }
  }

  /**
   * Sends a request that is processed in parallel with the drawing.
   *
   * @param {Link} link
   * @param {Request} message
   * @returns {Promise<any>}
   */
  async #ask(link, message) {
    const job = link.job(...this.signals);
    this.#asking.add(job);
    try {
      return await job.ask(message);
    } finally {
      this.#asking.delete(job);
      job.end();
    }
  }

  /**
   * Returns the inputs of a part for one sample. Each input was given by the caller, computed by an earlier part, or drawn.
   * @param {Stage} stage
   * @param {number} sample
   * @returns {Inputs}
   */
  #inputs({ part, from }, sample) {
    return Object.fromEntries(
      part.inputs.flatMap(({ name }) => {
        const source = from[name];
        if (!source) return this.#given[name] ? [[name, this.#given[name]]] : [];
        const {
          result,
          part: { name: before },
        } = source;
        return [
          [name, result ? /** @type {Uint32Array} */ (this.#encoded[before][result]) : Uint32Array.from(this.#ids[sample][before] ?? [])],
        ];
      }),
    );
  }

  /** @param {Stage} stage */
  async #encode(stage) {
    const { results } = await this.#ask(this.#links[0], { type: 'encode', part: stage.part.index, inputs: this.#inputs(stage, 0) });
    this.#encoded[stage.part.name] = results;
  }

  /** @param {Stage} stage  a stage that draws */
  async *#draw(stage) {
    const { settings, length: most, chunkSize, probabilities } = this.#how;
    const {
      part: { index, name, span, values, ends },
    } = stage;
    const followers = this.#flow.filter(
      ({ from, draws }) => !draws && Object.values(from).some(({ part, result }) => part.index === index && result === undefined),
    );
    const samples = this.#ids.map((all, sample) => {
      const ids = (all[name] ??= []);
      const drawn = Uint32Array.from(ids);
      const link = this.#links[sample % this.#links.length];
      const length = typeof most === 'number' ? most : most(name, all);
      return {
        sample,
        ids,
        link,
        order:
          ids.length >= length * span
            ? undefined
            : {
                part: index,
                known: new Uint32Array(0),
                drawn,
                inputs: this.#inputs(stage, sample),
                length,
                probabilities,
                settings: { ...settings, samples: 1, first: (settings.first ?? 0) + sample },
              },
      };
    });
    /** Pending encodings. @type {Promise<FlowStep>[]} */
    let coming = [];
    const follow = (/** @type {boolean} */ over) => {
      coming = samples.flatMap(({ sample, link }) => followers.flatMap((one) => this.#follow(one, stage, sample, link, over)));
      for (const promise of coming) promise.catch(() => {}); // errors are reported below
    };
    follow(false);
    const last = samples.filter(({ order }) => order).at(-1)?.sample;
    for await (const {
      message: { from, ids, nats, probabilities: spread },
      part: { sample, ids: all },
    } of this.messages(samples, chunkSize)) {
      const end = ids.findIndex((id) => ends.includes(id)); // other parts do not receive the id that ends a sample
      const count = (end < 0 ? ids.length : end) / span;
      all.push(...ids.subarray(0, count * span));
      if (count > 0)
        yield {
          part: name,
          sample,
          from,
          to: from + count,
          ids: ids.slice(0, count * span),
          nats: nats.slice(0, count * span),
          ...probabilitiesAt(spread, 0, values, count * span),
        };
      if (sample !== last) continue;
      yield* this.#tell(coming);
      follow(false);
    }
    if (this.stopped) return;
    do {
      yield* this.#tell(coming);
      follow(true);
    } while (coming.length > 0);
  }

  /** @param {Promise<FlowStep>[]} coming */
  async *#tell(coming) {
    for (const step of await Promise.all(coming)) {
      this.#told[step.sample][step.part] = step.to;
      yield step;
    }
  }

  /**
   * Encodes the ids of a sample that have been drawn but not encoded yet.
   *
   * @param {Stage} stage   a stage that encodes
   * @param {Stage} source  the stage that draws the ids to encode
   * @param {number} sample
   * @param {Link} link
   * @param {boolean} over  whether drawing is complete
   * @returns {Promise<FlowStep>[]}
   */
  #follow(stage, { part: { name, span } }, sample, link, over) {
    const { reach = Infinity, least = 1, part } = stage;
    const ids = this.#ids[sample][name];
    const [drawn, from] = [ids.length / span, this.#told[sample][part.name] ?? 0];
    const to = over ? drawn : drawn - reach;
    if (to - from < (over ? 1 : least)) return [];
    // The encoded range includes the neighbours on either side, because they affect the results.
    const [begin, end] = [Math.max(0, from - reach), Math.min(drawn, to + reach)];
    const port = Object.entries(stage.from).find(([, { part: before, result }]) => before.name === name && result === undefined)?.[0] ?? '';
    const inputs = { ...this.#inputs(stage, sample), [port]: Uint32Array.from(ids.slice(begin * span, end * span)) };
    return [
      this.#ask(link, { type: 'encode', part: part.index, inputs }).then(({ results }) => ({
        part: part.name,
        sample,
        from,
        to,
        results: Object.fromEntries(
          Object.entries(results).map(([result, numbers]) => {
            const each = numbers.length / (end - begin);
            return [result, numbers.slice((from - begin) * each, (to - begin) * each)];
          }),
        ),
      })),
    ];
  }
}

/** @param {number} samples @returns {Record<string, any>[]} */
const empty = (samples) => Array.from({ length: samples }, () => ({}));
