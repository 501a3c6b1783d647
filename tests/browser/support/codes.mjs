// Reads QR codes with independent readers.

import assert from 'node:assert/strict'

import jsqr from 'jsqr'
import { PNG } from 'pngjs'

import { skipped, zbar } from './tools.mjs'

/** Returns the text of a QR code in a PNG. Fails if a reader cannot read it, or if the readers disagree. */
export function readCode(picture, name) {
  const { data, width, height } = PNG.sync.read(picture)
  const found = jsqr(new Uint8ClampedArray(data), width, height)?.data
  assert.ok(found, `${name}: jsqr finds no code`)
  const read = zbar(picture)
  if (read === undefined) skipped(`${name}, by zbar`, 'no zbarimg')
  else assert.equal(read, found, name)
  return found
}
