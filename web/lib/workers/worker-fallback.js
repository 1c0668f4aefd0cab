// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Starts a worker if `new Worker(address)` fails because the script is cross-origin, the page's policy forbids it, or the connection was
 * lost for a moment. Other ways to start the worker are tried in this order, each one if the previous one fails:
 *
 *     again     the same address again, once its server responds
 *     vouched   the same address, or the address to which a bundler has moved the script, under the Trusted Types policy 'nextpixel'
 *     copied    a Blob with the text of the script, if the script imports no modules. Such a worker inherits the page's policy
 *     imported  a Blob with one line that imports the script, if the script imports modules, as the library's sources do
 */

import { NextPixelError } from '../base/error.js';
import { again } from '../base/part.js';
import { vouched } from '../base/vouch.js';
import { hint, startOwn, workerAddress, workerText } from '../files.js';
import { messageOf } from '../load/source.js';

/** @import { WorkerUrl } from '../engine/protocol.js' */

const POLICY = 'nextpixel';
/** How long to wait for the report of a policy violation, in milliseconds. The report comes a little later than the violation. */
const SETTLE_MS = 30;

/** @type {{ createScriptURL: (text: string) => any } | undefined} */
let policy;
/** The reason why the page did not allow the worker. @type {unknown} */
let refused;

/** @param {string} url  an address that this file made, or that the caller gave */
function trusted(url) {
  try {
    policy ??= /** @type {any} */ (globalThis).trustedTypes?.createPolicy(POLICY, {
      createScriptURL: (/** @type {string} */ text) => text,
    });
  } catch (cause) {
    refused = cause;
    throw cause;
  }
  return policy ? policy.createScriptURL(url) : url;
}

/**
 * Returns the address that startOwn() passes to `new Worker`. A bundler may have replaced the address in the code of startOwn(), so this
 * function runs that code with a stub of Worker that records the address.
 *
 * @returns {string | URL | undefined}
 */
function bundledAddress() {
  const { Worker: real } = globalThis;
  /** @type {string | URL | undefined} */
  let address;
  try {
    globalThis.Worker = /** @type {any} */ (
      class {
        /** @param {string | URL} url */
        constructor(url) {
          address = url;
        }
      }
    );
    startOwn();
  } finally {
    globalThis.Worker = real;
  }
  return address;
}

/** Starts to record which directives of the page's policy are violated. */
function watchPolicy() {
  /** @type {Set<string>} */
  const forbidden = new Set();
  const note = (/** @type {SecurityPolicyViolationEvent} */ { effectiveDirective }) => forbidden.add(effectiveDirective);
  addEventListener('securitypolicyviolation', note);
  return { forbidden, end: () => removeEventListener('securitypolicyviolation', note) };
}

/**
 * @param {WorkerUrl | undefined} address  the address that the caller gave
 * @param {(make: () => Worker) => Promise<Worker>} begun
 * @param {unknown} cause  the reason why the worker did not start from its address
 * @returns {Promise<Worker>}
 */
export async function startFallback(address, begun, cause) {
  const url = new URL(String(address ?? bundledAddress() ?? workerAddress()), globalThis.document?.baseURI ?? location.href);
  const vouchedFor = () => begun(() => new Worker(trusted(url.href), { type: 'module' }));
  const policies = watchPolicy();
  /** @type {Response | undefined} */
  let response;
  try {
    if (/Trusted/.test(String(cause))) {
      vouched.by = trusted; // the audio player, which is also a script, uses this policy too
      const worker = await vouchedFor().catch(() => undefined);
      if (worker) return worker;
    }
    response = workerText === undefined ? await scriptAt(url, policies.forbidden) : undefined;
    if (response && url.origin === globalThis.origin && /loaded/.test(String(cause))) {
      const worker = await vouchedFor().catch(() => undefined);
      if (worker) return worker;
    }
    const text = workerText ?? (await response?.clone().text());
    const simple = text !== undefined && !/^import\b/m.test(text); // a classic worker also runs in engines without module workers
    const source = simple ? text : `import ${JSON.stringify(url.href)};`;
    const blob = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
    try {
      return await begun(() => new Worker(trusted(blob), simple ? {} : { type: 'module' }));
    } finally {
      URL.revokeObjectURL(blob);
    }
  } catch (last) {
    await settled();
    const own = url.origin === globalThis.origin && workerText === undefined;
    if (own && response && !response.headers.has('cross-origin-embedder-policy')) {
      // Try the script's address once more. If this attempt fails without violating a content policy, the missing header is the cause.
      const watching = watchPolicy();
      const worker = await vouchedFor().catch(() => undefined);
      await settled();
      watching.end();
      if (worker) return worker;
      if (watching.forbidden.size === 0)
        throw failed(
          `its script ${url.href} is sent without Cross-Origin-Embedder-Policy, but the page has this header, so its workers need it. Send it with ` +
            'the script, too: Cross-Origin-Embedder-Policy: require-corp',
          last,
        );
    }
    throw failed(advice(url, own, policies.forbidden) || `${messageOf(cause)}.${hint()}`, last);
  } finally {
    policies.end();
  }
}

const settled = () =>
  new Promise((resolve) => {
    setTimeout(resolve, SETTLE_MS);
  });

/** @param {string} why @param {unknown} cause */
const failed = (why, cause) => new NextPixelError('network', `The worker could not be started: ${why}`, { cause });

/**
 * @param {URL} url
 * @param {boolean} own  whether the script has the same origin
 * @param {Set<string>} forbidden
 */
function advice(url, own, forbidden) {
  const has = (/** @type {RegExp} */ name) => [...forbidden].some((directive) => name.test(directive));
  const lacks = [];
  if (refused) lacks.push(`trusted-types ${POLICY}${/exists/.test(String(refused)) ? " 'allow-duplicates'" : ''}`);
  if (has(/^connect-src/)) lacks.push(`connect-src ${own ? "'self'" : url.origin}`);
  if (has(/^(worker|child|script|default)-src/)) lacks.push(own ? "worker-src 'self'" : 'worker-src blob:');
  if (lacks.length > 0) return `the page's Content-Security-Policy forbids it. Add to it: ${lacks.join('; ')}`;
  return own
    ? ''
    : `its script ${url.href} is of another origin and cannot be fetched. That server must answer with ` +
        'Access-Control-Allow-Origin, as for a font';
}

/**
 * @param {URL} url
 * @param {Set<string>} forbidden  violated directives of the page's policy. A forbidden request fails in the same way as a lost connection
 */
async function scriptAt(url, forbidden) {
  try {
    const response = await again(
      // a worker must be replaceable even if there is no network connection
      () => fetch(url).catch(() => fetch(url, { cache: 'force-cache' })),
      () => url.origin === globalThis.origin && forbidden.size === 0,
    );
    return response.ok && /javascript/.test(response.headers.get('content-type') ?? '') ? response : undefined;
  } catch {
    return undefined;
  }
}
