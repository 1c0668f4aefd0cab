// SPDX-License-Identifier: MIT
// Runs the first figure. The figure shows a word, the network that reverses the word, the boxes of the network, the steps of an
// explanation, and switches that turn parts of the network off.
// @ts-check
import {
  acquire,
  acquireFirst,
  announce,
  byId,
  createLoading,
  fault,
  fileNow,
  integer,
  make,
  ownName,
  phrase,
  weights,
} from '../../shell/index.js';
import { weightBytes } from '../../shell/model/weight-bytes.js';
import { createWalk } from '../../shell/page/walk.js';
import { boxOf, boxesOf, groupsOf, headOf as nameOfHead, letter, nameOf } from './boxes.js';
import { createDiagram } from './diagram.js';
import { number } from './explain.js';
import { readFile } from './file.js';
import { ALL_ON, shapeOf, trace } from './networks.js';
import { createSheet } from './sheet.js';
import { cellOf, liveOf, stepsOf } from './walk.js';

/** @import { Model } from '../../shell/index.js' */
/** @import { Box } from './boxes.js' */
/** @import { Matrix } from './graph.js' */
/** @import { WeightFile } from './file.js' */
/** @import { Shape, Trace } from './networks.js' */
/** @import { Step } from './walk.js' */

/** @typedef {{ name: string, file: WeightFile, shape: Shape, boxes: Box[], diagram: ReturnType<typeof createDiagram> }} Network */

const FILES = ['opened.gguf', 'opened-decoder.gguf'];
const REST_MS = 60;
/** Networks with more weights than this are rejected, because their weights cannot be inspected one by one. */
const MOST = 100000;

/** Returns a hash of all bits of all numbers. @param {Iterable<Matrix>} matrices */
function fingerprint(matrices) {
  let hash = 0x811c9dc5;
  for (const { data } of matrices)
    for (const bits of new Uint32Array(data.buffer, data.byteOffset, data.length)) hash = Math.imul(hash ^ bits, 0x01000193);
  return (hash >>> 0).toString(16);
}

