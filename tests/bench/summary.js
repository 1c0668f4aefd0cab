// SPDX-License-Identifier: MIT
// @ts-check

/** Computes the figures of a benchmark from its measurements and compares them with the goals. All functions are pure. */

/** @import { Work } from './facts.js' */

/** The numbers of all rounds, by the name of the measurement. key() makes these names. @typedef {Record<string, number[]>} Samples */
/** @typedef {{ median: number, min: number }} Time  times in milliseconds */
/** @typedef {{ name: string, loop: string, bytes: number, gzip: number }} Build */

/**
 * @typedef {object} Facts  information that is known without a measurement
 * @property {object} machine
 * @property {Build[]} builds            the library's builds; the first one is the baseline
 * @property {string} chosen             the build that the library chooses in this browser
 * @property {number} cacheBytes         size of the second-level cache of one core
 * @property {readonly number[]} positions  positions at which W1 is measured
 * @property {readonly string[]} types   weight types of W1
 * @property {{ id: string, name: string, gzip?: number }[]} peers
 * @property {Record<string, Work>} w1Work  the work of a step of W1, by `type/position`
 * @property {{ name: string, pixels: number }[]} shipped  pixels: number of pixels in the lower half of a picture
 * @property {{ name: string, rate: number, macs: number }[]} [sounds]  rate: samples per second; macs: multiply-adds per sample
 * @property {{ name: string, macs: number, all: number }[]} [made]  models that draw a picture in one pass; macs: multiply-adds of the
 *   convolutions with 8-bit weights; all: multiply-adds of a picture
 * @property {{ other: string, types: readonly string[], columns: readonly number[], macs: number, least: number }} [chain]  the matrix
 *   products of W1 alone, in nextpixel and in another runtime; macs: multiply-adds per column; least: multiply-adds of the smallest product
 * @property {readonly number[]} together   numbers of samples that the engine draws together, without the library
 * @property {readonly number[]} atOnce     numbers of samples that shipped models draw together, through the library
 * @property {{ name: string, macs: number, work: Work }[]} models  models of the prefill and samples sections; macs: multiply-adds of a
 *   position whose value is given; work: the work of a step
 * @property {readonly number[]} sides      side lengths of pictures
 * @property {readonly number[]} streams    numbers of megabytes that were read to measure the streaming rate
 * @property {number} blockMacs             multiply-adds of one block of the models in the kernels section
 * @property {object} [sizes]
 */

/** Joins the parts of a measurement's name. @param {...(string | number)} parts */
export const key = (...parts) => parts.join('/');

/** @param {number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b),
    middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** @param {number[] | undefined} values @returns {Time | null} */
function time(values) {
  return values?.length ? { median: median(values), min: Math.min(...values) } : null;
}

/**
 * Returns the minimum of one list of times minus the minimum of another.
 *
 * @param {number[] | undefined} more
 * @param {number[] | undefined} less
 */
function difference(more, less) {
  if (!more?.length || !less?.length) return null;
  const between = Math.min(...more) - Math.min(...less);
  return between > 0 ? between : null; // 0 or less means that other programs disturbed the measurement
}

/**
 * Returns the maximum speeds of the machine, the "ceilings": the speed of the dot-product loops and the speed of reading memory. These
 * speeds are from the best rounds, because the machine reaches its maximum only when no other program runs. To compute a contender's share
 * of a ceiling, the contender's best round is used too. (Times, and ratios between contenders, are medians.)
 *
 * @param {Samples} samples
 * @param {Facts} facts
 */
function ceilings(samples, facts) {
  /** @param {string} name */
  const best = (name) => (samples[name]?.length ? Math.max(...samples[name]) : null);
  return {
    dots: Object.fromEntries(
      facts.builds.map(({ name, loop }) => {
        return [name, { one: best(key('ceiling', loop, 'one')), four: best(key('ceiling', loop, 'four')) }];
      }),
    ),
    stream: Object.fromEntries(facts.streams.map((megabytes) => [megabytes, best(key('ceiling', 'stream', megabytes))])),
  };
}

