// What a caller wrote into a header.
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Node reads header bytes as Latin-1. Text outside ASCII is sent as UTF-8 by nearly every client, so bytes
 * that are UTF-8 are taken for it.
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
