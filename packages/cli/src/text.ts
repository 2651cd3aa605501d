// Text for a terminal: its width, its permitted characters, the form of money and times.
import { TRADE_FAILURES, type TradeFailureCode } from './sdk.ts'

// Control characters could move the cursor or overwrite earlier lines; those of direction turn around what
// stands after them.
const INVISIBLE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

const escapeOf = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Text that others wrote, with what cannot be seen as an escape. All of it is printed so. */
export const clean = (text: string): string => text.replace(INVISIBLE, escapeOf)

const SEGMENTS = new Intl.Segmenter('en', { granularity: 'grapheme' })
const WIDE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff01-\uff60]/u
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]+$/u

const graphemes = (text: string): string[] =>
  Array.from(SEGMENTS.segment(text), ({ segment }) => segment)

const widthOfOne = (grapheme: string): number =>
  NO_WIDTH.test(grapheme) ? 0 : WIDE.test(grapheme) ? 2 : 1

/** Columns that a text takes. */
export const widthOf = (text: string): number =>
  graphemes(text).reduce((sum, one) => sum + widthOfOne(one), 0)

/** The text, or as much of its beginning as fits with an ellipsis. */
export function fit(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let kept = ''
  let width = 0
  for (const one of graphemes(text)) {
    width += widthOfOne(one)
    if (width > columns - 1) break
    kept += one
  }
  return `${kept}…`
}

export const padEnd = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(0, columns - widthOf(text)))

export const padStart = (text: string, columns: number): string =>
  ' '.repeat(Math.max(0, columns - widthOf(text))) + text

/** Phases of a Doppler share one name. */
export const itemName = ({
  marketHashName,
  phase,
}: {
  readonly marketHashName: string | null
  readonly phase?: string
}): string => [marketHashName ?? '?', phase].filter(Boolean).join(' · ')

/** A code that is newer than this program stands for itself. */
export const failureText = (code: string): string =>
  TRADE_FAILURES[code as TradeFailureCode] ?? code

/** An amount of the service, which has at most two decimals. */
export const money = (amount: number, currency?: string): string =>
  amount.toFixed(2) + (currency === undefined ? '' : ` ${currency}`)

/** `2026-11-21 09:30:00`, in UTC. */
export const moment = (iso: string): string => iso.slice(0, 19).replace('T', ' ')

export const clockTime = (date: Date): string => date.toISOString().slice(11, 19)

/** JSON with the same escapes, which mean the same text; its line breaks stay. */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).split('\n').map(clean).join('\n')
