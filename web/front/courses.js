// SPDX-License-Identifier: MIT
// Defines the courses. The pages of a course are ordered so that each one prepares readers for the next. Each page has a question that
// readers can answer by trying something out.
// @ts-check

import { phrase as english } from '../shell/page/phrase.js';
import { PAPERS } from './papers.js';

/** @typedef {typeof english} Phrase */

/**
 * @typedef {Object} Step
 * @property {string} page name of the page's folder in web/pages
 * @property {string} knows prerequisites of the page
 * @property {string} asks the question of the page, as HTML
 * @property {string} at   id of the figure in which the reader can find the answer
 */
/** @typedef {{ name: string, says: string, steps: Step[] }} Course */

/** Each page belongs to exactly one course. @type {Course[]} */
export const COURSES = [
  {
    name: 'From a coin to a picture',
    says: 'One pixel, sample or note at a time, each given those before it.',
    steps: [
      {
        page: 'fvsbn',
        knows: 'what a probability is',
        asks: 'Train on a single digit. Which way does the dashed curve go, and why?',
        at: 'figure-learning',
      },
      {
        page: 'pixelcnn',
        knows: 'what a convolution is',
        asks: 'Would a thirteenth layer see into the blind spot? Take layers away, and watch what the blue wedge does.',
        at: 'figure-fields',
      },
      {
        page: 'wavenet',
        knows: 'what a convolution is',
        asks: 'With dilations, how many more samples does each further layer see? Add one and count.',
        at: 'figure-trees',
      },
      {
        page: 'image-transformer',
        knows: 'what a softmax is',
        asks: 'How many rows must be given before all three completions are the digit that was written?',
        at: 'figure-endings',
      },
      {
        page: 'colour',
        knows: 'how the Image Transformer draws a digit',
        asks: 'Three pictures from the same sixty-four pixels: where do they agree, and where does each differ?',
        at: 'figure-superres',
      },
      {
        page: 'look-ahead',
        knows: 'how a picture is drawn pixel by pixel',
        asks: 'For which digit is the draft longest, and why that one?',
        at: 'figure-ahead',
      },
      {
        page: 'sparse',
        knows: 'what queries, keys and values are',
        asks: 'Take the fixed pattern and point at the first row of a block. What does it see in one layer, and what in two?',
        at: 'figure-patterns',
      },
      {
        page: 'chorale',
        knows: 'what a key and a voice are in music',
        asks: 'Transpose the melody through the keys. In which key do most notes of the other voices simply move with it?',
        at: 'figure-key',
      },
      {
        page: 'same-digit',
        knows: 'that a nat is a negative log probability',
        asks: 'Which model is least surprised by the true digit, and was it the slowest?',
        at: 'figure-endings',
      },
    ],
  },
  {
    name: 'From a sentence to its translation',
    says: 'Attention between two sentences, then within one, then as the only mechanism.',
    steps: [
      {
        page: 'alignment',
        knows: 'what a softmax is',
        asks: 'Choose the dot product: how sharp must the softmax be for the fourth batting position to attend to one player alone? And when do all nine get the same weight?',
        at: 'figure-batting',
      },
      {
        page: 'reading',
        knows: 'what a recurrent network is',
        asks: 'Write two sentences that end in the same word. Does the network attend to the same place in both?',
        at: 'figure-reading',
      },
      {
        page: 'transformer',
        knows: 'attention between two sentences',
        asks: 'Shuffle the words again and again. Which column stays as it is, and why?',
        at: 'figure-shuffle',
      },
      {
        page: 'opened',
        knows: 'how matrices are multiplied',
        asks: 'Scale, mask or positions: which matters most? Guess first, then switch each off.',
        at: 'figure-broken',
      },
      {
        page: 'tokens',
        knows: 'what a probability is',
        asks: 'Same prompt, same noise: up to which word do the cold and the hot text agree, and why do they diverge there?',
        at: 'figure-three',
      },
      {
        page: 'chat',
        knows: 'what a token is',
        asks: 'Change a word of your first message. How many tokens have to be processed again, and why not all of them?',
        at: 'figure-talk',
      },
    ],
  },
  {
    name: 'From noise to a thing',
    says: 'A whole picture in one pass, from random numbers; a sound in one pass, from codes drawn before it.',
    steps: [
      {
        page: 'sagan',
        knows: 'what a convolution is',
        asks: 'Turn γ down to 0. What does the picture lose without attention?',
        at: 'figure-look',
      },
      {
        page: 'jukebox',
        knows: 'what a sample of a sound is',
        asks: 'Let the model continue half a seven, and ask for a two. Which of the two words do you hear, and from which moment?',
        at: 'figure-draw',
      },
    ],
  },
  {
    name: 'Structure',
    says: 'Answers whose parts must fit together, and attention that must choose.',
    steps: [
      {
        page: 'chains',
        knows: 'what parts of speech are',
        asks: 'Which pin changes another tag in only one of the three models?',
        at: 'figure-taggers',
      },
      {
        page: 'structure',
        knows: 'what a softmax is',
        asks: '“I saw the man with the telescope”: who has the telescope? Pin “with” to each candidate, and see which other heads change.',
        at: 'figure-parents',
      },
      {
        page: 'snail',
        knows: 'what queries, keys and values are',
        asks: 'Draw the same character in two of the five squares, and once more below. Which square gets the bar?',
        at: 'figure-snail',
      },
      {
        page: 'captions',
        knows: 'what a softmax is',
        asks: 'Hold the light over empty paper. What does the caption say?',
        at: 'figure-hand',
      },
    ],
  },
];

