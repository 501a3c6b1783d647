/** Number of rounds per block, and of round constants (FIPS 180-4, section 6.2). */
const ROUNDS = 64

/** Size of a block, in bytes. */
const BLOCK = 64

/**
 * Computes SHA-256 without WebCrypto, which browsers do not provide to insecure pages. Use WebCrypto where it
 * exists.
 */
export function plainSha256(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const primes = firstPrimes(ROUNDS)
  const constants = primes.map((prime) => fraction(Math.cbrt(prime)))
  const state = Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)))
  const padded = pad(message)
  for (let at = 0; at < padded.byteLength; at += BLOCK) {
    addBlock(state, new DataView(padded.buffer, at, BLOCK), constants)
  }
  const digest = new DataView(new ArrayBuffer(32))
  state.forEach((word, index) => digest.setInt32(4 * index, word))
  return new Uint8Array(digest.buffer)
}

function addBlock(state: Int32Array, block: DataView, constants: readonly number[]): void {
  const words = new Int32Array(ROUNDS)
  for (let round = 0; round < ROUNDS; round += 1) {
    const [far, near] = [words[round - 15] ?? 0, words[round - 2] ?? 0]
    words[round] = round < 16
      ? block.getInt32(4 * round)
      : (words[round - 16] ?? 0) + (rotate(far, 7) ^ rotate(far, 18) ^ (far >>> 3))
        + (words[round - 7] ?? 0) + (rotate(near, 17) ^ rotate(near, 19) ^ (near >>> 10))
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let round = 0; round < ROUNDS; round += 1) {
    const first = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g))
      + (constants[round] ?? 0) + (words[round] ?? 0)
    const second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0]
  }
  ;[a, b, c, d, e, f, g, h].forEach((word, index) => {
    state[index] = (state[index] ?? 0) + word
  })
}

/** Appends a one bit, zeros, and the length in bits (FIPS 180-4, section 5.1.1). */
function pad(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const padded = new Uint8Array(Math.ceil((message.length + 9) / BLOCK) * BLOCK)
  padded.set(message)
  padded[message.length] = 0x80
  new DataView(padded.buffer).setUint32(padded.length - 4, message.length * 8)
  return padded
}

const rotate = (word: number, bits: number) => (word >>> bits) | (word << (32 - bits))

/** Returns the first 32 bits of the fractional part. */
const fraction = (root: number) => ((root % 1) * 2 ** 32) | 0

function firstPrimes(count: number): number[] {
  const primes: number[] = []
  for (let next = 2; primes.length < count; next += 1) {
    if (primes.every((prime) => next % prime !== 0)) primes.push(next)
  }
  return primes
}
