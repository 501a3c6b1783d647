/** The zeros of the decimal digits that keyboards type: ASCII, Arabic, Persian, and full-width. */
const ZEROS = [0x30, 0x660, 0x6f0, 0xff10]

/** Returns the decimal digits in a text, in ASCII. */
export function digitsOf(text: string): string {
  return Array.from(text, (character) => {
    const point = character.codePointAt(0) ?? 0
    const zero = ZEROS.find((zero) => point >= zero && point < zero + 10)
    return zero === undefined ? '' : String(point - zero)
  }).join('')
}
