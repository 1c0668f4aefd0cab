// SPDX-License-Identifier: MIT
// @ts-check

/** Formats the results of the benchmark as text tables, and as the table in the chapter "Numbers" of the manual. */

/** @param {number | null | undefined} value @param {number} [digits] */
const number = (value, digits = 2) => (value === null || value === undefined ? '-' : value.toFixed(digits));
/** @param {number | null | undefined} share */
const percent = (share) => (share === null || share === undefined ? '-' : `${Math.round(100 * share)} %`);

/**
 * Formats a table as text. The first column is left-aligned, and the other columns are right-aligned.
 *
 * @param {string[]} head
 * @param {string[][]} rows
 */
export function columns(head, rows) {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i].length)));
  /** @param {string[]} row */
  const line = (row) =>
    row
      .map((cell, i) => (i ? cell.padStart(widths[i]) : cell.padEnd(widths[i])))
      .join('  ')
      .trimEnd();
  return [head, ...rows].map(line).join('\n');
}

/** Formats times in microseconds. @param {Record<string, { median: number }>} times */
const micros = (times) => Object.values(times).map(({ median }) => number(1000 * median, 1));

/** Returns the table rows of a section that has one figure per build and model. @template T @param {Record<string, Record<string, T>>}
 * section
 * @param {(one: T) => string[]} cells */
const rows = (section, cells) =>
  Object.entries(section).flatMap(([build, models]) => Object.entries(models).map(([model, one]) => [`${model} ${build}`, ...cells(one)]));

/** A table: title, column headings, rows. @typedef {[string, string[], string[][]]} Table */

/** @param {any} result @returns {Table} */
function decoderTable({ w1 }) {
  const positions = Object.keys(w1).filter((position) => Object.keys(w1[position]).length > 0);
  const names = [...new Set(positions.flatMap((position) => Object.keys(w1[position])))];
  /** @param {any} one */
  const cell = (one) => {
    if (!one) return '-';
    const share = one.ceiling ? ` ${percent(one.ceiling.share)} of ${one.ceiling.limit}` : '';
    return `${number(one.median, 3)} (${number(one.min, 3)})${share}`;
  };
  return [
    'decoder of 6.3 M weights, batch 1, one thread: ms per token, median (least); ours with its share of the ceiling',
    ['', ...positions.map((position) => `at ${position}`)],
    names.map((name) => [name, ...positions.map((position) => cell(w1[position][name]))]),
  ];
}

/** @param {any} result @returns {Table[]} */
function ceilingTables({ ceiling }) {
  const dots = Object.entries(ceiling.dots).filter(([, one]) => one.one);
  const stream = Object.entries(ceiling.stream).filter(([, rate]) => rate);
  return [
    [
      'ceiling: the bare dot loop, G multiply-adds a second',
      ['', 'one column', 'four columns'],
      dots.map(([build, { one, four }]) => [build, number(one, 1), number(four, 1)]),
    ],
    ['ceiling: reading memory, GB a second', ['MB read', 'GB/s'], stream.map(([size, rate]) => [size, number(rate, 1)])],
  ];
}

/** @param {any} result @returns {Table} */
function kernelTable({ kernels }) {
  /** @param {any} one */
  const rate = (one) => (one ? `${number(one.gigamacs, 1)} ${percent(one.share)}` : '-');
  return [
    'kernels, G multiply-adds a second and share of the dot loop; output layer and draw of 240 values, us',
    ['', 'products', 'of 16 columns', 'attention', 'values'],
    Object.entries(kernels).flatMap(([build, types]) =>
      Object.entries(types).map(([type, one]) => [
        `${build} ${type}`,
        rate(one.products),
        rate(one.productsOf16),
        rate(one.attention),
        number(one.values256 === null ? null : 1000 * one.values256, 1),
      ]),
    ),
  ];
}

/** @param {any} result @returns {Table} */
function chainTable({ chain = {}, other: name }) {
  return [
    `the matrix products of that decoder alone, one thread: ms; G multiply-adds a second, and share of the bare dot loop; both of the smallest of them alone, which stays in a cache; how many times as long ${name} takes for as many`,
    ['', 'ours', 'GMAC/s', 'share', 'the smallest', 'share', name, 'GMAC/s', 'times'],
    Object.entries(chain).map(([which, { median, gigamacs, share, small, other, ratio }]) => [
      which,
      number(median, 3),
      number(gigamacs, 1),
      percent(share),
      number(small?.gigamacs, 1),
      percent(small?.share),
      number(other?.median, 3),
      number(other?.gigamacs, 1),
      number(ratio),
    ]),
  ];
}

/** @param {any} result @returns {Table} */
function loopTable({ loops = {} }) {
  /** @type {Record<string, string>} */
  const units = {
    gates: 'gates, G numbers a second of tanh and sigma',
    gru: 'gated recurrent unit, G numbers of a state a second of two sigma and a tanh',
    lstm: 'LSTM, the same of three sigma and two tanh',
    queue: 'taps of a queue, GB a second of one copy',
    patches: 'patches of a picture, the same',
  };
  return [
    'kernels and their upper bounds',
    ['', 'reached', 'at most', 'share'],
    Object.entries(loops).map(([name, { rate, ceiling, share }]) => [units[name], number(rate), number(ceiling), percent(share)]),
  ];
}

