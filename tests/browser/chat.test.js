// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the chat page and <next-pixel task="chat">: chatting by keyboard and at phone size, and stopping, continuing and editing answers.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { load } from '../../web/lib/index.js';
import { GOLDEN } from '../js/helpers.js';
import { toyText } from '../js/toy-text.js';
import { more } from '../more.js';
import { openEmpty, provide, session } from './browser.js';
import { axeFindsNothing, fits, isKept } from './checks.js';

/** @import { Page } from 'playwright-core' */
/** @import { Message } from '../../web/lib/index.js' */

const { withPage } = session();
const WAIT = { timeout: 30000 };
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const TEMPLATE = '{% for message in messages %}<s>{{ message.role }}: {{ message.content }}</s>{% endfor %}<s>assistant: ';
const toy = toyText({ context: 512, metadata: { 'tokenizer.chat_template': ['string', TEMPLATE] } });
const weights = await readFile(`${GOLDEN}stories260K.gguf`);

/** @param {Page} page */
async function open(page) {
  await provide(page, '/weights*/stories.gguf', weights);
  await page.goto('/web/pages/chat/');
  await page.locator('[data-phase=done]').waitFor(WAIT);
}

/** @param {Page} page */
async function bring(page) {
  await page.locator('#own-file').setInputFiles({ name: 'toy.gguf', mimeType: 'application/octet-stream', buffer: Buffer.from(toy) });
  await page.locator('#own-said', { hasText: 'answers now' }).waitFor(WAIT);
}

const field = (/** @type {Page} */ page) => page.locator('.talk-field');
const answers = (/** @type {Page} */ page) => page.locator('.talk-answer');

/** Waits until an answer is complete, and returns its text. @param {Page} page @param {number} n */
async function answered(page, n) {
  await page.waitForFunction(
    (wanted) => {
      const talk = document.querySelector('#talk')?.shadowRoot;
      return talk?.querySelectorAll('.talk-answer').length === wanted && talk.querySelector('[data-phase=done]');
    },
    n,
    WAIT,
  );
  return answers(page)
    .last()
    .evaluate((one) => ({
      text: one.querySelector(':scope > .talk-body')?.textContent ?? '',
      seed: BigInt(/** @type {HTMLElement} */ (one).dataset.seed ?? 0).toString(),
    }));
}

test('the first figure is filled without a click, and only the files that it needs are fetched', () =>
  withPage(async (page) => {
    /** @type {string[]} */
    const asked = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await open(page);
    const { text } = await answered(page, 1);
    const model = await load(new Uint8Array(weights));
    const TALE =
      "{% for message in messages %}{{ message.content if loop.first or message.role != 'user' else ' ' + message.content }}{% endfor %}";
    const run = model.chat([{ role: 'user', content: 'Once upon a time, there was a' }], {
      template: TALE,
      seed: 1,
      temperature: 0.7,
      maxTokens: 64,
      minP: 0.02,
    });
    assert.equal(text, await run.text());
    model.close();
    assert.ok(asked.some((path) => path.endsWith('/template.js')));
    await fits(page);
    await page.goto('/web/pages/tokens/');
    asked.length = 0;
    await page.locator('#run:enabled').waitFor(WAIT);
    await page.waitForLoadState('networkidle');
    assert.ok(!asked.some((path) => /\/(template|talk)\.js$/.test(path)), 'without a chat, neither file is fetched');
  }, PHONE));

test('in Korean the chat has Korean text, and a single live region announces the answers', () =>
  withPage(async (page) => {
    await provide(page, '/weights*/stories.gguf', weights);
    await page.goto('/web/pages/chat/ko/');
    await page.locator('[data-phase=done]').waitFor(WAIT);
    assert.equal(await page.locator('.talk-send').textContent(), '보내기');
    const { text } = await answered(page, 1);
    await page.waitForFunction(
      (said) => [...document.querySelectorAll('body > [aria-live]')].some(({ textContent }) => textContent === said),
      text,
      WAIT,
    );
    assert.equal(await page.locator('body > [aria-live]').count(), 1);
  }, PHONE));

/**
 * Sends a message to a chat whose model answers with the tokens in `steps`.
 * @param {Page} page
 * @param {object[]} steps
 * @param {object} run further properties of the run
 */
