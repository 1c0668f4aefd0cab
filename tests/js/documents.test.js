// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Checks README.md, the manual, weights/README.md and weights/train/README.md:
 *
 * - The commands in these documents exist.
 * - The first Node program runs unchanged.
 * - If several documents state the same number, its value is the same in all of them.
 *
 * tests/browser/documents.test.js runs the code blocks for pages. manual.test.js runs the code blocks in C.
 */

import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { transform } from 'esbuild';

import { load } from '../../web/lib/index.js';
import { EVERY, longer, more } from '../more.js';
import { blocksOf, whatPeopleRead } from './blocks.js';
import { ROOT } from './helpers.js';

const run = promisify(execFile);
const TEXTS = [...(await whatPeopleRead()), 'README.ko.md', 'CONTRIBUTING.md', 'weights/README.md', 'weights/train/README.md'];
const blocks = await blocksOf(TEXTS);
/** @param {string} file */
const text = (file) => readFile(ROOT + file, 'utf8');

test('every source file has its licence in its first lines', async () => {
  const { stdout } = await run(
    'git',
    ['ls-files', '*.c', '*.h', '*.js', '*.mjs', '*.ts', '*.tsx', '*.jsx', '*.vue', '*.svelte', '*.py', '*.sh', '*.css', '*.html'],
    { cwd: ROOT },
  );
  const made = /^(web\/dist|web\/single)\//; // generated files, which may be missing
  const silent = [];
  for (const name of stdout
    .split('\n')
    .filter((line) => line && !made.test(line) && !/page(\.\w+)?\.html$/.test(line) && !/^web\/shell\/.*\.html$/.test(line))) {
    const code = existsSync(ROOT + name) ? await text(name) : '';
    if (code.trim() && !code.slice(0, 400).includes('SPDX-License-Identifier: ')) silent.push(name);
  }
  assert.deepEqual(silent, []);
});

test('every block is in a language that a test runs, or in plain text', () => {
  const known = new Set(['js', 'html', 'css', 'sh', 'c', 'py', 'json', 'jsx', 'tsx', '']);
  for (const { where, language, file } of blocks) {
    assert.ok(known.has(language), `${where}: ${language}`);
    if (file) assert.ok(existsSync(ROOT + file), `${where}: ${file}`);
  }
});

test('JSON and JSX blocks parse', async () => {
  for (const { where, language, code } of blocks) {
    if (language === 'json') assert.doesNotThrow(() => JSON.parse(code), where);
    if (language === 'jsx' || language === 'tsx') await transform(code, { loader: language });
  }
});

