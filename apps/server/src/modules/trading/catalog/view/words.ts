// How a text becomes words. Names of items and queries of callers are split alike.

// The star marks knives and gloves and is worth asking for; other signs only part words.
const WORD = /[\p{L}\p{N}]+|★/gu
const MARKS = /\p{M}+/gu
/** Letters with a mark that Unicode does not take apart. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ...{ ø: 'o', ł: 'l', đ: 'd', ð: 'd', ı: 'i' },
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th' },
}
const WHOLE_LETTERS = new RegExp(`[${Object.keys(PLAIN_LETTERS).join('')}]`, 'g')

const plain = (text: string): string =>
  text
    .replaceAll('™', ' ')
    .normalize('NFKD')
    .toLowerCase()
    .replace(MARKS, '')
    .replace(WHOLE_LETTERS, (letter) => PLAIN_LETTERS[letter] as string)

/** The words of a text in their order. */
export const wordsOf = (text: string): string[] => plain(text).match(WORD) ?? []

/**
 * The words under which a name is found. What a sign joins is one word too, so that "ak47" finds AK-47
 * as "ak 47" and "ak-47" do.
 */
export function searchWordsOf(text: string): Set<string> {
  const found = new Set<string>()
  for (const chunk of plain(text).split(/\s+/)) {
    const words = chunk.match(WORD) ?? []
    for (const word of words) found.add(word)
    if (words.length > 1) found.add(words.join(''))
  }
  return found
}

/** Compares as the code points of two texts do; UTF-16 units alone would misplace rare characters. */
export function compareCodePoints(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let i = 0; i < length; i++) {
    const a = left.charCodeAt(i)
    const b = right.charCodeAt(i)
    if (a === b) continue
    const aSurrogate = a >= 0xd800 && a <= 0xdfff
    const bSurrogate = b >= 0xd800 && b <= 0xdfff
    return aSurrogate === bSurrogate ? a - b : aSurrogate ? 1 : -1
  }
  return left.length - right.length
}

/**
 * Does some beginning of `word` differ from `asked` by one typing error: a letter wrong, missing, too
 * many, or swapped with its neighbour (Damerau)? One edit is always at the first place where they part.
 */
export function beginsWithOneError(word: string, asked: string): boolean {
  let at = 0
  while (at < asked.length && word.charCodeAt(at) === asked.charCodeAt(at)) at++
  if (at === asked.length) return true
  if (word.startsWith(asked.slice(at + 1), at + 1)) return true
  if (word.startsWith(asked.slice(at + 1), at)) return true
  if (word.startsWith(asked.slice(at), at + 1)) return true
  return (
    at + 1 < asked.length &&
    word.charCodeAt(at) === asked.charCodeAt(at + 1) &&
    word.charCodeAt(at + 1) === asked.charCodeAt(at) &&
    word.startsWith(asked.slice(at + 2), at + 2)
  )
}
