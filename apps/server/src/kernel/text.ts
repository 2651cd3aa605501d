// Text that can be kept behind every edge: PostgreSQL refuses NUL, and half of a surrogate pair in jsonb.

export const isPlain = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** The same text, with U+FFFD in the place of what PostgreSQL refuses. */
export const plainOf = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD')

/** At most so many characters of the text, plain also where it is cut in the middle of one. */
export const cut = (text: string, most: number): string => plainOf(text.slice(0, most))
