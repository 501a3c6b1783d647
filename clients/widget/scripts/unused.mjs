// Replaces parts of @hpke in the bundle that browsers or decryption never use, but bundlers cannot leave out.

/** Of Node's module `crypto`, for a Node.js without `globalThis.crypto`. */
export const webcrypto = globalThis.crypto

/** A global object that Deno's additions could be merged into. */
export const dntGlobalThis = globalThis

/** Encrypts. */
export class SenderContextImpl {}
