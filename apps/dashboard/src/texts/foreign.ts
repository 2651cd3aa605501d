// Text that other people wrote, within texts of ours.

/** What is not seen and changes the rest: controls, and characters that turn text around; or an isolate. */
const STEERING = /\u2068([^\u2066-\u2069]*)\u2069|[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu
const KEPT: ReadonlySet<string> = new Set(['\n', '\t'])

/** Each as its escape, `\u202E`. Line breaks and tabs stay, and isolates, which turn nothing around. */
export const visible = (text: string): string =>
  text.replace(STEERING, (found, within?: string) => {
    if (within !== undefined) return `\u2068${visible(within)}\u2069`
    if (KEPT.has(found)) return found
    return `\\u${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
  })

/** Letters that are written from right to left. */
const FROM_RIGHT =
  /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u

/** Within a sentence: what <bdi> is around an element. */
export const isolated = (text: string): string => {
  const shown = visible(text)
  return FROM_RIGHT.test(shown) ? `\u2068${shown}\u2069` : shown
}

type Text = (...values: readonly unknown[]) => unknown

/** The same catalogue; its functions isolate each text that they are given. */
export function isolating<T>(texts: T): T {
  if (typeof texts === 'function') {
    const text = texts as unknown as Text
    return ((...values) =>
      isolating(
        text(...values.map((value) => (typeof value === 'string' ? isolated(value) : value))),
      )) satisfies Text as T
  }
  if (Array.isArray(texts)) return texts.map(isolating) as T
  if (typeof texts !== 'object' || texts === null) return texts
  const parts = Object.entries(texts).map(([name, each]) => [name, isolating(each)])
  return Object.fromEntries(parts) as T
}