async function talkOf(page, steps, run) {
  await openEmpty(page);
  await page.evaluate(
    async ([tokens, more]) => {
      const { Talk } = await import(/** @type {any} */ ('/web/dist/talk.js'));
      const box = document.createElement('div');
      document.body.append(box);
      const talk = new Talk(box);
      const chat = () => ({
        async *[Symbol.asyncIterator]() {
          yield* tokens;
        },
        prompt: async () => Uint32Array.of(0),
        seed: 1,
        save: () => ({ ids: more.ids, prompt: 1 }),
        stop() {},
        ...more,
      });
      talk.use({
        info: { positions: 8 },
        tokenizer: { decode: () => more.decoded ?? '' },
        chat,
        resume: () => {
          throw new Error('The model is gone');
        },
      });
      talk.send('upon');
    },
    /** @type {[object[], any]} */ ([steps, run]),
  );
}

test('if tokens cannot be inspected, the chat says why', () =>
  withPage(async (page) => {
    await talkOf(page, [{ text: 'once', token: 1, nats: 1 }], { promptLength: 1, reused: 0, finish: 'length', ids: [0, 1] });
    await answers(page).locator('span', { hasText: 'once' }).click();
    assert.equal(await page.locator('.talk-error').textContent(), 'The model is gone');
  }));

more('an answer without tokens reports that it ended immediately, and how many tokens were read for it', () =>
  withPage(async (page) => {
    await talkOf(page, [], { promptLength: 3, reused: 1, finish: 'end', ids: [0] });
    await page.locator('[data-phase=done]').waitFor(WAIT);
    assert.equal(await page.locator('.talk-figures').textContent(), 'it ended immediately · 2 of 3 tokens were new · room for 5 more');
  }),
);

/**
 * Opens a page with one <next-pixel> element, and serves files at /weights/NAME.gguf.
 * @param {Page} page
 * @param {string} attributes
 * @param {Record<string, Uint8Array>} files
 */
async function elementWith(page, attributes, files) {
  for (const [name, bytes] of Object.entries(files)) await provide(page, `/weights/${name}.gguf`, bytes);
  await openEmpty(page);
  await page.evaluate(async (text) => {
    await import(/** @type {any} */ ('/web/dist/define.js'));
    document.body.innerHTML = `<next-pixel task="chat" max-tokens="4" seed="1" ${text}></next-pixel>`;
  }, attributes);
  await page.locator('.talk-bar:not([data-phase=empty])').waitFor(WAIT);
}
const messages = (/** @type {Page} */ page) => page.locator('next-pixel').evaluate((/** @type {any} */ one) => one.messages);
const send = (/** @type {Page} */ page, /** @type {string} */ text) =>
  page.locator('next-pixel').evaluate((/** @type {any} */ one, said) => one.send(said), text);
const rest = (/** @type {Page} */ page) => page.locator('.talk-bar:not([data-phase=running])').waitFor(WAIT);

test('a failed message is removed from the conversation and returned to the field, in front of the text typed meanwhile', () =>
  withPage(
    async (page) => {
      const strict =
        "{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('turns must alternate') }}{% endif %}<s>{{ m.content }}</s>{% endfor %}";
      const small = toyText({ context: 96, metadata: { 'tokenizer.chat_template': ['string', strict] } });
      await elementWith(page, 'model="/weights/small.gguf"', { small });
      const long = 'long '.repeat(60).trim();
      await field(page).fill('typed before');
      await send(page, long);
      await page.locator('.talk-error').waitFor(WAIT);
      assert.deepEqual(await messages(page), []);
      assert.equal(await field(page).inputValue(), `${long}\ntyped before`);
      await field(page).fill('');
      await send(page, 'ab');
      await rest(page);
      const kept = await messages(page);
      assert.deepEqual(
        kept.map((/** @type {Message} */ { role }) => role),
        ['user', 'assistant'],
      );
      assert.equal(await page.locator('.talk-error').count(), 0);
      // If another answer cannot be generated, the existing answer stays.
      await page.locator('next-pixel').evaluate((/** @type {any} */ one) => {
        one.template = "{{ raise_exception('not now') }}";
        one.controls = true;
      });
      await page.locator('next-pixel').evaluate((/** @type {any} */ one) => {
        one.messages = [...one.messages, { role: 'user', content: 'bc' }];
        one.play();
      });
      await page.locator('.talk-error', { hasText: 'not now' }).waitFor(WAIT);
      assert.deepEqual(await messages(page), kept);
      assert.equal(await field(page).inputValue(), 'bc');
    },
    { complains: true },
  ));

