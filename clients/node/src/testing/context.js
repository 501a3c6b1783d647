const MAX_BYTES = 1024
const MAX_LINES = 12

const SEEN = /(?!\p{Default_Ignorable_Code_Point})\p{L}|(?![\u2800\u{1d159}])[\p{N}\p{P}\p{S}]/u
/** Invisible characters, where a script or an emoji needs them. */
const NEEDED = new RegExp([
  '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})',
  '(?<![\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}])(?<=[\\p{L}\\p{M}])[\\u200c\\u200d](?=\\p{L})',
  '(?<=\\p{Emoji})[\\ufe0e\\ufe0f]',
  '(?<=\\u{1f3f4})[\\u{e0030}-\\u{e007a}]+\\u{e007f}',
].join('|'), 'gu')
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufffc]/u
const TOWER = /^\p{M}|\p{M}{9}/u

/**
 * Whether a text looks the same on every screen, so that a phone may ask its user to approve it. The service has the
 * same rule for the texts that it accepts, in more detail.
 *
 * @param {string} text
 */
export function isShowable(text) {
  const lines = text.split('\n')
  return Buffer.byteLength(text) <= MAX_BYTES && lines.length <= MAX_LINES && SEEN.test(text)
    && text === text.normalize('NFC') && lines.every((line) => !HIDDEN.test(line.replace(NEEDED, '')) && !TOWER.test(line))
}
