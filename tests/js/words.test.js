// SPDX-License-Identifier: MIT
// @ts-check

/** Tests that pasted text is divided into the expected words, and that the time is proportional to the length of the text. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { straight, visible } from '../../web/lib/base/typed.js';
import { cut } from '../../web/lib/media/words.js';
import { EVERY, longer, more } from '../more.js';
import { ROOT, load } from './helpers.js';

const crf = await load(`${ROOT}weights/crf-en.gguf`);
after(() => crf.close());

/** Returns the forms that are divided when they stand between two other words. @param {string[]} forms */
const whole = (forms) => forms.filter((form) => !cut(`so ${form} then`).includes(form));

test('addresses and file names stay whole, without the punctuation that ends the sentence', () => {
  const addresses = [
    'https://a.example/b_(c)',
    'http://localhost:8080/a?b=c&d=e#f',
    'ftp://files.example.org/x.tar.gz',
    'wss://a.b/c',
    'www.7up.com',
    'example.com',
    'EXAMPLE.COM',
    'example.co.uk/help?x=1',
    'mail.example.in',
    'müller.de',
    'example.org:8080',
    'a.b+c@mail.example.org',
    'mailto:x@y.org',
    '192.168.0.1',
    '127.0.0.1:8080',
    'readme.txt',
    'Report_2.final.PDF',
    'comp.sources.unix',
  ];
  assert.deepEqual(whole(addresses), []);
  for (const address of addresses) {
    for (const [text, words] of [
      [`(${address})`, ['(', address, ')']],
      [`See ${address}.`, ['See', address, '.']],
      [`"${address}", no`, ['"', address, '"', ',', 'no']],
      [`${address}?!`, [address, '?!']],
    ]) {
      assert.deepEqual(cut(/** @type {string} */ (text)), words);
    }
  }
  assert.deepEqual(cut('the end.Next sentence.And so on'), ['the', 'end', '.', 'Next', 'sentence', '.', 'And', 'so', 'on']);
});

test('emoticons, arrows, runs of punctuation and abbreviations with punctuation are words', () => {
  assert.deepEqual(
    whole([
      ':)',
      ':-(',
      ";'(",
      ';-D',
      ':P',
      '=]',
      ':/',
      '<3',
      '</3',
      '>:(',
      '^_^',
      '^^',
      '->',
      '<-',
      '=>',
      '-->',
      '<--',
      '?!',
      '!?!?',
      '!!!',
      '...',
      '***',
      '--',
      '&amp;',
      '&#39;',
      'AT&T',
      'R&D',
      'w/',
      'w/o',
      'b/c',
      'C++',
      'C#',
      'e.g.',
      'i.e',
      'U.S.',
      'Ph.D',
      'Ph.D.',
      'p.m.',
      '10:30am',
      "'80s",
      '’60s',
      "'em",
      '24/7',
      '1,000.50',
      '555-1234',
      '-5',
      '1st',
    ]),
    [],
  );
  assert.deepEqual(cut('f(x) = y: (a) 1990-95 F-102'), [
    'f',
    '(',
    'x',
    ')',
    '=',
    'y',
    ':',
    '(',
    'a',
    ')',
    '1990',
    '-',
    '95',
    'F',
    '-',
    '102',
  ]);
});

test('contractions are split in every position, with any apostrophe, and even if one word has several contractions', () => {
  for (const mark of ["'", '\u2019', '\u02bc', '`', '\uff07']) {
    for (const [text, words] of [
      ["can't", "ca n't"],
      ["CAN'T", "CA N'T"],
      ["shouldn't've", "should n't 've"],
      ["who'd've", "who 'd 've"],
      ["mightn't've", "might n't 've"],
      ["Jesus's", "Jesus 's"],
      ["60's", "60 's"],
      ["'tis", "'t is"],
      ["c'mon", "c'm on"],
      ["rock'n'roll", "rock'n'roll"],
      ["o'clock", "o'clock"],
      ["y'all", "y'all"],
    ])
      assert.deepEqual(cut(text.replaceAll("'", mark)).join(' '), words.replaceAll("'", mark));
  }
  assert.deepEqual(cut('cannot Gonna wanna gimme').join(' '), 'can not Gon na wan na gim me');
});