more('a failed edit and a failed second answer leave the conversation unchanged', () =>
  withPage(
    async (page) => {
      await elementWith(page, 'model="/weights/toy.gguf" controls', { toy });
      await send(page, 'ab');
      await rest(page);
      const before = await messages(page);
      await page.locator('next-pixel').evaluate((/** @type {any} */ one) => {
        one.template = "{{ raise_exception('not now') }}";
      });
      await page.getByRole('button', { name: 'Answer again' }).click();
      await page.locator('.talk-error', { hasText: 'not now' }).waitFor(WAIT);
      assert.deepEqual(await messages(page), before);
      assert.equal(await field(page).inputValue(), '');
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.locator('.talk-edit textarea').fill('changed');
      await page.locator('.talk-edit textarea').press('Enter');
      await page.waitForFunction(
        () => /** @type {any} */ (document.querySelector('next-pixel')?.shadowRoot?.querySelector('.talk-field')).value === 'changed',
        undefined,
        WAIT,
      );
      assert.deepEqual(await messages(page), before);
      assert.equal(await page.locator('.talk-turn').count(), 2);
      assert.equal(await page.locator('.talk-edit').count(), 0);
    },
    { complains: true },
  ),
);

test('a new system message and a new language take effect during a conversation', () =>
  withPage(async (page) => {
    await elementWith(page, 'model="/weights/toy.gguf" system="Be brief." controls', { toy });
    await send(page, 'ab');
    await rest(page);
    assert.equal((await messages(page))[0].content, 'Be brief.');
    await page.locator('next-pixel').evaluate(async (/** @type {any} */ one) => {
      one.system = 'Answer in Korean.';
      one.constructor.words = (await import(/** @type {any} */ ('/web/dist/words-ko.js'))).default;
    });
    await send(page, 'bc');
    await rest(page);
    const all = await messages(page);
    assert.deepEqual([all[0].content, all.length], ['Answer in Korean.', 5]);
    assert.deepEqual(await page.locator('.talk-who').allTextContents(), ['나', '모델', '나', '모델']);
    assert.equal(await page.locator('.talk-send').textContent(), '보내기');
    assert.equal(await field(page).getAttribute('aria-label'), '보낼 메시지');
    await page.locator('next-pixel').evaluate((/** @type {any} */ one) => one.removeAttribute('system'));
    await send(page, 'ab');
    await rest(page);
    assert.equal((await messages(page))[0].role, 'user');
  }));

test("thinking between any vendor's markers is folded, and a screen reader gets only the answer", () =>
  withPage(async (page) => {
    for (const [open, close] of [
      ['<think>', '</think>'],
      ['<thought>', '</thought>'],
      ['<thinking>', '</thinking>'],
      ['[THINK]', '[/THINK]'],
    ]) {
      for (const ofPrompt of [false, true]) {
        const texts = [...(ofPrompt ? [] : [open.slice(0, 3), open.slice(3)]), 'hm, 2 + 3', close, 'Five'];
        await talkOf(
          page,
          texts.map((text, token) => ({ text, token, nats: 1 })),
          { promptLength: 1, reused: 0, finish: 'length', ids: [0, 1], decoded: ofPrompt ? `${open}\n` : '' },
        );
        await page.locator('[data-phase=done]').waitFor(WAIT);
        const shown = await answers(page).locator(':scope > .talk-body').textContent();
        assert.equal(shown, 'Five', `${open} ${ofPrompt}`);
        assert.match(String(await page.locator('.talk-thought').textContent()), /hm, 2 \+ 3/);
        await page.locator('body > [aria-live]', { hasText: /^Five$/ }).waitFor({ ...WAIT, state: 'attached' });
      }
    }
  }));

more('each message has the direction of its own text, and so does the field', () =>
  withPage(async (page) => {
    await elementWith(page, 'model="/weights/toy.gguf" controls', { toy });
    await send(page, 'שלום עולם.');
    await rest(page);
    const sides = await page.locator('.user .talk-body').evaluate((body) => {
      const text = /** @type {Text} */ (body.firstChild);
      const at = (/** @type {number} */ i) => {
        const range = document.createRange();
        range.setStart(text, i);
        range.setEnd(text, i + 1);
        return range.getBoundingClientRect();
      };
      const box = body.getBoundingClientRect();
      return { stopLeft: at(text.length - 1).left < at(0).left, right: box.right - at(0).right < at(0).left - box.left };
    });
    assert.deepEqual(sides, { stopLeft: true, right: true });
    for (const part of ['.talk-field', '.talk-answer > .talk-body', '.talk-thought', '.talk-system textarea'])
      assert.equal(await page.locator(part).getAttribute('dir'), 'auto', part);
  }),
);

