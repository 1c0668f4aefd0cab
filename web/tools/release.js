// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Prepares everything that a release publishes, but publishes nothing. The script creates the package as npm would publish it, and the demo
 * as a site. Then it prints the commands that remain to be run. If the tree is not ready for a release, the script prints the
 * reasons before the commands, and exits with status 1. See build.sh release.
 *
 *     node web/tools/release.js [folder, default build/release]
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Returns the reasons why a tree is not ready for a release.
 * @param {{ changes: string, manifest: any, uncommitted: string, tags: string }} tree
 */
export function unready({ changes, manifest: { version, repository }, uncommitted, tags }) {
  const [, heading = ''] = /^## (.*)$/m.exec(changes) ?? [];
  return [
    ...(uncommitted ? [`changes are not committed:\n${uncommitted}`] : []),
    ...(heading === version || heading.startsWith(`${version}, `)
      ? []
      : [`CHANGELOG.md begins with "${heading}": name it "${version}, YEAR-MONTH-DAY"`]),
    ...(tags.split('\n').includes(`v${version}`)
      ? [`v${version} is tagged already: raise "version" in package.json and package-lock.json`]
      : []),
    ...(repository ? [] : ['package.json names no "repository", by which npm proves where a package was built (--provenance)']),
  ];
}

/** @param {string} folder */
function main(folder) {
  /** Runs a command, and returns its output. @param {string} command @param {string[]} args */
  const run = (command, args) => execFileSync(command, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });
  const manifest = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));
  const missing = unready({
    changes: readFileSync(`${ROOT}CHANGELOG.md`, 'utf8'),
    manifest,
    uncommitted: run('git', ['status', '--porcelain']).trimEnd(),
    tags: run('git', ['tag']),
  });
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const packed = run('npm', ['pack', '--json', '--loglevel=error', '--pack-destination', folder]);
  const [{ filename, size, files }] = JSON.parse(packed.slice(packed.search(/^\[\s*\{/m)));
  run('npm', ['publish', '--dry-run', '--loglevel=error', `${folder}/${filename}`]);
  run(process.execPath, ['web/tools/site.js', `${folder}/site`]);
  console.log(`${folder}/${filename}: ${files.length} files, ${size} bytes\n${folder}/site: the demo, for any static host\n`);
  for (const text of missing) console.log(`NOT READY: ${text}`);
  console.log(`${missing.length > 0 ? '\nThen, once npm run test:all has passed' : 'Once npm run test:all has passed'}:

    git tag v${manifest.version} && git push origin v${manifest.version}
    npm publish ${folder}/${filename} --access public      # --provenance where continuous integration publishes`);
  if (missing.length > 0) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv[2] ?? 'build/release');
