// Details of the service's records in words: each name by the catalogue, amounts and durations with their
// unit.
import { marketName } from '@tradepost/contract/market-names'
import { isolated } from '../texts/foreign.ts'
import { money } from '../texts/money.ts'
import { readable } from '../texts/readable.ts'
import { records } from '../texts/records.ts'
import { formatPercent, texts } from '../texts/texts.ts'
import { withSymbols } from './symbols.ts'

const { factNames } = records

/** Of codes that the pages call otherwise, by the name of the detail. */
const VALUES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  signature: texts.webhook.signatures,
  method: money.deposits.methods,
}

type Records = Readonly<Record<string, unknown>>

/** Labels with values; what is not known is left out. */
export const detailLines = (details: Records): [label: string, value: string][] =>
  Object.entries(withSymbols(details))
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => [nameOfDetail(name), shownDetail(name, value)])

/** The same on one line: `amount: 1.08 USD · from: spot`. */
export const detailsText = (details: Records): string =>
  detailLines(details)
    .map(([label, value]) => `${label.charAt(0).toLowerCase()}${label.slice(1)}: ${value}`)
    .join(' · ')

/** Of a name that no text knows, its words: `Settlement ref` of `settlementRef`. */
export const nameOfDetail = (name: string): string => factNames[name] ?? isolated(wordsOf(name))

function wordsOf(name: string): string {
  const words = readable(name.replace(/([a-z])([A-Z])/g, '$1 $2')).toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const IS_NAME = /^[a-z]+(?:_[a-z]+)+$/

/** With its unit, by its name. */
export function shownDetail(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((part) => shownDetail(name, part)).join(', ')
  if (typeof value === 'object' && value !== null) return detailsText(value as Records)
  const text = String(value)
  const known = VALUES[name]?.[text]
  if (known !== undefined) return known
  if (name.endsWith('Bps')) return `${formatPercent(Number(value))}%`
  // Thousandths of a US dollar.
  if (name.endsWith('Mills')) return `${Number(text) / 1000} USD`
  if (name === 'ms') return `${text} ms`
  if (name === 'market') return marketName(text)
  return isolated(IS_NAME.test(text) ? readable(text) : text)
}