/** @typedef {ReturnType<typeof ceilings>} Ceilings */

/**
 * Returns the minimum time of a step on this machine divided by the measured time. The minimum is the longer of two times: the time in
 * which the dot-product loop computes the step's multiply-adds, and the time to read the step's bytes. The reading time is ignored if the
 * bytes fit in the second-level cache.
 *
 * @param {number | undefined} ms
 * @param {Work} work
 * @param {number | null} dots    billions of multiply-adds per second
 * @param {Ceilings['stream']} stream  billions of bytes per second, by megabytes read
 * @param {number} cacheBytes
 */
export function shareOf(ms, work, dots, stream, cacheBytes) {
  if (ms === undefined || !dots) return null;
  const size = Object.keys(stream)
    .map(Number)
    .sort((a, b) => a - b)
    .find((megabytes) => megabytes * 2 ** 20 >= work.bytes);
  const rate = work.bytes > cacheBytes && size !== undefined ? stream[size] : null;
  const ofDots = work.macs / (dots * 1e6) / ms;
  const ofBytes = rate ? work.bytes / (rate * 1e6) / ms : null;
  return { share: Math.max(ofDots, ofBytes ?? 0), limit: ofBytes !== null && ofBytes > ofDots ? 'bytes' : 'dots', ofDots, ofBytes };
}

/**
 * @param {Samples} samples
 * @param {Facts} facts
 */
