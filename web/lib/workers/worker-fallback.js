// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Starts a worker where `new Worker(address)` does not: the script is of another origin, or the page's policy is in the way. Loaded only
 * then. The ways, in this order, each tried if the one before fails:
 *
 *     vouched   the address itself, under the Trusted Types policy 'nextpixel'
 *     copied    a Blob with the text of the script, which needs nothing else: such a worker inherits the page's policy
 *     imported  a Blob of one line that imports it: for the sources, which are many modules
 */

import { NextPixelError } from '../base/error.js';
import { vouched } from '../base/vouch.js';
import { hint, workerText } from '../files.js';
import { messageOf } from '../load/source.js';

/** @import { WorkerUrl } from '../engine/protocol.js' */

const POLICY = 'nextpixel';
/** Violations are told a little later than what they caused. */
const SETTLE_MS = 30;

/** @type {{ createScriptURL: (text: string) => any } | undefined} */
let policy;

/** @param {string} url  one made here, or that the caller gave */
function trusted(url) {
  policy ??= /** @type {any} */ (globalThis).trustedTypes?.createPolicy(POLICY, { createScriptURL: (/** @type {string} */ text) => text });
  return policy ? policy.createScriptURL(url) : url;
}

/**
 * @param {WorkerUrl} address
 * @param {(make: () => Worker) => Promise<Worker>} begun
 * @param {unknown} cause  why it did not start from its address
 * @returns {Promise<Worker>}
 */
export async function startFallback(address, begun, cause) {
  const url = new URL(String(address), globalThis.document?.baseURI ?? location.href);
  /** Directives that forbade something meanwhile. @type {Set<string>} */
  const forbidden = new Set();
  const note = (/** @type {SecurityPolicyViolationEvent} */ { effectiveDirective }) => forbidden.add(effectiveDirective);
  addEventListener('securitypolicyviolation', note);
  try {
    if (/Trusted/.test(String(cause))) {
      vouched.by = trusted; // what plays sound is a script too
      const worker = await begun(() => new Worker(trusted(url.href), { type: 'module' })).catch(() => undefined);
      if (worker) return worker;
    }
    const text = workerText ?? await textOf(url);
    const simple = text !== undefined && !/^import\b/m.test(text); // a classic worker runs in engines without the other kind
    const source = simple ? text : `import ${JSON.stringify(url.href)};`;
    const blob = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
    try {
      return await begun(() => new Worker(trusted(blob), simple ? {} : { type: 'module' }));
    } finally {
      URL.revokeObjectURL(blob);
    }
  } catch (last) {
    await new Promise((resolve) => { setTimeout(resolve, SETTLE_MS); });
    throw new NextPixelError('network', `The worker could not be started: ${advice(url, forbidden) || `${messageOf(cause)}.${hint()}`}`, { cause: last });
  } finally {
    removeEventListener('securitypolicyviolation', note);
  }
}

/**
 * @param {URL} url
 * @param {Set<string>} forbidden
 */
function advice(url, forbidden) {
  const has = (/** @type {RegExp} */ name) => [...forbidden].some((directive) => name.test(directive));
  const own = url.origin === globalThis.origin && workerText === undefined;
  const lacks = [];
  if (has(/^trusted-types|^require-trusted/)) lacks.push(`trusted-types ${POLICY}`);
  if (has(/^connect-src/)) lacks.push(`connect-src ${own ? "'self'" : url.origin}`);
  if (has(/^(worker|child|script|default)-src/)) lacks.push(own ? "worker-src 'self'" : 'worker-src blob:');
  if (lacks.length > 0) return `the page's Content-Security-Policy forbids it. Add to it: ${lacks.join('; ')}`;
  return own ? '' : `its script ${url.href} is of another origin and cannot be fetched. That server must answer with ` +
    'Access-Control-Allow-Origin, as for a font';
}

/** @param {URL} url */
async function textOf(url) {
  try {
    const response = await fetch(url);
    return response.ok && /javascript/.test(response.headers.get('content-type') ?? '') ? await response.text() : undefined;
  } catch {
    return undefined;
  }
}
