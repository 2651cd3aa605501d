// How numbers are written for the reader of this page. texts.ts sets the locale once, before any page is
// drawn.

export let locale = 'en'
let counts = new Intl.NumberFormat(locale)
let percents = new Intl.NumberFormat(locale, { minimumFractionDigits: 2 })

export function setLocale(tag: string): void {
  locale = tag
  counts = new Intl.NumberFormat(tag)
  percents = new Intl.NumberFormat(tag, { minimumFractionDigits: 2 })
}

export const formatCount = (count: number): string => counts.format(count)

/** Basis points in percent, without its sign. */
export const formatPercent = (bps: number): string => percents.format(bps / 100)