test('for a model without a template, the element says that there is none, offers to continue the text, and accepts a template', () =>
  withPage(
    async (page) => {
      await elementWith(page, 'model="/weights/plain.gguf"', { plain: weights });
      assert.match(String(await page.locator('.talk-hint').textContent()), /no chat template.*Continue the text/);
      assert.ok(await page.locator('.talk-send').isDisabled());
      const error = page
        .locator('next-pixel')
        .evaluate(
          (one) => new Promise((resolve) => one.addEventListener('nx-error', (/** @type {any} */ event) => resolve(event.error.code))),
        );
      await send(page, 'Once');
      assert.equal(await error, 'unsupported');
      assert.deepEqual(await messages(page), []);
      await page.getByRole('button', { name: 'Continue the text' }).click();
      assert.equal(await page.locator('.talk-hint').isVisible(), false);
      await send(page, 'Once upon a time');
      await rest(page);
      assert.equal((await messages(page)).length, 2);
      await elementWith(page, 'model="/weights/plain.gguf" template="{{ messages[-1].content }}"', {});
      assert.equal(await page.locator('.talk-hint').isVisible(), false);
      await send(page, 'Once upon a time');
      await rest(page);
      assert.equal((await messages(page)).length, 2);
      assert.doesNotMatch(String(await page.locator('.talk-figures').textContent()), /did not reach/);
      await send(page, 'But then');
      await rest(page);
      assert.match(
        String(await page.locator('.talk-figures').textContent()),
        /^2 of the messages did not reach the model, because its template leaves them out/,
      );
    },
    { complains: true },
  ));

test('a chat of five turns by keyboard gives the same text as the library, and each turn reads only the new text', () =>
  withPage(async (page) => {
    await open(page);
    await bring(page);
    await page.locator('#length').fill('4');
    await field(page).focus();
    const model = await load(toy);
    /** @type {Message[]} */
    const talk = [];
    let before = 0;
    for (let turn = 1; turn <= 5; turn++) {
      const said = 'ab abc '.repeat(turn).trim();
      await page.keyboard.type(said);
      await page.keyboard.press('Enter');
      const { text, seed } = await answered(page, turn);
      talk.push({ role: 'user', content: said });
      const run = model.chat(talk, { seed: BigInt(seed), temperature: 0.7, maxTokens: 16, minP: 0.02 });
      assert.equal(text, await run.text(), `turn ${turn}`);
      talk.push({ role: 'assistant', content: text });
      const [, fresh, all] = /(\d+) of (\d+) tokens were new/.exec((await page.locator('.talk-figures').textContent()) ?? '') ?? [];
      assert.equal(Number(all), run.promptLength);
      assert.equal(Number(fresh), run.promptLength - run.reused);
      assert.ok(
        Number(fresh) <= run.promptLength - before + 1,
        'only tokens that the earlier prompt did not have, and possibly its last token, if the answer merges with it',
      );
      before = run.promptLength;
    }
    model.close();
    assert.equal(await page.locator('.talk-turn').count(), 10);
    await axeFindsNothing(page);
  }, PHONE));

more('after the first visit a chat needs no connection', () =>
  withPage(
    async (page) => {
      await page.goto('/web/pages/chat/');
      await page.locator('[data-phase=done]').waitFor(WAIT);
      await isKept(page);
      await page.context().setOffline(true);
      await page.reload();
      await page.locator('[data-phase=done]').waitFor(WAIT);
      await bring(page);
      await page.locator('#length').fill('3');
      await field(page).focus();
      for (let turn = 1; turn <= 5; turn++) {
        await page.keyboard.type('ab abc');
        await page.keyboard.press('Enter');
        await answered(page, turn);
        const [, fresh, all] = /(\d+) of (\d+) tokens were new/.exec((await page.locator('.talk-figures').textContent()) ?? '') ?? [];
        assert.ok(turn === 1 || Number(fresh) < Number(all) / 1.5, `turn ${turn}: ${fresh} of ${all}`);
      }
    },
    { ...PHONE, complains: true },
  ),
);

