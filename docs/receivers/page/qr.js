// Draws short texts as QR codes (ISO/IEC 18004): bytes, error correction L, versions 1 to 6, mask 0. Any QR
// library does the same; never send the text to a service that draws it, because it holds the secret code.

/** Data codewords per block, check codewords per block, and blocks of versions 1 to 6. */
const VERSIONS = [[19, 7, 1], [34, 10, 1], [55, 15, 1], [80, 20, 1], [108, 26, 1], [68, 18, 2]]

/** The format's 15 bits: error correction L, mask 0. */
const FORMAT = 0x77c4

/** Width of the margin in modules. */
const QUIET = 4

/** Multiplies in GF(256) with the polynomial 0x11d. */
function multiply(a, b) {
  let product = 0
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >> 7) * 0x11d)
    if ((b >> bit) & 1) product ^= a
  }
  return product
}

/** Returns the last `count` values of a long division of `values` by `divisor`, whose leading 1 is left out. */
function remainder(values, divisor) {
  const rest = Array(divisor.length).fill(0)
  for (const value of values) {
    const factor = value ^ rest.shift()
    rest.push(0)
    divisor.forEach((coefficient, at) => { rest[at] ^= multiply(coefficient, factor) })
  }
  return rest
}

/** Returns the Reed-Solomon generator of a degree, without its leading 1. */
function generator(degree) {
  const divisor = [...Array(degree - 1).fill(0), 1]
  for (let root = 1, step = 0; step < degree; step += 1, root = multiply(root, 2)) {
    for (let at = 0; at < degree; at += 1) divisor[at] = multiply(divisor[at], root) ^ (divisor[at + 1] ?? 0)
  }
  return divisor
}

/** Returns all codewords of a text, interleaved. */
function codewords(bytes, [size, checks, blocks]) {
  const nibbles = [4, bytes.length >> 4, bytes.length & 15, ...bytes.flatMap((byte) => [byte >> 4, byte & 15]), 0]
  const data = []
  for (let at = 0; at < nibbles.length; at += 2) data.push((nibbles[at] << 4) | nibbles[at + 1])
  for (let pad = 0xec; data.length < size * blocks; pad ^= 0xec ^ 0x11) data.push(pad)
  const divisor = generator(checks)
  const parts = Array.from({ length: blocks }, (_, block) => data.slice(block * size, (block + 1) * size))
  const ends = parts.map((part) => remainder(part, divisor))
  const interleave = (lists) => lists[0].flatMap((_, at) => lists.map((list) => list[at]))
  return [...interleave(parts), ...interleave(ends)]
}

/** Returns the modules of a code, row by row; `true` is dark. */
function modules(words, version) {
  const width = 17 + 4 * version
  const rows = Array.from({ length: width }, () => Array(width))
  const set = (x, y, dark) => { if (rows[y] && x >= 0 && x < width) rows[y][x] = Boolean(dark) }
  const square = (centreX, centreY, radius, light) => {
    for (let y = -radius; y <= radius; y += 1) {
      for (let x = -radius; x <= radius; x += 1) {
        set(centreX + x, centreY + y, !light.includes(Math.max(Math.abs(x), Math.abs(y))))
      }
    }
  }
  for (let at = 8; at < width - 8; at += 1) {
    set(at, 6, at % 2 === 0)
    set(6, at, at % 2 === 0)
  }
  for (const [x, y] of [[3, 3], [width - 4, 3], [3, width - 4]]) square(x, y, 4, [2, 4])
  if (version > 1) square(width - 7, width - 7, 2, [1])
  for (let bit = 0; bit < 15; bit += 1) {
    const dark = (FORMAT >> bit) & 1
    set(8, bit < 6 ? bit : bit < 8 ? bit + 1 : width - 15 + bit, dark)
    set(bit < 8 ? width - 1 - bit : bit === 8 ? 7 : 14 - bit, 8, dark)
  }
  set(8, width - 8, true)
  let next = 0
  for (let right = width - 1; right > 0; right -= 2) {
    if (right === 6) right = 5
    for (let step = 0; step < width; step += 1) {
      const y = (right + 1) & 2 ? step : width - 1 - step
      for (const x of [right, right - 1]) {
        if (rows[y][x] === undefined) {
          const bit = (words[next >> 3] >> (7 - (next & 7))) & 1
          rows[y][x] = Boolean(bit) !== ((x + y) % 2 === 0)
          next += 1
        }
      }
    }
  }
  return rows
}

/** Returns an SVG element with the code, or `null` if the text has more than 134 bytes. */
export function drawCode(text, label) {
  const bytes = [...new TextEncoder().encode(text)]
  const version = 1 + VERSIONS.findIndex(([size, , blocks]) => bytes.length + 2 <= size * blocks)
  if (version === 0) return null
  const rows = modules(codewords(bytes, VERSIONS[version - 1]), version)
  const path = rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : '')))
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  const drawing = document.createElementNS(svg.namespaceURI, 'path')
  svg.setAttribute('viewBox', `0 0 ${rows.length + 2 * QUIET} ${rows.length + 2 * QUIET}`)
  svg.setAttribute('role', 'img')
  svg.setAttribute('aria-label', label)
  svg.setAttribute('shape-rendering', 'crispEdges')
  drawing.setAttribute('d', path.join(''))
  svg.append(drawing)
  return svg
}
