// Replaces Node's module `crypto` in the bundle for browsers.
export const webcrypto = globalThis.crypto