test('an answer can be stopped, continued, regenerated, edited, and continued from another token', () =>
  withPage(async (page) => {
    await open(page);
    await page.getByRole('button', { name: 'New chat' }).click();
    await page.locator('#length').fill('12');
    await field(page).fill('The old king');
    await field(page).press('Enter');
    await page.waitForFunction(
      () => (document.querySelector('#talk')?.shadowRoot?.querySelector('.talk-answer > .talk-body')?.textContent?.length ?? 0) > 5,
      undefined,
      WAIT,
    );
    await page.keyboard.press('Escape');
    const first = await answered(page, 1);
    await page.locator('#length').fill('3');
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.waitForFunction(
      (before) =>
        (document.querySelector('#talk')?.shadowRoot?.querySelector('.talk-answer > .talk-body')?.textContent?.length ?? 0) > before,
      first.text.length,
      WAIT,
    );
    const longer = await answered(page, 1);
    assert.ok(longer.text.startsWith(first.text));
    await page.getByRole('button', { name: 'Answer again' }).click();
    const again = await answered(page, 1);
    assert.notEqual(again.seed, first.seed);
    // Selects a token: its alternatives are shown, and the answer continues from one of them.
    await answers(page).locator(':scope > .talk-body').focus();
    for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    const others = page.locator('.talk-others button');
    await others.first().waitFor(WAIT);
    assert.equal(await others.count(), 8);
    const other = page.locator('.talk-others button:not([aria-current])').first();
    const before = await answers(page)
      .locator('> .talk-body span')
      .evaluateAll((all) => all.slice(0, 2).map((one) => one.textContent));
    await other.focus();
    await page.keyboard.press('Enter');
    await answered(page, 1);
    assert.deepEqual(
      await answers(page)
        .locator('> .talk-body span')
        .evaluateAll((all) => all.slice(0, 2).map((one) => one.textContent)),
      before,
    );
    // Editing a message removes everything after it.
    await field(page).fill('bc');
    await field(page).press('Enter');
    await answered(page, 2);
    await page.getByRole('button', { name: 'Edit' }).first().click();
    await page.keyboard.type(' said');
    await page.keyboard.press('Enter');
    await answered(page, 1);
    assert.match(await page.locator('.talk-turn.user').innerText(), /The old king said| saidThe old king/);
    await page.getByRole('button', { name: 'New chat' }).click();
    assert.equal(await page.locator('.talk-turn').count(), 0);
  }));

more('thinking is folded; a template that raises an error shows it and loses nothing', () =>
  withPage(async (page) => {
    await open(page);
    const thinking = toyText({
      context: 512,
      metadata: {
        'tokenizer.chat_template': [
          'string',
          "{% if messages | length > 1 %}{{ raise_exception('one message is enough') }}{% endif %}<s>{{ messages[0].content }}</s><think>\n",
        ],
      },
    });
    await page
      .locator('#own-file')
      .setInputFiles({ name: 'thinking.gguf', mimeType: 'application/octet-stream', buffer: Buffer.from(thinking) });
    await page.locator('#own-said', { hasText: 'answers now' }).waitFor(WAIT);
    await field(page).fill('ab');
    await field(page).press('Enter');
    await answered(page, 1);
    assert.match((await page.locator('.talk-thoughts summary').textContent()) ?? '', /Thoughts: \d+ tokens/);
    assert.equal(await page.locator('.talk-thought').isVisible(), false);
    await page.locator('.talk-thoughts summary').click();
    assert.ok(await page.locator('.talk-thought').isVisible());
    await field(page).fill('ab');
    await field(page).press('Enter');
    await page.locator('.talk-error', { hasText: 'one message is enough' }).waitFor(WAIT);
    assert.equal(await page.locator('.talk-turn.user').count(), 1);
    assert.equal(await field(page).inputValue(), 'ab');
  }),
);