export function assemble(samples, facts) {
  const { builds, chosen, positions, types, peers } = facts;
  const ceiling = ceilings(samples, facts);

  /** @param {string} build @param {number} position */
  const ourTimes = (build, position) =>
    types.flatMap((type) => {
      const found = time(samples[key('w1', position, 'ours', build, type)]);
      return found ? [{ build, type, ...found }] : [];
    });
  /** @param {{ median: number }[]} list */
  const fastest = (list) => list.reduce((best, one) => (one.median < best.median ? one : best));

  /** @param {(position: number) => ReturnType<typeof ourTimes>} contenders */
  const against = (contenders) => {
    const entries = positions.flatMap((position) => {
      const list = contenders(position);
      if (list.length === 0) return [];
      const ours = /** @type {typeof list[number]} */ (fastest(list));
      const others = peers.flatMap(({ id, name }) => {
        const found = time(samples[key('w1', position, id)]);
        return found ? [{ name, ...found }] : [];
      });
      const peer = others.length ? /** @type {typeof others[number]} */ (fastest(others)) : null;
      return [
        [
          position,
          {
            ours: ours.median,
            peer: peer?.median ?? null,
            peerName: peer?.name ?? null,
            ratio: peer ? peer.median / ours.median : null,
            build: ours.build,
            type: ours.type,
            oursMin: ours.min,
            peerMin: peer?.min ?? null,
          },
        ],
      ];
    });
    return entries.length ? Object.fromEntries(entries) : null;
  };
  /** @param {string} build @param {string} type */
  const only = (build, type) => against((position) => ourTimes(build, position).filter((one) => one.type === type));
  const summary = {
    w1: against((position) => ourTimes(chosen, position)),
    w1q4: only(chosen, 'q4'),
    w1q8: only(chosen, 'q8'),
    w1baseline: against((position) => ourTimes(builds[0].name, position)),
  };

  /** The times of W1, by position and contender. @type {Record<string, Record<string, Time & { ceiling?: ReturnType<typeof shareOf> }>>} */
  const w1 = Object.fromEntries(
    positions.map((position) => [
      position,
      {
        ...Object.fromEntries(
          builds.flatMap(({ name }) =>
            ourTimes(name, position).map((one) => [
              `${name} ${one.type}`,
              {
                median: one.median,
                min: one.min,
                ceiling: shareOf(one.min, facts.w1Work[key(one.type, position)], ceiling.dots[name].one, ceiling.stream, facts.cacheBytes),
              },
            ]),
          ),
        ),
        ...Object.fromEntries(
          peers.flatMap(({ id, name }) => {
            const found = time(samples[key('w1', position, id)]);
            return found ? [[name, found]] : [];
          }),
        ),
      },
    ]),
  );

  const shipped = facts.shipped
    .map(({ name, pixels }) => ({
      name,
      pixels,
      builds: Object.fromEntries(
        builds.flatMap(({ name: build }) => {
          /** @type {Record<string, any>} */
          const times = {};
          for (const count of facts.atOnce) {
            const found = time(samples[key('shipped', name, count, build)]);
            if (found) times[count] = { ...found, perPixel: found.median / pixels };
          }
          return times[1] ? [[build, { samples: times }]] : [];
        }),
      ),
    }))
    .filter((one) => Object.keys(one.builds).length > 0);

  const lookAhead = Object.fromEntries(
    builds.flatMap(({ name }) => {
      const entries = facts.shipped.flatMap(({ name: model }) => {
        const ahead = samples[key('ahead', model, name, 'with')],
          plain = samples[key('ahead', model, name, 'without')];
        if (!ahead || !plain) return [];
        // Every round measured both modes, so each round has its own ratio.
        const ratio = median(plain.map((ms, round) => ms / ahead[round]));
        return [[model, { with: time(ahead), without: time(plain), ratio }]];
      });
      return entries.length ? [[name, Object.fromEntries(entries)]] : [];
    }),
  );

  /**
   * @template T
   * @param {(build: Build, model: Facts['models'][number]) => T | null} figures
   */
  const byModel = (figures) => {
    /** @type {Record<string, Record<string, T>>} */
    const all = {};
    for (const build of builds) {
      for (const model of facts.models) {
        const value = figures(build, model);
        if (value) (all[build.name] ??= {})[model.name] = value;
      }
    }
    return all;
  };
  const prefill = byModel(({ name }, { name: model, macs }) => {
    const one = time(samples[key('prefill', model, 1, name)]),
      many = time(samples[key('prefill', model, 16, name)]);
    if (!one || !many) return null;
    const { four } = ceiling.dots[name];
    const gigamacs = macs / many.min / 1e6;
    return { one, sixteen: many, ratio: one.median / many.median, gigamacs, share: four ? gigamacs / four : null };
  });
  const together = byModel(({ name }, { name: model, work }) => {
    const times = facts.together.flatMap((count) => {
      const found = time(samples[key('samples', model, count, name)]);
      return found ? [/** @type {const} */ ([count, found])] : [];
    });
    if (times.length === 0) return null;
    /** @type {Record<string, Time>} */
    const ms = Object.fromEntries(times);
    return {
      ms,
      fourOverOne: ms[1] && ms[4] ? ms[4].median / ms[1].median : null,
      ceiling: shareOf(ms[1]?.min, work, ceiling.dots[name].one, ceiling.stream, facts.cacheBytes),
    };
  });

  const pixels = Object.fromEntries(
    builds.flatMap(({ name }) => {
      const times = facts.sides.flatMap((side) => {
        const found = time(samples[key('pixel', side, name)]);
        return found ? [/** @type {const} */ ([side, found])] : [];
      });
      if (times.length === 0) return [];
      const values = times.map(([, found]) => found.median);
      return [[name, { ms: Object.fromEntries(times), spread: Math.max(...values) / Math.min(...values) - 1 }]];
    }),
  );

  /** @param {number | null} macs @param {number | null} ms @param {number | null} dots */
  const rate = (macs, ms, dots) => {
    if (!ms || !macs) return null;
    const gigamacs = macs / ms / 1e6;
    return { gigamacs, share: dots ? gigamacs / dots : null };
  };
  const kernels = Object.fromEntries(
    builds.flatMap(({ name }) => {
      const { one, four } = ceiling.dots[name];
      const entries = types.flatMap((type) => {
        /** @param {string} what @param {number} size */
        const part = (what, size) => samples[key('kernel', what, size, type, name)];
        const half = (/** @type {number | null} */ ms) => (ms === null ? null : ms / 2); // the models differ by two blocks
        const first = positions[0],
          last = positions[positions.length - 1];
        const between = difference(samples[key('w1', last, 'ours', name, type)], samples[key('w1', first, 'ours', name, type)]);
        const keyMacs = facts.w1Work[key(type, first)]?.keyMacs ?? null;
        const figures = {
          products: rate(facts.blockMacs, half(difference(part('one', 3), part('one', 1))), one),
          productsOf16: rate(facts.blockMacs, half(difference(part('many', 3), part('many', 1))), four),
          attention: rate(keyMacs && keyMacs * (last - first), between, one),
          values256: difference(part('values', 256), part('one', 1)),
        };
        return Object.values(figures).some(Boolean) ? [[type, figures]] : [];
      });
      return entries.length ? [[name, Object.fromEntries(entries)]] : [];
    }),
  );

  const loops = Object.fromEntries(
    ['gates', 'gru', 'lstm', 'queue', 'patches'].flatMap((name) => {
      const own = samples[key('loop', name)],
        most = samples[key('loop', name, 'ceiling')];
      if (!own?.length || !most?.length) return [];
      return [[name, { rate: Math.max(...own), ceiling: Math.max(...most), share: Math.max(...own) / Math.max(...most) }]];
    }),
  );

  const products = facts.chain ?? { other: '', types: [], columns: [], macs: 0, least: 0 };
  const chain = Object.fromEntries(
    products.types.flatMap((type) =>
      products.columns.flatMap((columns) =>
        builds.flatMap(({ name }) => {
          const ours = samples[key('chain', type, columns, name)],
            theirs = samples[key('chain', type, columns, 'litert')];
          const found = time(ours),
            other = time(theirs),
            { one, four } = ceiling.dots[name],
            all = products.macs * columns,
            dots = columns === 1 ? one : four;
          if (!found) return [];
          // Every round measured both runtimes, so each round has its own ratio.
          const ratio = other && median(theirs.map((ms, round) => ms / ours[round]));
          return [
            [
              `${name} ${type} ${columns}`,
              {
                ...found,
                build: name,
                type,
                columns,
                gigamacs: all / found.median / 1e6,
                share: rate(all, found.min, dots)?.share ?? null,
                small: rate(products.least * columns, time(samples[key('chain', type, columns, name, 'one')])?.min ?? null, dots),
                other: other && { ...other, gigamacs: all / other.median / 1e6 },
                ratio,
              },
            ],
          ];
        }),
      ),
    ),
  );

  const sounds = Object.fromEntries(
    (facts.sounds ?? []).flatMap(({ name: model, rate: hertz, macs }) =>
      builds.flatMap(({ name }) => {
        const found = time(samples[key('sound', model, name)]);
        if (!found) return [];
        const alone = time(samples[key('products', model, name)]);
        const products = alone && { ...alone, ...rate(macs, alone.min, ceiling.dots[name].one) };
        return [
          [
            `${model} ${name}`,
            { ...found, build: name, realTime: 1000 / (hertz * found.median), ...rate(macs, found.min, ceiling.dots[name].one), products },
          ],
        ];
      }),
    ),
  );

  const made = Object.fromEntries(
    (facts.made ?? []).flatMap(({ name: model, macs, all }) =>
      builds.flatMap(({ name }) => {
        const found = time(samples[key('gan', model, name)]);
        if (!found) return [];
        const alone = time(samples[key('convolutions', model, name)]),
          { four } = ceiling.dots[name];
        const convolutions = alone && { ...alone, ...rate(macs, alone.min, four), part: macs / all };
        return [[`${model} ${name}`, { ...found, build: name, ...rate(all, found.min, four), convolutions }]];
      }),
    ),
  );

  const result = {
    chain,
    other: products.other,
    sounds,
    made,
    machine: facts.machine,
    builds,
    chosen,
    summary,
    w1,
    ceiling,
    kernels,
    loops,
    shipped,
    lookAhead,
    prefill,
    samples: together,
    pixels,
    sizes: facts.sizes ?? null,
    peers,
  };
  return { ...result, goals: goals(result) };
}

