/** The page that an address names; the first for none and for what is no number. */
export const pageNumberOf = (text: string | undefined): number => Math.max(1, Number(text) || 1)
