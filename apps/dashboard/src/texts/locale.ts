// How numbers are written for the reader of this page. texts.ts sets the locale once, before any page is
// drawn.

export let locale = 'en'
let counts = countsOf(locale)
let percents = percentsOf(locale)

/** A form of numbers or times takes long to make, and the first page needs few: made at first use. */
export function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

export function setLocale(tag: string): void {
  locale = tag
  counts = countsOf(tag)
  percents = percentsOf(tag)
}

function countsOf(tag: string): () => Intl.NumberFormat {
  return once(() => new Intl.NumberFormat(tag))
}

function percentsOf(tag: string): () => Intl.NumberFormat {
  return once(() => new Intl.NumberFormat(tag, { minimumFractionDigits: 2 }))
}

export const formatCount = (count: number): string => counts().format(count)

/** Basis points in percent, without its sign. */
export const formatPercent = (bps: number): string => percents().format(bps / 100)
