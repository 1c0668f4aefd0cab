// SPDX-License-Identifier: MIT
// The chat page: with its own model, a story by two authors; with a file of the visitor, a chat by the file's template.
// @ts-check
import { acquireFirst, byId, createLoading, integer, make, ownFiles, phrase, reducedMotion, startPage, talks } from '../../shell/index.js';
import { createOwn, showCard } from '../../shell/text/index.js';
/** @import { Model, Talk } from '../../shell/index.js' */

/** A chat with a model without a template: one text, to which each adds a stretch. */
const TALE =
  "{% for message in messages %}{{ message.content if loop.first or message.role != 'user' else ' ' + message.content }}{% endfor %}";
const FIRST = 'Once upon a time, there was a';

/** @param {Talk} Box  the chat box */
function createPage(Box) {
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
    ...(!model?.info.chatTemplate && { template: TALE }),
  });
  const room = make('div', {});
  byId('talk').attachShadow({ mode: 'open' }).append(room);
  const talk = new Box(room, {
    options: settings,
    seed: () => (model?.info.chatTemplate ? undefined : 1),
    onError: (/** @type {any} */ error) => {
      if (error.code === 'trap' || error.code === 'closed') loading.failed(error);
    },
  });
  talk.field.value = FIRST;

  /** @param {Model} next */
  function use(next) {
    model = next;
    talk.use(next);
    byId('talk-model').textContent = next.info.chatTemplate
      ? phrase`${next.info.name}, with the template in its file`
      : phrase`${next.info.name}, which has no chat template: it continues the text`;
    byId('template-text').textContent = next.info.chatTemplate || TALE;
    showCard(next);
  }

  const loading = createLoading(byId('load'), {
    acquire: async (how) => [await acquireFirst(how)],
    onModels([loaded]) {
      use(loaded);
      if (!reducedMotion() && talk.field.value === FIRST) talk.send();
    },
    onLost() {
      model = undefined;
      talk.use(undefined);
    },
  });
  createOwn({
    says: (name) => phrase`${name} answers now.`,
    onModel(next) {
      talk.clear();
      use(next);
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
    .then(({ Talk }) => createPage(Talk))
    .then(ownFiles),
);