/** @param {(pass: { trace: Trace, file: WeightFile, shape: Shape }) => void} onPass called after the network's output was recomputed */
export function createOpened(onPass) {
  /** @type {HTMLInputElement} */
  const input = byId('word');
  const [written, verdict, heads, transport, result] = [byId('written'), byId('verdict'), byId('heads'), byId('transport'), byId('result')];
  /** @type {HTMLSelectElement} */
  const off = byId('off');
  /** @type {HTMLButtonElement} */
  const restore = byId('restore');
  const switches = /** @type {HTMLInputElement[]} */ ([...byId('switches').querySelectorAll('input')]);
  /** The networks that have been requested so far, by file name. @type {Map<string, Promise<Network>>} */
  const networks = new Map();
  /** @type {Map<string, Model>} */
  const models = new Map();
  /** Name of the visitor's file that replaces the first network; '' for none. */
  let own = '';
  /** @type {Network | undefined} */
  let network;
  /** @type {Trace | undefined} */
  let shown;
  /** @type {Box | undefined} */
  let box;
  let head = 0;
  /** Index of the output letter that is selected. */
  let at = 0;
  /** The weights that the visitor has changed, with their original values. @type {Map<Matrix, Map<number, number>>} */
  const changed = new Map();
  let stopper = new AbortController();

  const sheet = createSheet(byId('sheet'), byId('sum'), {
    onGo(matrix, i, j) {
      walk.stop();
      if (!network) return;
      open(boxOf(network.boxes, matrix.name), headOf(matrix.name));
      sheet.keep(matrix, i, j, true);
    },
    onChange(matrix, i, j, by) {
      const place = i * matrix.cols + j;
      const before = changed.get(matrix) ?? new Map([[place, matrix.data[place]]]);
      if (!before.has(place)) before.set(place, matrix.data[place]);
      matrix.data[place] = by ? matrix.data[place] + by : (before.get(place) ?? 0);
      if (by) changed.set(matrix, before);
      else before.delete(place);
      if (before.size === 0) changed.delete(matrix);
      write();
    },
  });
  const walk = createWalk(
    { list: byId('walk'), tools: transport, figure: byId('figure-opened'), view: byId('opened-view') },
    (/** @type {Step} */ step) => {
      if (!network || !shown) return;
      open(/** @type {Box} */ (network.boxes.find(({ id }) => id === step.box)), headOf(step.name));
      network.diagram.flow(leaves, box);
      const matrix = /** @type {Matrix} */ (shown.matrices.get(step.name));
      const row = step.name.startsWith('enc.') ? 0 : step.item.id === 'step-shifted' ? Math.max(1, shown.first + at) : shown.first + at;
      sheet.only(matrix);
      sheet.keep(
        matrix,
        ...cellOf(matrix, step.item.id === 'step-mask' ? Math.min(row, matrix.rows - 2) : row, step.item.id === 'step-mask'),
      );
    },
  );

  /**
   * Returns the number that the animation moves out of a box. This number comes from the last matrix that the box computes: it is the
   * number farthest from zero in the row of the selected position.
   * @param {Box} from
   */
  function leaves(from) {
    if (!network || !shown) return '';
    const { boxes } = network;
    const matrix = [...shown.matrices.values()].filter(({ name }) => boxOf(boxes, name) === from).at(-1);
    if (!matrix) return '';
    const row = matrix.row(Math.min(matrix.rows - 1, from.side === 'enc' ? 0 : shown.first + at));
    return number([...row].reduce((most, x) => (Number.isFinite(x) && Math.abs(x) > Math.abs(most) ? x : most), 0));
  }

  /**
   * Returns the index of the head to which a matrix belongs, or of the selected head if the matrix belongs to no head.
   *
   * @param {string} name
   */
  const headOf = (name) => Number(/\.(?:self|cross)\.(\d)\./.exec(name)?.[1] ?? head);

  /** @param {string} name @returns {Promise<Network>} */
  function bring(name) {
    const coming =
      networks.get(name) ??
      (name === FILES[0] ? fileNow() : weightBytes(weights(name)))
        .then((bytes) => {
          const file = readFile(bytes);
          const shape = shapeOf(file);
          return { name, file, shape, boxes: boxesOf(shape) };
        })
        .then((all) => ({
          ...all,
          diagram: createDiagram(all.boxes, all.shape, (one) => {
            walk.stop();
            open(one);
            announce(nameOf(one, all.shape));
            // On narrow screens, the open box is above the drawing, so the page must scroll to it.
            byId('opened-box').scrollIntoView({ block: 'nearest' });
          }),
        }));
    networks.set(name, coming);
    coming.catch(() => networks.delete(name));
    return coming;
  }

  /** @param {Box | undefined} next @param {number} [which] head */
  function open(next, which = head) {
    if (!network || !shown || !next) return;
    box = next;
    head = Math.min(which, network.shape.heads - 1);
    network.diagram.select(box);
    byId('box-name').textContent = nameOf(box, network.shape);
    heads.hidden = box.kind !== 'attend';
    [...heads.querySelectorAll('input')].forEach((radio, i) => {
      radio.checked = i === head;
    });
    sheet.show({
      groups: groupsOf(box, head, shown, network.file),
      followed: shown.first + at,
      trace: shown,
      file: network.file,
      shape: network.shape,
    });
  }

  const settings = () => ({ ...ALL_ON, ...Object.fromEntries(switches.map(({ value, checked }) => [value, checked])), off: off.value });
  const asTrained = () => changed.size === 0 && off.value === '' && switches.every(({ checked }) => checked);

  /** Returns the ids of the word's letters. */
  function idsOf() {
    const { tokens = [] } = network?.shape ?? {};
    return [...input.value.normalize('NFKC').toLowerCase()]
      .filter((sign) => /[a-z]/.test(sign))
      .map((sign) => tokens.indexOf(sign))
      .filter((id) => id > 0);
  }

  /** Recomputes the network's output for the word, and updates everything that depends on it. */
  function write() {
    if (!network) return;
    const { file, shape, boxes, diagram } = network;
    const ids = idsOf();
    restore.disabled = asTrained();
    if (ids.length === 0) {
      written.replaceChildren();
      verdict.textContent = phrase`Type one to six letters from a to z.`;
      return;
    }
    shown = trace(file, ids, settings());
    at = Math.min(at, shown.written.length - 1);
    const name = (/** @type {number} */ id) => letter(shape.tokens[id]);
    const out = shown.written.map(name).join('');
    const wanted = `${[...ids].reverse().map(name).join('')}⏎`;
    const right = out === wanted;
    verdict.textContent = right ? `✓ ${asTrained() ? '' : phrase`still right`}` : phrase`✗ it should be ${wanted}`;
    verdict.classList.toggle('wrong', !right);
    showWritten();
    const read = shown.source.map(name).join(' ');
    const wrote = shown.written.slice(0, -1).map(name).join(' ');
    diagram.label(shape.kind === 'gpt2' ? [`${read} ${wrote}`] : [read, `⇥ ${wrote}`], shown.written.map(name).join(' '));
    diagram.flow(leaves);
    walk.tell(liveOf({ trace: shown, shape, at }));
    if (box && boxes.includes(box)) open(box);
    onPass({ trace: shown, file, shape });
    agree();
  }

  /** Shows the output letters as buttons. Pressing a letter selects the position that predicted it. */
  function showWritten() {
    if (!shown || !network) return;
    const { written: ids, matrices, first } = shown;
    const { tokens } = network.shape;
    const odds = /** @type {Matrix} */ (matrices.get('odds'));
    written.replaceChildren(
      ...ids.map((id, i) => {
        const radio = make('input', { type: 'radio', name: 'letter', value: String(i) });
        radio.checked = i === at;
        radio.addEventListener('change', () => {
          at = i;
          if (!shown || !network) return;
          walk.tell(liveOf({ trace: shown, shape: network.shape, at }));
          if (walk.step) walk.goTo(walk.step.id);
        });
        return make(
          'label',
          { class: 'letter' },
          radio,
          make('b', {}, letter(tokens[id])),
          make('span', {}, `${Math.round(100 * odds.at(first + i, id))}%`),
        );
      }),
    );
  }

  /** Runs the engine on the same word, and compares its prediction of each letter with the prediction computed here. */
  async function agree() {
    stopper.abort();
    const { signal } = (stopper = new AbortController());
    const model = network && models.get(network.name);
    if (!network || !shown || !model) return;
    if (!asTrained()) {
      result.textContent = '';
      return;
    }
    const { shape } = network;
    const { source, written: ids, matrices, first } = shown;
    const odds = /** @type {Matrix} */ (matrices.get('odds'));
    /** @type {{ token: number, nats: number }[]} */
    const steps = [];
    try {
      const run =
        shape.kind === 'gpt2'
          ? model.generate(source, { temperature: 0, maxTokens: ids.length, signal })
          : model.translate(source, { signal });
      for await (const step of run) steps.push(step);
    } catch (error) {
      if (!signal.aborted) loading.failed(error);
      return;
    }
    if (signal.aborted) return;
    const said = (/** @type {number[]} */ all) =>
      all
        .filter((id) => id !== shape.end)
        .map((id) => shape.tokens[id])
        .join('');
    const apart = steps.map(({ token, nats }, i) => Math.abs(Math.exp(-nats) - odds.at(first + i, token)));
    const same = said(steps.map(({ token }) => token)) === said(ids) && apart.every((x) => x < 1e-5);
    verdict.textContent = `✓ ${same ? phrase`The WebAssembly model gives the same word, bit for bit.` : phrase`The engine writes another word.`}`;
    // Writes the output as text, so that tests can check that all engines agree to the last bit.
    result.textContent = `${said(source)}: ${said(ids)}; ${ids.map((id, i) => odds.at(first + i, id)).join(' ')}; ${steps.map(({ nats }) => nats).join(' ')}; ${fingerprint(matrices.values())}`;
    transport.dataset.phase = 'done';
  }

  /** Restores the original weights. */
  function putBack() {
    for (const [matrix, before] of changed) for (const [place, value] of before) matrix.data[place] = value;
    changed.clear();
  }

  /** @param {string} name name of the file */
  async function use(name) {
    const next = await bring(name);
    if (chosen() !== name) return; // another network was chosen in the meantime
    putBack();
    network = next;
    const { shape, boxes, diagram } = network;
    byId('diagram').replaceChildren(diagram.root);
    heads.replaceChildren(
      ...Array.from({ length: shape.heads }, (_, i) => {
        const radio = make('input', { type: 'radio', name: 'head', value: String(i) });
        radio.addEventListener('change', () => open(box, i));
        return make('label', {}, radio, ' ', phrase`head ${i + 1}`);
      }),
    );
    const names = boxes.filter(({ kind }) => kind === 'attend');
    off.replaceChildren(
      make('option', { value: '' }, phrase`none`),
      ...names.flatMap((one) =>
        Array.from({ length: shape.heads }, (_, i) => make('option', { value: `${one.id}.${i}` }, nameOfHead(one, shape, i))),
      ),
    );
    box = undefined;
    write();
    if (!shown) return;
    walk.use(stepsOf(byId('walk'), shape, shown.matrices, (matrix) => boxOf(boxes, matrix)?.id ?? ''));
    if (transport.dataset.phase === 'empty') transport.dataset.phase = 'ready';
  }
  const chosen = () => /** @type {HTMLInputElement} */ (document.querySelector('input[name=network]:checked')).value;

  /**
   * Loads the model in FILES[0], or the visitor's model instead. Throws if the model has more than MOST parameters, or lacks a part that
   * the page shows.
   *
   * @param {Parameters<typeof acquireFirst>[0]} options
   */
  async function acquireNetwork(options) {
    const hold = await acquireFirst(options);
    try {
      if (hold.model.info.parameters > MOST)
        throw new Error(phrase`It has ${integer(hold.model.info.parameters)} numbers; this page can show at most ${integer(MOST)}.`);
      if (own !== ownName()) networks.delete(FILES[0]);
      own = ownName();
      trace((await bring(FILES[0])).file, [1], ALL_ON); // throws if the file lacks anything that the boxes show
      return hold;
    } catch (error) {
      hold.release();
      throw error;
    }
  }

  /** @param {string} name */
  const loadingOf = (name) =>
    createLoading(byId('load'), {
      acquire: async (options) => [await (name === FILES[0] ? acquireNetwork(options) : acquire(weights(name), options))],
      async onModels([model]) {
        models.set(name, model);
        const now = await bring(name);
        if (network && network !== now && network.name === name)
          await use(name); // the visitor's file has replaced the model of this network
        else void agree();
      },
      onLost() {
        models.delete(name);
      },
    });
  const loading = loadingOf(FILES[0]);
  /** @type {ReturnType<typeof createLoading> | undefined} */
  let second;

  let timer = 0;
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = Number(
      setTimeout(() => {
        at = 0;
        write();
        if (walk.step) walk.goTo(walk.step.id);
      }, REST_MS),
    );
  });
  for (const one of [...switches, off])
    one.addEventListener('change', () => {
      write();
      announce(verdict.textContent ?? '');
    });
  restore.addEventListener('click', () => {
    putBack();
    for (const one of switches) one.checked = true;
    off.value = '';
    write();
    input.focus();
  });
  for (const radio of document.querySelectorAll('input[name=network]')) {
    radio.addEventListener('change', async () => {
      const name = chosen();
      try {
        await use(name);
      } catch (error) {
        verdict.textContent = fault(error);
        return;
      }
      if (name !== FILES[0] && !models.has(name)) (second ??= loadingOf(name)).load();
    });
  }
  addEventListener('hashchange', () => {
    if (walk.goTo(location.hash.slice(1))) byId('figure-opened').scrollIntoView();
  });
  return Promise.all([
    use(FILES[0]).then(() => {
      if (location.hash.startsWith('#step-')) byId('figure-opened').scrollIntoView();
      walk.beginByItself();
    }),
    loading.load(),
  ]);
}