/** @param {any} result @returns {Table} */
function shippedTable({ shipped }) {
  /** @type {{ name: string, pixels: number, build: string, one: any }[]} */
  const list = shipped.flatMap((/** @type {any} */ { name, pixels, builds }) =>
    Object.entries(builds).map(([build, one]) => ({ name, pixels, build, one })),
  );
  const atOnce = [...new Set(list.flatMap(({ one }) => Object.keys(one.samples)))];
  return [
    'shipped models, lower half of a picture, from the call to the last pixel (reading the upper half is part of it): ms',
    ['', 'pixels', ...atOnce.map((n) => `${n} at once`), 'us a pixel of one'],
    list.map(({ name, pixels, build, one }) => [
      `${name} ${build}`,
      String(pixels),
      ...atOnce.map((n) => number(one.samples[n]?.median, 1)),
      number(1000 * one.samples[1].perPixel, 1),
    ]),
  ];
}

/** @param {any} result @returns {Table} */
function lookAheadTable({ lookAhead }) {
  return [
    'exact look-ahead, a picture of one sample from nothing, from the call to the last pixel: ms',
    ['', 'without', 'with', 'times'],
    rows(lookAhead, ({ with: ahead, without, ratio }) => [number(without?.median, 1), number(ahead?.median, 1), number(ratio)]),
  ];
}

/** @param {any} result @returns {Table} */
function soundTable({ sounds = {} }) {
  return [
    'a sound, sample by sample, one thread: us a sample, times real time; G multiply-adds a second of the whole step, and share of the bare dot loop; the same of its products alone',
    ['', 'us', 'times real time', 'GMAC/s', 'share', 'products, us', 'GMAC/s', 'share'],
    Object.entries(sounds).map(([name, { median, realTime, gigamacs, share, products }]) => [
      name,
      number(1000 * median, 1),
      number(realTime, 1),
      number(gigamacs, 1),
      percent(share),
      ...(products ? [number(1000 * products.median, 1), number(products.gigamacs, 1), percent(products.share)] : ['-', '-', '-']),
    ]),
  ];
}

/** @param {any} result @returns {Table} */
function madeTable({ made = {} }) {
  return [
    'a picture at once, one thread: ms a picture; G multiply-adds a second of all of it, and share of the bare dot loop of four columns; the same of its convolutions of 8-bit weights alone, and their part of the multiply-adds',
    ['', 'ms', 'GMAC/s', 'share', 'convolutions, ms', 'GMAC/s', 'share', 'part'],
    Object.entries(made).map(([name, { median, gigamacs, share, convolutions }]) => [
      name,
      number(median),
      number(gigamacs, 1),
      percent(share),
      ...(convolutions
        ? [number(convolutions.median), number(convolutions.gigamacs, 1), percent(convolutions.share), percent(convolutions.part)]
        : ['-', '-', '-', '-']),
    ]),
  ];
}

/** @param {any} result @returns {Table[]} */
function columnTables({ prefill, samples, pixels }) {
  const counts = Object.keys(/** @type {any} */ (Object.values(Object.values(samples)[0] ?? {})[0])?.ms ?? {});
  const sides = Object.keys(/** @type {any} */ (Object.values(pixels)[0])?.ms ?? {});
  return [
    [
      'known pixels: us a position; G multiply-adds a second with 16 columns, and share of the dot loop with four',
      ['', 'one column', '16 columns', 'times', 'with 16 columns'],
      rows(prefill, ({ one, sixteen, ratio, gigamacs, share }) => [
        ...micros({ one, sixteen }),
        number(ratio),
        `${number(gigamacs, 1)} ${percent(share)}`,
      ]),
    ],
    [
      'samples that advance together: us a step; share of the dot loop of one',
      ['', ...counts, 'four over one', 'share'],
      rows(samples, ({ ms, fourOverOne, ceiling }) => [...micros(ms), number(fourOverOne), percent(ceiling?.ofDots)]),
    ],
    [
      'cost per pixel by the size of the picture, local attention: us',
      ['', ...sides.map((side) => `${side}x${side}`), 'spread'],
      Object.entries(pixels).map(([build, { ms, spread }]) => [build, ...micros(ms), percent(spread)]),
    ],
  ];
}