/** Returns the names in a command line that should exist in the repository but do not. @param {string} line */
function missingIn(line, /** @type {Record<string, string>} */ scripts, /** @type {string} */ build) {
  const command = line.replace(/#.*$/, '').replace(/\\$/, '');
  const missing = [];
  for (const [, name] of command.matchAll(/\bnpm (?:run )?([\w:]+)/g))
    if (!(name in scripts) && !['pack', 'install'].includes(name)) missing.push(`npm run ${name}`);
  for (const [, name] of command.matchAll(/\.\/build\.sh ([\w-]+)/g))
    if (!build.includes(`task_${name.replaceAll('-', '_')}()`) && name !== 'help') missing.push(`./build.sh ${name}`);
  for (const [path] of command.matchAll(/(?<![\w./-])(?:weights|tests|web|src|include)\/[\w./-]+\.(?:py|js|mjs|sh|c|gguf)\b/g))
    if (!existsSync(ROOT + path)) missing.push(path);
  return missing;
}

test('every shell command names scripts, tasks, recipes and files that exist', async () => {
  const { scripts } = JSON.parse(await text('package.json'));
  const build = (await Promise.all(['build.sh', ...(/^PARTS='(.*)'$/m.exec(await text('build.sh'))?.[1] ?? '').split(' ')].map(text))).join(
    '\n',
  );
  const recipes = (await readdir(`${ROOT}weights/train/models`, { recursive: true }))
    .filter((name) => /recipes\/[\w-]+\.py$/.test(name))
    .map((name) => /** @type {string} */ (name.split('/').at(-1)).slice(0, -3));
  let lines = 0;
  for (const { where, language, code } of blocks) {
    if (language !== 'sh') continue;
    for (const line of code.split('\n').filter(Boolean)) {
      lines++;
      assert.deepEqual(missingIn(line, scripts, build), [], `${where}: ${line}`);
      for (const [, recipe] of line.matchAll(/train\/(?:train|export|evaluate|speed|scaling)\.py ([\w-]+)/g))
        assert.ok([...recipes, 'NAME'].includes(recipe), `${where}: ${recipe}`);
    }
  }
  assert.ok(lines > 40);
  assert.deepEqual(missingIn('npm run nothing && node tests/bench/nothing.js', scripts, build), [
    'npm run nothing',
    'tests/bench/nothing.js',
  ]);
});

test('every file that a document or a comment names exists', async () => {
  const { stdout } = await run('git', ['ls-files'], { cwd: ROOT, maxBuffer: 2 ** 24 });
  const files = stdout.split('\n').filter(Boolean);
  const ends = new Set(files.flatMap((name) => name.split('/').map((_, i, parts) => parts.slice(i).join('/'))));
  const made = /^(web\/single\/|web\/courses\.json$)/; // generated, not committed
  const missing = [];
  let named = 0;
  for (const file of files) {
    const isDocument = TEXTS.includes(file);
    if (!isDocument && (!/^(src|include|tests|weights|web)\/.*\.(c|h|js|py|sh)$/.test(file) || /^web\/(dist|single)\//.test(file)))
      continue;
    const said = existsSync(ROOT + file) ? await text(file) : '';
    // In documents, file names are in code formatting, and the path may lack its first folders. In comments, the path is complete.
    const paths = isDocument
      ? [...said.matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.(?:c|h|js|py|md|sh))`/g)]
      : [...said.matchAll(/(?:\/\*|^\s*\*|\/\/|#).*$/gm)].flatMap(([line]) => [
          ...line.matchAll(/(?<![\w./@-])((?:src|include|tests|weights|web)\/(?:[\w.-]+\/)*[\w.-]+\.(?:c|h|js|py|md|sh))\b/g),
        ]);
    for (const [, path] of paths) {
      if (/NAME|FILE|^\.\.?\//.test(path)) continue; // NAME and FILE stand for any name; a link is relative to its document
      named++;
      if (!ends.has(path) && !made.test(path) && !path.startsWith('build/')) missing.push(`${file}: ${path}`);
    }
  }
  assert.deepEqual(missing, []);
  assert.ok(named > 200, `${named} are named`);
});

test('every setting in a training command exists', async () => {
  const settings = (
    await Promise.all(
      [
        'common/settings.py',
        'common/task.py',
        ...(await readdir(`${ROOT}weights/train/models`)).flatMap((name) => [`models/${name}/task.py`, `models/${name}/model.py`]),
      ]
        .filter((file) => existsSync(`${ROOT}weights/train/${file}`))
        .map((file) => text(`weights/train/${file}`)),
    )
  ).join('\n');
  for (const { where, language, code } of blocks) {
    if (language !== 'sh') continue;
    for (const [, given] of code.replaceAll('\\\n', ' ').matchAll(/train\/train\.py ([^\n#]*)/g)) {
      for (const [, name] of given.matchAll(/--([\w-]+)/g)) {
        const field = name.replaceAll('-', '_');
        assert.ok(
          ['from', 'help', 'smoke', 'stage', 'processes'].includes(field) || new RegExp(`^    ${field}: `, 'm').test(settings),
          `${where}: --${name}`,
        );
      }
    }
  }
});

test('the first Node program runs as the manual says, after npm init -y', async () => {
  const chapter = await text('web/manual/chapters/index.md');
  const [, file, command] = /^```js file=(\S+)\n```\n+```sh\n(node [^\n]*)\n```/m.exec(chapter) ?? [];
  assert.ok(command, 'the chapter has a program and its command');
  const folder = join(tmpdir(), `nextpixel-documents-${process.pid}`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, 'node_modules'), { recursive: true });
  try {
    // npm init -y writes no "type": "module"
    await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'mine', version: '1.0.0', main: 'index.js' }));
    await symlink(ROOT, join(folder, 'node_modules', 'nextpixel'));
    const [, program, ...args] = command.split(' ');
    await cp(ROOT + file, join(folder, program));
    await cp(`${ROOT}weights/digits.gguf`, join(folder, 'digits.gguf'));
    const { stdout } = await run(process.execPath, [program, ...args], { cwd: folder });
    assert.match(stdout, /^drawn\.png: 28 x 28, seed 1\n$/);
    assert.equal((await readFile(join(folder, 'drawn.png'))).toString('latin1', 1, 4), 'PNG');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('every weight file has a model card and a table row, and both state the numbers of this file', async () => {
  const [cards, readme] = [await text('weights/README.md'), await text('README.md')];
  const files = (await readdir(`${ROOT}weights`)).filter((name) => name.endsWith('.gguf'));
  assert.ok(files.length >= 9);
  assert.equal(
    cards.match(/^\| \[`[\w-]+\.gguf`\]\(#/gm)?.length,
    files.length,
    'the table of weights/README.md has a row for each file, and no other row',
  );
  for (const file of files) {
    const name = file.slice(0, -5);
    const [card] = new RegExp(`^## ${name}\n[^]*?(?=^## |(?![^]))`, 'm').exec(cards) ?? [];
    assert.ok(card, `weights/README.md has no card "## ${name}"`);
    for (const row of ['model', 'data, licence', 'command', 'sha256', 'quality', 'limits'])
      assert.ok(card.includes(`\n| ${row} | `), `${name}: ${row}`);
    assert.ok(card.split('\n').length < 45, `${name}: a card fits on a screen`);
    const bytes = await readFile(`${ROOT}weights/${file}`);
    assert.ok(card.includes(`\`${createHash('sha256').update(bytes).digest('hex')}\``), `${name}: sha256`);
    assert.ok(card.includes(`train.py ${name}\``), `${name}: the weight file has the name of its recipe`);
    const [row] = new RegExp(`^\\| \\[\`${file}\`\\].*$`, 'm').exec(cards) ?? [];
    const [, , parameters, size] = /** @type {string} */ (row)
      .split('|')
      .slice(1)
      .map((cell) => cell.trim());
    assert.equal(size, (await stat(`${ROOT}weights/${file}`)).size.toLocaleString('en-US'), name);
    assert.match(readme, new RegExp(`^\\| .* \\|[^|\\n]*\`${file}\`[^|\\n]*\\|$`, 'm'), `README.md needs a row for ${file}`);
    const model = await load(`${ROOT}weights/${file}`);
    assert.equal(model.info.parameters, Number(parameters.replaceAll(',', '')), name);
    const plain = (/** @type {string} */ words) => words.replace(/[\s-]/g, '');
    const licence = plain(model.info.card.license);
    model.close();
    assert.ok(licence.length > 2 && plain(row ?? '').includes(licence === 'other' ? 'nonestated' : licence), `${name}: ${licence}`);
  }
});

test('all documents state the same number of story books', async () => {
  const [, books] = /`fairy-tales\.txt\.xz`, (\d+) books/.exec(await text('weights/train/README.md')) ?? [];
  assert.equal(books, '21');
  const numbers = new Set();
  for (const file of [
    'weights/README.md',
    'weights/train/README.md',
    'weights/train/models/llama/recipes/stories.py',
    'weights/train/data/stories.py',
    'README.md',
  ]) {
    for (const [, number, what] of (await text(file)).matchAll(/\b(\w+) books( of fairy tales)?/g))
      if (what && /^\d+$|^twenty/.test(number)) numbers.add(number);
  }
  assert.deepEqual([...numbers].sort(), ['18', '21']); // 18 books for training, and 21 books in all
});

test('all documents state the same guaranteed sizes', async () => {
  const [, images, all] = /MOST = \{ images: (\d+), all: (\d+) \}/.exec(await text('tests/bench/size.js')) ?? [];
  const readme = await text('README.md');
  assert.ok(
    readme.includes(
      `at most ${all} KB (gzip) with all systems. A build for pictures only (Image Transformer and FVSBN) takes at most ${images} KB.`,
    ),
  );
});

longer(
  'each sample of the chapter Numbers that needs no data set runs on shipped files and prints numbers',
  { timeout: 300000 },
  async () => {
    const [, section] = (await text('web/manual/chapters/numbers.md')).split('## Get the numbers yourself');
    const work = `${ROOT}build/test-numbers`;
    await rm(work, { recursive: true, force: true });
    await mkdir(work, { recursive: true });
    const found = [...section.matchAll(/^```(js|sh)\n([^]*?)^```$/gm)];
    const ran = { js: 0, sh: 0 };
    for (const [i, [, language, code]] of found.entries()) {
      if (code.includes('prepare.py')) continue; // skips this command, which downloads a data set
      if (language === 'js') {
        await writeFile(`${work}/${i}.mjs`, `import { load } from '${ROOT}web/lib/index.js';\n${code}`);
        const { stdout, stderr } = await run(process.execPath, [`${work}/${i}.mjs`], { cwd: ROOT });
        assert.match(stdout, /\d\.\d/, code);
        assert.equal(stderr, '', code);
        ran.js++;
        continue;
      }
      for (const line of code.trim().split('\n')) {
        const command = line
          .replace(/^npm run eval -- weights\/\S+/, EVERY ? '$&' : '$& --images 8') // npm run test:all scores all hundred images
          .replaceAll('npx nextpixel', `${process.execPath} web/cli/nextpixel.js`)
          .replace(/\b(one|other)\.csv\b/g, `${work}/$1.csv`);
        const { stdout } = await run('sh', ['-c', command], { cwd: ROOT });
        assert.match(stdout, / generate /.test(line) ? /\w/ : /\d/, line);
        if (/compare/.test(line)) assert.match(stdout, /standard ?error/i, line);
        ran.sh++;
      }
    }
    assert.ok(ran.js >= 4 && ran.sh >= 7, JSON.stringify(ran));
  },
);

more('a generated data set: the commands in its card give the figure in the card', { timeout: 120000 }, async (context) => {
  const python = ['python3', '/usr/bin/python3'].find((command) => {
    try {
      execFileSync(command, ['-c', 'import numpy, torch'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  });
  if (!python) return context.skip('needs Python 3 with NumPy and PyTorch');
  const [card] = /^## opened\n[^]*?(?=^## )/m.exec(await text('weights/README.md')) ?? [''];
  const [, made, measured] = /^```sh\npython3 (weights\/train\/held_out\.py .*)\nnpm run eval -- (.*)\n```$/m.exec(card) ?? [];
  const [, right, of] = /([\d,]+) held-out words.*?: ([\d,]+) right/.exec(card) ?? [];
  assert.ok(made && measured && right, 'the card gives the commands');
  await run(python, made.split(' '), { cwd: ROOT });
  const { stdout } = await run(process.execPath, ['weights/eval/eval.js', ...measured.split(' ')], { cwd: ROOT });
  const plain = (/** @type {string} */ number) => number.replaceAll(',', '');
  assert.ok(stdout.includes(`${plain(of)} of ${plain(right)} words right`), stdout);
});
