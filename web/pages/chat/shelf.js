// SPDX-License-Identifier: MIT
// Builds the shelf, a list of chat models by other authors. One click loads a model from the Hugging Face Hub; nothing is fetched before
// that. A loaded model stays on this device until the visitor removes it.
// @ts-check
import { announce, byId, cache, fault, load, make, part, phrase } from '../../shell/index.js';
/** @import { ChatModel } from '../../lib/chat-models.js' */
/** @import { Model } from '../../shell/index.js' */

const page = document.documentElement.lang || 'en';
const size = (/** @type {number} */ bytes) => (bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.round(bytes / 1e6)} MB`);

/** Number of languages that a card lists. */
const NAMED = 4;

/** Lists a model's languages, starting with the language of the page. @param {ChatModel} model */
function languagesOf({ languages, languageCount = languages.length }) {
  const names = new Intl.DisplayNames([page], { type: 'language' });
  const some = [...new Set([...languages.filter((code) => code === page), ...languages])].slice(0, NAMED);
  const named = some.map((code) => names.of(code)).join(', ');
  return languageCount > some.length ? phrase`${named} and others, ${languageCount} in all` : named;
}

/** @param {number} rate tokens per second */
const pace = (rate) => (rate >= 15 ? phrase`fast` : rate >= 5 ? phrase`about reading speed` : phrase`slower than reading`);

/** Returns whether a cached file belongs to a model. @param {ChatModel} model @param {{ url: string }} file */
function isOf(model, { url }) {
  const [, path, revision, file] = /^hf:(.*)@([^/]*)\/(.*)$/.exec(model.url) ?? [];
  return url.endsWith(`/${path}/resolve/${revision}/${file}`);
}

/**
 * Describes an error and what the visitor can do next.
 * @param {any} error
 * @param {string} name
 * @param {boolean} part whether part of the file is already stored
 */
function wrong(error, name, part) {
  const answer = /answered (\d+)/.exec(error.message)?.[1];
  if (error.code === 'network' && answer && Number(answer) < 500)
    return phrase`${name} is not at its address any more (the server answered ${answer}). Choose another model, or open a file that you have.`;
  if (error.code === 'network' && part)
    return phrase`The download of ${name} was interrupted. The part that has arrived stays on this device: press Resume once there is a connection.`;
  if (error.code === 'network')
    return phrase`${name} could not be fetched. Check the connection, then press Load again. (${error.message})`;
  return phrase`${name} does not run on this device. Try a smaller model. ${fault(error)}`;
}

/**
 * @param {{ onModel: (model: Model) => void, focus: () => void, before?: string }} hooks  onModel: called with a loaded model, and
 *   responsible for closing this model later; focus: moves the focus to the chat; before: name of the model that answered before a reload
 * @returns {Promise<{ clear: () => void }>}  clear: updates the list; call it when a model that is not from the list becomes the chat's
 *   model
 */
export async function createShelf({ onModel, focus, before }) {
  const { chatModels, memoryOf, suggestedModel, tokensPerSecondOf } = await part(() => import('../../lib/chat-models.js'));
  const { deviceMemory } = /** @type {{ deviceMemory?: number }} */ (navigator);
  const suggested = suggestedModel({ deviceMemory, language: page });
  const said = byId('shelf-said');
  /**
   * The model that is being loaded, and the controller that aborts its download.
   * @type {{ model: ChatModel, stopper: AbortController } | undefined}
   */
  let loading;
  /** The model that currently answers. @type {ChatModel | undefined} */
  let answering;

  /** @param {string} text */
  const tell = (text) => {
    said.textContent = text;
    announce(text);
  };

  const cards = chatModels.map((model) => {
    const { name, maker, bytes, license, licenseUrl } = model;
    const state = make('p', { class: 'shelf-state' });
    const bar = make('progress', { max: String(bytes), value: '0', 'aria-label': phrase`Loading ${name}`, hidden: '' });
    const main = make('button', { type: 'button', class: 'button' });
    const remove = make('button', { type: 'button', class: 'button', hidden: '' }, phrase`Remove from this device`);
    const root = make(
      'li',
      { class: 'shelf-card' },
      make(
        'p',
        { class: 'shelf-name' },
        make('b', { lang: 'en' }, name),
        ...(model === suggested ? [make('span', { class: 'shelf-hint' }, phrase`suggested here`)] : []),
      ),
      make('p', {}, phrase`${size(bytes)} to download, ${size(memoryOf(model))} of memory`),
      make('p', {}, languagesOf(model)),
      make('p', {}, pace(tokensPerSecondOf(model))),
      make('p', {}, `${maker}, `, make('a', { href: licenseUrl, lang: 'en' }, license)),
      bar,
      state,
      make('div', { class: 'shelf-tools' }, main, remove),
    );

    /** @param {{ bytes: number, size?: number } | undefined} file  the model's file on this device */
    const show = (file) => {
      const busy = loading?.model === model;
      const now = answering === model;
      const part = file?.size !== undefined;
      bar.hidden = !busy;
      root.toggleAttribute('aria-current', now);
      state.textContent = now
        ? phrase`answers now`
        : busy
          ? ''
          : part
            ? phrase`${size(file.bytes)} of ${size(bytes)} are on this device`
            : file
              ? phrase`on this device`
              : '';
      main.textContent = busy ? phrase`Cancel` : part ? phrase`Resume` : file ? phrase`Open` : phrase`Load`;
      main.setAttribute('aria-label', `${main.textContent}: ${name}`);
      main.disabled = now;
      remove.setAttribute('aria-label', `${remove.textContent}: ${name}`);
      remove.hidden = busy || !file;
    };
    main.addEventListener('click', () => (loading?.model === model ? loading.stopper.abort() : begin(model)));
    remove.addEventListener('click', async () => {
      try {
        await cache.delete(model.url);
        await showAll();
        tell(phrase`${name} was removed from this device.`);
        main.focus();
      } catch (error) {
        tell(`${fault(error)}.`);
      }
    });
    return { model, root, bar, state, main, show };
  });

  async function showAll() {
    const kept = await cache.list();
    for (const { model, show } of cards) show(kept.find((file) => isOf(model, file)));
  }

  /** @param {ChatModel} model */
  async function begin(model) {
    loading?.stopper.abort();
    const mine = (loading = { model, stopper: new AbortController() });
    const { signal } = mine.stopper;
    const { name, url, bytes } = model;
    const card = cards.find((one) => one.model === model);
    await showAll();
    tell(phrase`Loading ${name}`);
    /** The status message. It is not shown if the visitor has chosen another model in the meantime. */
    let text = '';
    try {
      const loaded = await load(url, {
        signal,
        onProgress(progress) {
          if (!card || loading !== mine) return;
          card.bar.value = progress.loaded;
          card.state.textContent = phrase`${size(progress.loaded)} of ${size(bytes)}`;
        },
      });
      if (loading !== mine) return loaded.close();
      answering = model;
      onModel(loaded);
      text = [phrase`${name} answers now.`, ...loaded.info.warnings].join(' ');
    } catch (error) {
      if (loading !== mine) return void showAll(); // the cards show whether part of the file has been stored
      const part = (await cache.list()).some((file) => file.size !== undefined && isOf(model, file));
      text = signal.aborted ? phrase`Loading was cancelled.` : wrong(error, name, part);
    }
    if (loading !== mine) return;
    loading = undefined;
    const here = document.activeElement === card?.main;
    await showAll();
    tell(text);
    if (here && answering === model) focus(); // moves the focus from the button that loaded the model to the chat
  }

  const first = cards.filter(({ model }) => model === suggested);
  byId('shelf').replaceChildren(...new Set([...first, ...cards].map(({ root }) => root)));
  await showAll();
  if (before) tell(phrase`Your conversation is still here. Open ${before} again to continue it.`);
  return {
    clear() {
      answering = undefined;
      void showAll();
    },
  };
}