/** Returns the name of the system on a page. @param {string} page */
export const systemOf = (page) => PAPERS.find((paper) => paper.page === page)?.system ?? page;

/** Returns the id that a course has on the front page. @param {string} name */
export const idOf = (name) => `course-${name.toLowerCase().replaceAll(' ', '-')}`;

/**
 * Returns the HTML of the box in which visitors keep the files of a course on their device (shell/page/page-keep.js).
 * @param {string} name  name of the course
 * @param {Phrase} phrase
 */
const keeping = (name, phrase) =>
  `      <details class="take keep needs-js" data-course="${idOf(name)}"><summary>${phrase`Keep this course on this device`}</summary></details>
`;

/** Returns the HTML for the course lists on the front page. @param {Phrase} [phrase] translates into the language of the page */
export const courseLists = (phrase = english) =>
  COURSES.map(
    ({ name, says, steps }) => `    <section class="course" id="${idOf(name)}">
      <h3>${phrase(name)}</h3>
      <p>${phrase(says)}</p>
      <ol>${steps.map(({ page }) => `<li><a href="pages/${page}/">${phrase(systemOf(page))}</a></li>`).join('')}</ol>
${keeping(name, phrase)}    </section>
`,
  ).join('');

/** Returns the course to which a page belongs, and the page's position in the course. @param {string} page */
function stepOf(page) {
  const course = COURSES.find(({ steps }) => steps.some((step) => step.page === page));
  if (!course) throw new Error(`web/front/courses.js has no course that contains the page ${page}`);
  const { name, steps } = course;
  const here = steps.findIndex((step) => step.page === page);
  return { name, here, of: steps.length, step: steps[here], before: steps[here - 1], next: steps[here + 1] };
}

/**
 * Returns the HTML of a page's header. It contains the page's position in the course, the reading time, the prerequisites, and the page's
 * name with the year of the paper.
 *
 * @param {string} page
 * @param {{ title: string, minutes: number }} facts
 * @param {Phrase} [phrase]
 */
export function placeOf(page, { title, minutes }, phrase = english) {
  const { name, here, of, step, before, next } = stepOf(page);
  const { year, credit } = PAPERS.find((paper) => paper.page === page) ?? {};
  const to = (/** @type {Step} */ { page: other }, /** @type {string} */ rel, /** @type {string} */ arrow) =>
    `<a href="../${other}/" rel="${rel}" title="${phrase(systemOf(other))}">${arrow}</a>`;
  const parts = [
    phrase`${`<a href="../../#${idOf(name)}">${phrase(name)}</a>`}, ${here + 1} of ${of}`,
    phrase`${minutes} minutes`,
    phrase`know first: ${phrase(step.knows)}`,
    ...(before ? [to(before, 'prev', phrase`← previous`)] : []),
    ...(next ? [to(next, 'next', phrase`next →`)] : []),
  ];
  return `<div class="place">
  <nav class="where" aria-label="${phrase`Place in the course: ${phrase(name)}`}">${parts.map((part) => `<span>${part}</span>`).join(' ')}</nav>
  <div class="system"><h1>${title}</h1> <span>${credit ? phrase(credit) : year}</span></div>
</div>
`;
}

/**
 * Returns the HTML that links a page to its course: a question, the previous page and the next page.
 * @param {string} page
 * @param {Phrase} [phrase]
 */
export function courseOf(page, phrase = english) {
  const {
    name,
    here,
    of,
    step: { asks, at },
    before,
    next,
  } = stepOf(page);
  const place = [
    phrase`${`<a href="../../#${idOf(name)}">${phrase(name)}</a>`}, ${here + 1} of ${of}`,
    ...(before ? [phrase`before this ${`<a href="../${before.page}/" rel="prev">${phrase(systemOf(before.page))}</a>`}`] : []),
    next ? phrase`next ${`<a href="../${next.page}/" rel="next">${phrase(systemOf(next.page))}</a>`}` : phrase`this is the last page`,
  ];
  return `    <nav class="course-place" aria-label="${phrase`Course: ${phrase(name)}`}">
      <p class="course-asks"><strong>${phrase`A question.`}</strong> ${phrase(asks)} <a href="#${at}">${phrase`Try it`}</a></p>
      <p>${place.join('; ')}.</p>
${keeping(name, phrase)}    </nav>
`;
}