/** @param {any} result @returns {Table} */
function llamaTable({ llama = [], missing }) {
  const peers = [...new Set(llama.flatMap((/** @type {any} */ { others }) => others.map((/** @type {any} */ one) => one.name)))];
  return [
    `language models, one thread: ms a token, and of a prompt until its first token; GB a second of weights, and share of what memory is read at, of a prompt G multiply-adds a second, and share of the bare dot loop of four columns; ${missing ?? 'how many times as long others take'}`,
    ['', 'ours', 'GB/s, GMAC/s', 'share', ...peers.flatMap((name) => [name, 'times'])],
    llama.map((/** @type {any} */ { size, type, what, ours, gigabytes, gigamacs, share, others }) => [
      `${size} ${type} ${what === 'prompt' ? 'prompt' : `at ${what}`}`,
      number(ours),
      number(gigabytes ?? gigamacs, 1),
      percent(share),
      ...peers.flatMap((name) => {
        const found = others.find((/** @type {any} */ one) => one.name === name);
        return [number(found?.ms), number(found?.ratio, 1)];
      }),
    ]),
  ];
}

/** @param {any} result @returns {Table} */
function goalTable({ goals }) {
  return [
    'what is promised',
    ['', 'measured', 'wanted', ''],
    goals.map((/** @type {import('./summary.js').Goal} */ { name, value, wanted, atMost, met }) => [
      name,
      number(value),
      `${atMost ? 'at most' : 'at least'} ${wanted}`,
      met ? 'yes' : 'NO',
    ]),
  ];
}

/** @param {any} result  the result of assemble() */
export function text(result) {
  const { machine, sizes, chosen } = result;
  const load = machine.load.map((/** @type {number} */ x) => x.toFixed(1)).join(' -> ');
  const about =
    `${machine.cpu}, ${machine.cores} processors; ${machine.browser}; ${machine.date}; ${machine.runs} rounds; ` +
    `load ${load}\nthe library chooses ${chosen} here`;
  /** @type {Table[]} */
  const tables = [
    decoderTable(result),
    ...ceilingTables(result),
    chainTable(result),
    kernelTable(result),
    loopTable(result),
    shippedTable(result),
    lookAheadTable(result),
    soundTable(result),
    madeTable(result),
    ...columnTables(result),
    llamaTable(result),
    ['bytes of a page', ['', 'gzip KB'], Object.entries(sizes ?? {}).map(([name, bytes]) => [name, number(bytes / 1024, 1)])],
    goalTable(result),
  ];
  const parts = tables.filter(([, , lines]) => lines.length).map(([title, head, lines]) => `${title}\n${columns(head, lines)}`);
  return `${[about, ...parts].join('\n\n')}\n`;
}

/** @param {number | undefined} bytes */
const size = (bytes) => {
  if (!bytes) return '';
  return bytes < 2 ** 20 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 2 ** 20).toFixed(1)} MB`;
};

/** Returns the table for the manual. @param {any} result  the result of assemble() @returns {string} */
export function markdown({ machine, summary, w1, sizes, peers, chosen }) {
  if (!summary.w1 || Object.values(summary.w1).some((one) => one.peer === null)) {
    throw new Error("the manual's table compares with other runtimes: run without --only, or with --only w1");
  }
  const positions = Object.keys(summary.w1);
  /** @param {string[]} cells */
  const row = (cells) => `| ${cells.join(' | ')} |`;
  const own = size(sizes?.['nextpixel, library and wasm']);
  const ours = [
    ['w1q4', '4-bit weights'],
    ['w1q8', '8-bit weights'],
    ['w1baseline', 'without relaxed SIMD'],
  ]
    .filter(([field]) => summary[field])
    .map(([field, name]) => row([`nextpixel, ${name}`, ...positions.map((p) => number(summary[field][p].ours)), own]));
  const others = peers.map((/** @type {{ name: string, gzip?: number }} */ { name, gzip }) =>
    row([name, ...positions.map((p) => number(w1[p][name]?.median)), size(gzip)]),
  );
  return [
    row(['ms per token, decoder of 6.3 M weights, one thread', ...positions.map((p) => `position ${p}`), 'JS + wasm, gzip']),
    `|---|${'---|'.repeat(positions.length + 1)}`,
    ...ours,
    ...others,
    row(['time of the fastest other runtime, divided by ours', ...positions.map((p) => `**${number(summary.w1[p].ratio, 1)}x**`), '']),
    '',
    `\`npm run bench${machine.args && ` -- ${machine.args}`}\`: medians of ${machine.runs} interleaved rounds in one browser, build ${chosen}; ` +
      `${machine.cpu}, ${machine.browser}, ${machine.date.slice(0, 10)}.`,
  ].join('\n');
}

export const BEGIN = '<!-- bench: begin -->';
export const END = '<!-- bench: end -->';

/**
 * Inserts a table between the two marker comments of a page.
 *
 * @param {string} page  the page as Markdown
 * @param {string} table
 */
export function replaceTable(page, table) {
  const begin = page.indexOf(BEGIN),
    end = page.indexOf(END);
  if (begin < 0 || end < begin || page.lastIndexOf(BEGIN) !== begin || page.lastIndexOf(END) !== end) {
    throw new Error(`the chapter of numbers must have the lines ${BEGIN} and ${END} once each, in this order`);
  }
  return `${page.slice(0, begin + BEGIN.length)}\n${table}\n${page.slice(end)}`;
}
