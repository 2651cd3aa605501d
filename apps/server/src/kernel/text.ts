// Text that comes in: what a header says, and what can be kept behind every edge. PostgreSQL refuses NUL, and
// half of a surrogate pair in jsonb.

export const isPlain = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** The same text, with U+FFFD in the place of what PostgreSQL refuses. */
export const plainOf = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD')

/** At most so many characters of the text, plain also where it is cut in the middle of one. */
export const cut = (text: string, most: number): string => plainOf(text.slice(0, most))

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * What a header says. Node reads its bytes as Latin-1; text outside ASCII is sent as UTF-8 by nearly every
 * client, so bytes that are UTF-8 are taken for it.
 */
export function headerText(raw: string): string {
  if (IS_ASCII.test(raw)) return raw
  try {
    return strictUtf8.decode(Buffer.from(raw, 'latin1'))
  } catch {
    return raw
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const IS_ASCII = /^[\x00-\x7f]*$/
