// SPDX-License-Identifier: MIT
// Runs the playground, a form in which the reader chooses a model, a verb and options. Shows the code of the call and its result. This
// file is served unchanged.
// @ts-check

/** @typedef {import('../lib/index.js').Model} Model */
/** @typedef {{ name: string, of: string, whole?: [number, number], number?: [number, number], flag?: true, initial?: number | boolean, said: string }} Setting */
/** @typedef {{ verbs: Record<string, { draws: boolean, reads: boolean, several: boolean, text: boolean }>, kinds: Record<string, Record<string, string>>, settings: Setting[] }} Tables */

const byId = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
const library = /** @type {HTMLLinkElement} */ (byId('library')).href;
const addresses = new Map(
  [.../** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll('a.weights'))].map((link) => [
    link.textContent ?? '',
    link.href,
  ]),
);

/** @type {Tables} */
let tables;
/** @type {Model | undefined} */
let model;
/** Name of the model's file, as shown in the code. */
let file = '';
let loading = new AbortController();
let running = new AbortController();
/**
 * The arguments and options that the form's fields provide: for each, its code and its value.
 *
 * @type {{ code: () => string, value: () => any }[]}
 */
let given = [];
/** @type {Map<string, { code: () => string, value: () => any }>} */
const options = new Map();

/** @param {string} tag @param {Record<string, string>} attributes @param {...(Node | string)} children */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return /** @type {any} */ (element);
}

const verbOf = () => ({ name: byId('play-verb').value, ...tables.verbs[byId('play-verb').value] });
const quoted = (/** @type {string} */ text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;

/** @param {string} id @param {string} name @param {HTMLElement} input */
const field = (id, name, input) => make('p', {}, make('label', { for: id }, name), ' ', input);

/** Adds a field for a string argument. @param {string} name @param {string} initial */
function textField(name, initial) {
  const input = make('input', { id: `play-${name}`, type: 'text', value: initial, autocomplete: 'off', spellcheck: 'false' });
  byId('play-given').append(field(input.id, name, input));
  input.addEventListener('input', showCode);
  given.push({ code: () => quoted(input.value), value: () => input.value });
}

/** Adds a field for a numeric argument. @param {string} name @param {string} initial */
function numberField(name, initial) {
  const input = make('input', { id: `play-${name}`, type: 'number', value: initial, min: '0' });
  byId('play-given').append(field(input.id, name, input));
  input.addEventListener('input', showCode);
  given.push({ code: () => input.value || '0', value: () => Number(input.value) });
}

/**
 * Adds a field for picture files or a sound file. If no file is chosen, the argument is this manual's example digit.
 *
 * @param {string} name
 * @param {boolean} sound
 * @param {boolean} many
 */
function fileField(name, sound, many) {
  const input = make('input', { id: `play-${name}`, type: 'file', accept: sound ? 'audio/*' : 'image/*', ...(many && { multiple: '' }) });
  byId('play-given').append(
    field(
      input.id,
      many
        ? 'Pictures: first the one to classify, then the examples (file names are the labels)'
        : `${name}${sound ? '' : ' (if empty: a digit)'}`,
      input,
    ),
  );
  input.addEventListener('change', showCode);
  const picture = (/** @type {File | undefined} */ one) =>
    one
      ? createImageBitmap(one)
      : fetch(new URL('../pictures/seven.png', import.meta.url))
          .then((answer) => answer.blob())
          .then((blob) => createImageBitmap(blob));
  if (many) {
    given.push({ code: () => 'query', value: () => picture(input.files[0]) });
    options.set('support', {
      code: () => 'support',
      value: () =>
        Promise.all([...input.files].slice(1).map(async (one) => ({ label: one.name.replace(/\.\w+$/, ''), image: await picture(one) }))),
    });
  } else given.push({ code: () => name, value: () => (sound ? input.files[0] : picture(input.files[0])) });
}

/** Shows the fields for the selected verb. */
function showVerb() {
  if (!model) return;
  const { name, reads, several, text } = verbOf();
  const { info } = model;
  given = [];
  options.clear();
  byId('play-given').replaceChildren();
  const sound = 'sampleRate' in info;
  if (name === 'generate' && info.kind === 'text') textField('prompt', 'Once upon a time');
  else if (name === 'translate')
    textField('sentence', 'languages' in info && info.languages[0] === 'de' ? 'Ein Hund läuft durch den Schnee.' : 'stop');
  else if (text) textField('text', 'Time flies like an arrow.');
  else if (name === 'score' && info.kind === 'text') textField('text', 'Once upon a time');
  else if (name === 'walk') ['from', 'to'].forEach((end, i) => numberField(end, String(i + 1)));
  else if (several) fileField('pictures', false, true);
  else if (reads) fileField(sound ? 'sound' : 'image', sound, false);
  const of = tables.kinds[info.kind]?.[name] ?? '';
  const rows = tables.settings.filter(
    (row) =>
      of &&
      row.of.split(' ').includes(of) &&
      (row.name !== 'label' || info.classes.length > 0) &&
      (row.name !== 'speaker' || ('speakers' in info && info.speakers.length > 0)),
  );
  byId('play-options').replaceChildren(...rows.map(optionField));
  byId('play-more').hidden = rows.length === 0;
  showCode();
}

/** @param {Setting} row */
function optionField({ name, whole, number, flag, initial, said }) {
  const id = `play-option-${name}`;
  const { classes = undefined, speakers = undefined } = /** @type {{ classes?: string[], speakers?: string[] }} */ (model?.info ?? {});
  const names = name === 'label' ? classes : name === 'speaker' ? speakers : undefined;
  const [low, high] = whole ?? number ?? (name === 'seed' ? [0, Number.MAX_SAFE_INTEGER] : []);
  const input = names
    ? make('select', { id }, make('option', { value: '' }, ''), ...names.map((one) => make('option', {}, one)))
    : flag
      ? make('select', { id }, ...['', 'true', 'false'].map((one) => make('option', {}, one)))
      : low === undefined
        ? make('input', { id, type: 'text', autocomplete: 'off' })
        : make('input', {
            id,
            type: 'number',
            min: String(low),
            max: String(high),
            step: number ? 'any' : '1',
            ...(initial !== undefined && { placeholder: String(initial) }),
          });
  input.addEventListener('input', () => {
    const text = input.value;
    if (text === '') options.delete(name);
    else
      options.set(name, {
        code: () => (names || (low === undefined && !flag) ? quoted(text) : text),
        value: () => (names || (low === undefined && !flag) ? text : flag ? text === 'true' : Number(text)),
      });
    showCode();
  });
  return make('div', {}, make('label', { for: id }, make('code', {}, name)), ' ', input, make('p', {}, said));
}

/** Shows the code of the call. */
function showCode() {
  const { name, draws, text } = verbOf();
  const own = [...options].map(([option, { code }]) => (code() === option ? option : `${option}: ${code()}`)).join(', ');
  const call = `model.${name}(${[...given.map(({ code }) => code()), ...(own ? [`{ ${own} }`] : [])].join(', ')})`;
  const lines = ["import { load } from 'nextpixel';", '', `const model = await load(${quoted(file)});`];
  if (draws) lines.push(`const run = ${call};`, 'await run.drawTo(canvas);');
  else if (name === 'score') lines.push(`console.log(await ${call});`);
  else lines.push(`const answer = await ${call};`, text ? 'await answer.drawTo(canvas);' : 'console.log(answer);');
  byId('play-code').textContent = lines.join('\n');
}

/** Returns a result without its long lists. @param {Record<string, any>} answer */
const facts = (answer) =>
  JSON.stringify(
    answer,
    (key, value) =>
      ArrayBuffer.isView(value) || (Array.isArray(value) && value.length > 40)
        ? `${value.constructor.name}(${/** @type {any} */ (value).length})`
        : typeof value === 'bigint'
          ? String(value)
          : value,
    2,
  );

/** @param {string} text */
function show(text) {
  byId('play-result').textContent = text;
  byId('play-result').hidden = text === '';
}

async function run() {
  if (!model) return;
  running.abort();
  running = new AbortController();
  const { signal } = running;
  const { name, draws } = verbOf();
  const canvas = byId('play-canvas');
  byId('play-stop').disabled = false;
  byId('play-said').textContent = 'Running';
  show('');
  try {
    const values = await Promise.all(given.map(({ value }) => value()));
    const settings = {
      ...Object.fromEntries(await Promise.all([...options].map(async ([option, { value }]) => [option, await value()]))),
      signal,
    };
    const answer = /** @type {any} */ (model)[name](...values, settings);
    canvas.classList.toggle('written', !['picture', 'latent'].includes(model.info.kind));
    if (draws) {
      await answer.drawTo(canvas, { signal });
      show(
        facts({
          seed: answer.seed,
          finish: answer.finish,
          ...(answer.wav && { samples: (await answer.samples()).length, sampleRate: answer.sampleRate }),
        }),
      );
    } else {
      const told = await answer;
      if (told.drawTo) await told.drawTo(canvas, { signal });
      show(facts({ ...told }));
    }
    byId('play-said').textContent = 'Done';
  } catch (error) {
    if (!signal.aborted) byId('play-said').textContent = /** @type {Error} */ (error).message;
  }
  if (!signal.aborted) byId('play-stop').disabled = true;
}

/** @param {any} source @param {string} name */
async function open(source, name) {
  loading.abort();
  running.abort();
  loading = new AbortController();
  const { signal } = loading;
  for (const id of ['play-run', 'play-stop', 'play-verb']) byId(id).disabled = true;
  byId('play-said').textContent = `Loading ${name}`;
  try {
    const { load } = await import(library);
    const opened = await load(source, { signal });
    model?.close();
    model = /** @type {Model} */ (opened);
    file = name;
    byId('play-verb').replaceChildren(
      ...model.info.verbs.filter((verb) => tables.verbs[verb]).map((verb) => make('option', { value: verb }, `${verb}()`)),
    );
    for (const id of ['play-run', 'play-verb']) byId(id).disabled = false;
    byId('play-said').textContent =
      `${model.info.name}: ${model.info.parameters.toLocaleString('en')} parameters, ${model.info.architecture}`;
    showVerb();
  } catch (error) {
    if (!signal.aborted) byId('play-said').textContent = /** @type {Error} */ (error).message;
  }
}

try {
  tables = await (await fetch(new URL('playground.json', import.meta.url))).json();
} catch (error) {
  byId('play-said').textContent = 'Could not load the tables of verbs and options. Reload the page when you are online.';
  throw error;
}
byId('play-file').addEventListener('change', () => open(addresses.get(byId('play-file').value), byId('play-file').value));
byId('play-own').addEventListener('change', () => {
  const [own] = byId('play-own').files;
  if (own) open(own, own.name);
});
byId('play-verb').addEventListener('change', showVerb);
byId('play-run').addEventListener('click', run);
byId('play-stop').addEventListener('click', () => {
  running.abort();
  byId('play-stop').disabled = true;
  byId('play-said').textContent = 'Stopped';
});
await open(addresses.get(byId('play-file').value), byId('play-file').value);
