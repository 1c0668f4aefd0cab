// SPDX-License-Identifier: MIT
// Fetches the bytes of a weight file for figures that show its values.
// @ts-check

/**
 * @param {string} address
 * @returns {Promise<Response | undefined>} the copy in the library's cache; undefined if there is none, or in a sandboxed frame, which may
 *   not read the cache
 */
async function copyOf(address) {
  try {
    return await caches.match(address, { ignoreVary: true });
  } catch {
    return undefined;
  }
}

/**
 * Fetches the bytes of a weight file. The bytes usually come from the browser's HTTP cache. Without a connection, they come from the
 * library's cache.
 *
 * @param {string} address
 */
export async function weightBytes(address) {
  const response = await fetch(address).catch(async (error) => {
    const copy = await copyOf(address);
    if (!copy) throw error;
    return copy;
  });
  if (!response.ok) throw new Error(`${address}: ${response.status} ${response.statusText}`.trim());
  return response.arrayBuffer();
}
