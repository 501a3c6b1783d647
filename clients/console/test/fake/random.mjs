// Numbers that look random and are the same on each run.

/** Returns a generator of numbers from 0 to below 1 (mulberry32). */
export function random(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

export function pick(next, all) {
  return all[Math.floor(next() * all.length)]
}

export function hex(next, length) {
  let text = ''
  while (text.length < length) text += Math.floor(next() * 16).toString(16)
  return text
}
