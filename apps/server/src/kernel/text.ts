// Text that comes in: what a header says, and what can be kept behind every edge. PostgreSQL refuses NUL, and
// half of a surrogate pair in jsonb. And how it is shown within texts of ours.

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

/** Characters that are not seen and change the rest: controls, and those that turn text around. */
const STEERING = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu
/** Letters that are written from right to left. */
const FROM_RIGHT =
  /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u

/**
 * What another person wrote, for a sentence of ours: what steers is shown as its escape, `\u202E`, and
 * letters from right to left stand in an isolate (U+2068 and U+2069), so that nothing around is turned.
 */
function isolated(text: string): string {
  const shown = text.replace(
    STEERING,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
  )
  return FROM_RIGHT.test(shown) ? `\u2068${shown}\u2069` : shown
}

/** Each text among the details. */
export const isolatedTexts = <Details extends object>(details: Details): Details => {
  const shown = (detail: unknown): unknown =>
    typeof detail === 'string' ? isolated(detail) : detail
  return Object.fromEntries(
    Object.entries(details).map(([name, detail]) => [name, shown(detail)]),
  ) as Details
}
