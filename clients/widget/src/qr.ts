import { correction, generate } from 'lean-qr/nano'

/** Width of the quiet zone that readers need around a code, in modules (ISO/IEC 18004). */
const QUIET = 4

/** A QR code as a path to fill. */
export interface Drawing {
  /** Width and height including the quiet zone, in modules. */
  readonly size: number
  /** The dark modules as the `d` attribute of an SVG path. */
  readonly path: string
}

/** Encodes a text, with error correction M or better. */
export function drawCode(text: string): Drawing {
  const code = generate(text, { minCorrectionLevel: correction.M })
  let path = ''
  for (let y = 0; y < code.size; y += 1) {
    for (let x = 0; x < code.size; x += 1) {
      const from = x
      while (code.get(x, y)) x += 1
      if (x > from) path += `M${from + QUIET} ${y + QUIET}h${x - from}v1h${from - x}z`
    }
  }
  return { size: code.size + 2 * QUIET, path }
}