more('the element: a chat in a shadow root, with its events, its messages and its text', () =>
  withPage(
    async (page) => {
      await provide(page, '/weights/toy.gguf', toy);
      await provide(page, '/weights/plain.gguf', weights);
      await openEmpty(page);
      await page.evaluate(async () => {
        const events = /** @type {any[]} */ ([]);
        Object.assign(globalThis, { __events: events });
        for (const type of ['nx-ready', 'nx-step', 'nx-end', 'nx-error'])
          addEventListener(type, (/** @type {any} */ event) => events.push(event.type));
        await import(/** @type {any} */ ('/web/dist/define.js'));
        document.body.innerHTML =
          '<next-pixel task="chat" model="/weights/toy.gguf" system="abc" prompt="ab ab" seed="4" max-tokens="9" autoplay controls></next-pixel>';
      });
      const ended = (/** @type {number} */ n) =>
        page.waitForFunction(
          (count) => /** @type {any} */ (globalThis).__events.filter((/** @type {string} */ type) => type === 'nx-end').length === count,
          n,
          WAIT,
        );
      await ended(1);
      const talk = () => page.locator('next-pixel').evaluate((/** @type {any} */ one) => one.messages);
      const model = await load(toy);
      const asked = [
        { role: 'system', content: 'abc' },
        { role: 'user', content: 'ab ab' },
      ];
      const text = await model.chat(asked, { seed: 4, maxTokens: 9 }).text();
      model.close();
      assert.deepEqual(await talk(), [...asked, { role: 'assistant', content: text }]);
      await page.locator('next-pixel').evaluate((/** @type {any} */ one) => one.send('bc'));
      await ended(2);
      assert.equal((await talk()).length, 5);
      const box = page.locator('next-pixel [part~=messages]');
      assert.ok(
        await box.evaluate((one) => getComputedStyle(one).overflowY === 'auto' && one.querySelector('.talk-body')?.textContent === 'ab ab'),
        'text can be selected, in a box that scrolls',
      );
      await page.locator('next-pixel').evaluate((one) => one.setAttribute('model', '/weights/plain.gguf'));
      await page.locator('next-pixel').evaluate((/** @type {any} */ one) => one.play());
      await page.waitForFunction(() => /** @type {any} */ (globalThis).__events.includes('nx-error'), undefined, WAIT);
      assert.match((await page.locator('next-pixel [part=hint]').textContent()) ?? '', /no chat template/);
    },
    { complains: true },
  ),
);

more('the element: a chat that is moved to a frame and back keeps its looks', () =>
  withPage(async (page) => {
    await provide(page, '/weights/toy.gguf', toy);
    await openEmpty(page);
    const looks = await page.evaluate(async () => {
      await import(/** @type {any} */ ('/web/dist/define.js'));
      document.body.innerHTML =
        '<iframe title="a frame"></iframe><next-pixel task="chat" model="/weights/toy.gguf" prompt="ab" max-tokens="3" autoplay controls></next-pixel>';
      const element = /** @type {any} */ (document.querySelector('next-pixel'));
      await new Promise((resolve) => {
        element.addEventListener('nx-end', resolve, { once: true });
      });
      const other = /** @type {Document} */ (document.querySelector('iframe')?.contentDocument);
      return [undefined, other, document].map((target) => {
        target?.body.append(element);
        const view = /** @type {Window} */ (element.ownerDocument.defaultView);
        return ['.talk-list', '.talk-bar', '.talk-field', '.frame'].map((selector) => {
          const { display, overflowY, listStyleType, boxSizing } = view.getComputedStyle(element.shadowRoot.querySelector(selector));
          return [display, overflowY, listStyleType, boxSizing].join(' ');
        });
      });
    });
    assert.match(looks[0][0], /auto/);
    assert.deepEqual(looks[1], looks[0]);
    assert.deepEqual(looks[2], looks[0]);
  }),
);

more('the element: play() before the chat is loaded still starts it', () =>
  withPage(async (page) => {
    await provide(page, '/weights/toy.gguf', toy);
    await openEmpty(page);
    const said = await page.evaluate(async () => {
      await import(/** @type {any} */ ('/web/dist/define.js'));
      document.body.innerHTML = '<next-pixel task="chat" model="/weights/toy.gguf" prompt="ab" max-tokens="3"></next-pixel>';
      const element = /** @type {any} */ (document.querySelector('next-pixel'));
      return new Promise((resolve, reject) => {
        element.addEventListener('nx-ready', () => element.play());
        element.addEventListener('nx-end', () => resolve(element.messages.map((/** @type {any} */ { role }) => role)));
        element.addEventListener('nx-error', (/** @type {any} */ { error }) => reject(error));
      });
    });
    assert.deepEqual(said, ['user', 'assistant']);
  }),
);