test('an emoji with its skin tone, joiners and selectors is one word; invisible characters alone are not words', () => {
  assert.deepEqual(
    whole([
      '\u{1f469}\u200d\u{1f467}',
      '\u{1f44d}\u{1f3fd}',
      '\u{1f1e9}\u{1f1ea}',
      '\u2764\ufe0f',
      '1\ufe0f\u20e3',
      '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
      '\u{1f3f3}\ufe0f\u200d\u{1f308}',
    ]),
    [],
  );
  assert.deepEqual(cut('\u{1f1e9}\u{1f1ea}\u{1f1eb}\u{1f1f7}'), ['\u{1f1e9}\u{1f1ea}', '\u{1f1eb}\u{1f1f7}']);
  for (const unseen of [
    '\u00ad',
    '\u200b',
    '\u200c',
    '\u200d',
    '\u200e',
    '\u202a',
    '\u2060',
    '\u2066',
    '\ufeff',
    '\ufe0f',
    '\u034f',
    '\u061c',
    '\0',
    '\x07',
    '\u{e0041}',
  ]) {
    assert.deepEqual(cut(`${unseen}un${unseen}seen${unseen} ${unseen} ${unseen}`), ['unseen'], JSON.stringify(unseen));
  }
  for (const [pasted, typed] of [
    ['\uff21 \uff44\uff4f\uff47\uff0c \uff12\uff10\uff01', 'A dog , 20 !'],
    ['the of\ufb01ce', 'the office'],
    ['e\u2011mail a well\u2010known', 'e-mail a well - known'],
    ['at \u22125 :\u2010)', 'at -5 :-)'],
    ['\u00a31.5m, 2.4GHz. 1,000km', '\u00a3 1.5m , 2.4GHz . 1,000km'],
  ])
    assert.equal(cut(pasted).join(' '), typed);
  for (const space of ['\u00a0', '\u2003', '\u2028', '\u3000', '\u0085', '\t', '\r\n']) assert.deepEqual(cut(`a${space}b`), ['a', 'b']);
  assert.deepEqual(cut('cafe\u0301'), ['caf\u00e9']);
  assert.equal(visible('\u{1f469}\u200d\u{1f467}a\u200db'), '\u{1f469}\u200d\u{1f467}ab');
  assert.equal(straight('\u201ca\u201d \u2018b\u2019'), '"a" \'b\'');
});