/** @typedef {{ name: string, value: number, wanted: number, atMost: boolean, met: boolean }} Goal */

/** The project's goals, compared with the measurements of this run. @param {any} result @returns {Goal[]} */
export function goals({ chosen, summary, w1, lookAhead, prefill, samples, pixels, chain = {}, sounds = {}, made = {} }) {
  /** @type {Goal[]} */
  const list = [];
  /** @param {string} name @param {number | null | undefined} value @param {number} wanted @param {boolean} [atMost] */
  const add = (name, value, wanted, atMost = false) => {
    if (value === null || value === undefined) return;
    list.push({ name, value, wanted, atMost, met: atMost ? value <= wanted : value >= wanted });
  };
  for (const { build, type, columns, ratio } of Object.values(/** @type {Record<string, any>} */ (chain))) {
    if (build === chosen)
      add(`times LiteRT.js, products, ${type}, ${columns === 1 ? 'one column' : `${columns} columns`}`, ratio, columns === 1 ? 2.5 : 2);
  }
  for (const [name, { build, realTime, products }] of Object.entries(/** @type {Record<string, any>} */ (sounds))) {
    if (build !== chosen) continue;
    add(`times real time, ${name}`, realTime, 4);
    add(`share of the dot loop, products of ${name}`, products?.share, 0.85);
  }
  for (const [name, { build, median: ms, convolutions }] of Object.entries(/** @type {Record<string, any>} */ (made))) {
    if (build !== chosen) continue;
    add(`ms a picture at once, ${name}`, ms, 30, true);
    add(`share of the dot loop, convolutions of ${name}`, convolutions?.share, 0.7);
  }
  /** @type {[string, string, number[]][]} */
  const ratios = [
    ['4-bit weights', 'w1q4', [12, 14, 12]],
    ['8-bit weights', 'w1q8', [8, 10, 9]],
    ['baseline build', 'w1baseline', [6.5, 6.5, 6.5]],
  ];
  for (const [name, field, wanted] of ratios) {
    Object.entries(summary[field] ?? {}).forEach(([position, one]) => {
      const at = [64, 512, 1000].indexOf(Number(position));
      add(`times the fastest peer, ${name}, position ${position}`, one.ratio, wanted[at]);
    });
  }
  for (const [position, contenders] of Object.entries(w1)) {
    for (const type of ['q4', 'q8']) {
      add(`share of the ceiling, ${type}, position ${position}`, contenders[`${chosen} ${type}`]?.ceiling?.share, 0.85);
    }
  }
  for (const [model, { ceiling }] of Object.entries(samples[chosen] ?? {})) {
    if (!model.startsWith('w1-')) add(`share of the dot loop, ${model}, one sample`, ceiling?.ofDots, 0.6); // this goal is for shipped models only
  }
  for (const [model, { ratio }] of Object.entries(prefill[chosen] ?? {})) add(`16 columns over one, ${model}`, ratio, 2.3);
  for (const [model, { fourOverOne }] of Object.entries(samples[chosen] ?? {})) {
    add(`four samples over one, ${model}`, fourOverOne, 2, true);
  }
  for (const [model, { ratio }] of Object.entries(lookAhead[chosen] ?? {})) {
    add(`look-ahead over pixel by pixel, ${model}`, ratio, model === 'digits' ? 2 : 1.5);
  }
  add('spread of the cost per pixel over sizes', pixels[chosen]?.spread, 0.1, true);
  return list;
}
