// In place of Node's `crypto`, in a bundle for browsers.
export const webcrypto = globalThis.crypto
