// The parts of a client that the entry points of this package share. A process-wide symbol finds it even if a
// program has loaded the package both as ES modules and as CommonJS.

const PARTS = Symbol.for('countersign.parts')

/**
 * @internal
 * @typedef {object} Parts
 * @property {import('./transport.js').Transport} transport
 * @property {() => Promise<number>} time
 * @property {string} [appKey]
 */

/**
 * Stores the parts with a client, where neither a log nor JSON shows them.
 *
 * @internal
 * @template {object} C
 * @param {C} client
 * @param {Parts} parts
 * @returns {C}
 */
export function withParts(client, parts) {
  return Object.defineProperty(client, PARTS, { value: parts })
}

/**
 * @internal
 * @param {unknown} client
 * @returns {Parts}
 */
export function partsOf(client) {
  const parts = /** @type {{ [PARTS]?: Parts } | null | undefined} */ (client)?.[PARTS]
  if (!parts) throw new TypeError('the first argument is not a Countersign')
  return parts
}