test('words of the training sentences stay whole; typographic quotes get the same tags as plain quotes', async () => {
  const forms = ['l/c', 'p&l', '-_-', ';P', '.doc', 'I/C', "O'Connell", 'x3-9890'];
  const { seen } = await crf.tag(forms);
  assert.ok(seen.every(Boolean));
  for (const form of forms) assert.ok((await crf.tag(`It was ${form} and so on`)).words.includes(form), form);
  const given = ['A', 'well-known', 'dog', 'runs', '!'];
  const wide = [...given].map((word) =>
    Array.from(word, (sign) => (sign === '-' ? '\u2011' : String.fromCharCode(sign.charCodeAt(0) + 0xfee0))).join(''),
  );
  assert.deepEqual((await crf.tag(wide)).tags, (await crf.tag(given)).tags, 'also if the caller passes the words');
  for (const plain of ['She said "no" and didn\'t go.', "They'll say it's John's."]) {
    let open = false;
    const curly = plain.replaceAll("'", '\u2019').replace(/"/g, () => ((open = !open) ? '\u201c' : '\u201d'));
    const [a, b] = await Promise.all([crf.tag(plain), crf.tag(curly)]);
    assert.deepEqual([b.tags, b.seen, b.nats], [a.tags, a.seen, a.nats]);
    assert.equal(b.words.join(''), curly.replaceAll(' ', ''));
  }
});

more('the time is proportional to the length, whatever is repeated', () => {
  const units = [
    'a-',
    '-+',
    'a.',
    '.',
    '1.',
    "a'",
    "'d",
    'a@',
    '@a',
    'www.',
    'http://)',
    ':)',
    '<',
    '&a',
    'A&',
    'e-',
    '\u{1f469}\u200d',
    '\u200b',
    '\u0301',
    '(',
    'a/',
    '!?',
    'A. ',
    'ab.cd.',
    '12.34.',
    '\ud83d',
    'n\u2019t',
    ' ',
  ];
  for (const [unit, before] of [...units.map((unit) => [unit, '']), [')', 'http://a'], ['.)', 'www.a'], [']', 'http://[a']]) {
    const time = (/** @type {number} */ length) => {
      const text = before + unit.repeat(length / unit.length);
      const began = performance.now();
      cut(text);
      return performance.now() - began;
    };
    time(4000);
    const [short, long] = [time(8000), time(64000)];
    assert.ok(long < 1000 || long < 20 * short, `${JSON.stringify(unit)}: ${short} ms; ${long} ms for eight times the length`);
  }
});

longer('a long text is divided in chunks, the signal is checked between two chunks, and reading stops at the limit', async () => {
  const share = EVERY ? 1 : 0.3;
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const began = performance.now();
  await assert.rejects(crf.tag('a-'.repeat(share * 10_000_000)), { code: 'limit', message: /over \d+ words/ });
  clearInterval(timer);
  assert.ok(turns > 5, `the event loop ran ${turns} times in ${performance.now() - began} ms`);
  const stopper = new AbortController();
  const tagging = crf.tag('b '.repeat(120_000), { signal: stopper.signal });
  setTimeout(() => stopper.abort(new Error('enough')), 5);
  await assert.rejects(tagging, /enough/);
  turns = 0;
  const others = setInterval(() => turns++, 1);
  await crf.tag('\u200b '.repeat(share * 2_000_000)); // a long text without a word
  clearInterval(others);
  assert.ok(turns > 5, `the event loop ran ${turns} times while nothing was found`);
  await assert.rejects(crf.tag(['x'.repeat(1e6)]), { code: 'limit', message: /1000000 characters/ });
});

test('hashtags, mentions, fractions, amounts, initials and sentence ends are divided as in the treebank', () => {
  assert.deepEqual(
    whole([
      '#audiobooks',
      '#Trump2016',
      '#_x',
      '@hatmanone',
      '@user_name',
      'Rice@ENRON',
      'carol.st.clair@enron.com',
      '½',
      '1½',
      'US$',
      '.doc',
      '.04',
      '.?',
    ]),
    [],
  );
  for (const [text, words] of [
    ['read (#books), @ann.', 'read ( #books ) , @ann .'],
    ['We are # 1, room #5', 'We are # 1 , room # 5'],
    ['at 5 @ home', 'at 5 @ home'],
    ['C# and F#', 'C# and F#'],
    ['It is I. Do not be afraid.', 'It is I . Do not be afraid .'],
    ['He is taller than I. Anna is too.', 'He is taller than I . Anna is too .'],
    ['take vitamin C. It helps', 'take vitamin C . It helps'],
    ['about the P&L. We', 'about the P&L . We'],
    ['by J. Smith and George W. Bush', 'by J. Smith and George W. Bush'],
    ['apples, pears, etc.', 'apples , pears , etc .'],
    ['apples, pears, etc. are fruit', 'apples , pears , etc. are fruit'],
    ['at 5 p.m. We left at 6 a.m.', 'at 5 p.m . We left at 6 a.m .'],
    ['(at 5 p.m.)', '( at 5 p.m . )'],
    ['in the U.S. Army with Mr. The', 'in the U.S. Army with Mr. The'],
  ])
    assert.deepEqual(cut(text).join(' '), words);
});
