// SPDX-License-Identifier: MIT
// Starts the chat page. The page's own model continues a story. Models from the list above the chat, and models that the visitor opens,
// answer messages; the chat template comes from the model's file.
// @ts-check
import {
  acquireFirst,
  byId,
  createLoading,
  fault,
  integer,
  make,
  ownFiles,
  phrase,
  reducedMotion,
  startPage,
  talks,
} from '../../shell/index.js';
import { createOwn, showCard } from '../../shell/text/index.js';
import { createShelf } from './shelf.js';
/** @import { Message, Model, Talk } from '../../shell/index.js' */

const FIRST = 'Once upon a time, there was a';
/** Key in sessionStorage for the conversation, so that a reload restores it. */
const KEPT = 'nextpixel-chat';

/**
 * Reads the stored conversation: the messages, an unsent message, the model's name, and whether the model has a template.
 * @returns {{ messages: Message[], draft: string, name: string, chat: boolean } | undefined}
 */
function keptConversation() {
  try {
    const { messages, draft, name, chat } = JSON.parse(sessionStorage.getItem(KEPT) ?? 'null') ?? {};
    const isText = (/** @type {unknown} */ one) => typeof one === 'string';
    // Ignores conversations in the format of earlier versions.
    if (!Array.isArray(messages) || !messages.every((one) => isText(one?.role) && isText(one?.content))) return undefined;
    return { messages, draft: isText(draft) ? draft : '', name: String(name), chat: chat === true };
  } catch {
    return undefined; // the browser may forbid storage
  }
}

/** Deletes the stored conversation; otherwise it would reappear after a reload. */
function forgetConversation() {
  try {
    sessionStorage.removeItem(KEPT);
  } catch {
    // If the browser forbids storage, no conversation is stored.
  }
}

/** @param {Talk} Box  the class of the chat box @param {string} continuing  template for models without a chat template */
function createPage(Box, continuing) {
  /** @type {HTMLInputElement} */
  const temperature = byId('temperature');
  /** @type {HTMLInputElement} */
  const length = byId('length');
  /** @type {Model | undefined} */
  let model;
  const settings = () => ({
    temperature: Number(temperature.value) / 20,
    maxTokens: 2 ** Number(length.value),
    minP: 0.02,
    ...(!model?.info.chatTemplate && { template: continuing }),
  });
  const room = make('div', {});
  byId('talk').attachShadow({ mode: 'open' }).append(room);
  const talk = new Box(room, {
    options: settings,
    seed: () => (model?.info.chatTemplate ? undefined : 1),
    onEnd: () => keep(),
    onError: (/** @type {any} */ error) => {
      if (model === story && (error.code === 'trap' || error.code === 'closed')) loading.failed(error);
    },
  });
  const kept = keptConversation();
  /** Whether the messages were written with a model that has a template. */
  let chat = kept?.chat ?? false;
  /** Whether the visitor has written anything in the conversation. */
  let touched = kept !== undefined;
  talk.field.value = kept ? kept.draft : FIRST;
  if (kept) talk.messages = kept.messages;

  /** Stores the conversation in this tab, so that it survives a reload. */
  function keep() {
    if (!touched) return;
    try {
      const { messages, field } = talk;
      const { name = kept?.name } = model?.info ?? {};
      if (messages.length === 0 && !field.value) sessionStorage.removeItem(KEPT);
      else sessionStorage.setItem(KEPT, JSON.stringify({ messages, draft: field.value, name, chat }));
    } catch {
      forgetConversation(); // if storage is forbidden or full, a reload must start a new conversation
    }
  }
  talk.field.addEventListener('input', () => {
    touched = true;
  });
  addEventListener('pagehide', keep);
  document.addEventListener('visibilitychange', keep);

  /** The page's own model. @type {Model | undefined} */
  let story;

  /** @param {Model} next */
  function use(next) {
    model = next;
    talk.use(next);
    const { name, chatTemplate } = next.info;
    byId('talk-model').textContent =
      next === story
        ? phrase`${name}, a storyteller: it continues your story and answers no questions`
        : chatTemplate
          ? phrase`${name}, with the template in its file`
          : phrase`${name}, which has no chat template: it continues the text`;
    byId('template-text').textContent = next.info.chatTemplate || continuing;
    showCard(next);
  }

  /**
   * Replaces the model that currently answers. The messages stay if both the old and the new model have a chat template.
   *
   * @param {Model} next
   */
  function replace(next) {
    const before = model;
    const has = next.info.chatTemplate !== '';
    if (!(chat && has)) talk.clear();
    chat = has;
    touched = true;
    use(next);
    if (before !== story) before?.close();
  }

  const loading = createLoading(byId('load'), {
    acquire: async (how) => [await acquireFirst(how)],
    onModels([loaded]) {
      story = loaded;
      if (model) return; // the visitor has chosen another model in the meantime
      use(loaded);
      if (!kept && !reducedMotion() && talk.field.value === FIRST) talk.send();
    },
    onLost() {
      if (model === story) {
        model = undefined;
        talk.use(undefined);
      }
      story = undefined;
    },
  });
  const shelf = createShelf({ onModel: replace, focus: () => talk.field.focus(), before: kept?.chat ? kept.name : undefined });
  // If the list cannot be loaded, the rest of the page still works.
  shelf.catch((error) => {
    byId('shelf-said').textContent = `${fault(error)}.`;
  });
  createOwn({
    says: (name) => phrase`${name} answers now.`,
    onModel(next) {
      replace(next);
      shelf.then(
        ({ clear }) => clear(),
        () => {},
      );
    },
  });
  const show = () => {
    byId('temperature-text').textContent = (Number(temperature.value) / 20).toFixed(2);
    byId('length-text').textContent = phrase`${integer(2 ** Number(length.value))} tokens`;
  };
  for (const input of [temperature, length]) input.addEventListener('input', show);
  show();
  return loading.load();
}

startPage(
  talks()
    .then(({ Talk, CONTINUING }) => createPage(Talk, CONTINUING))
    .then(ownFiles),
);
