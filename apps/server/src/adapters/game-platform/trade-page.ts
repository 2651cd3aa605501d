// The community site's page behind a trade URL. The details stand in the page's own script; they are read
// with patterns and JSON, and the script is never run.
import { cut } from '#kernel/text'
import type { PlatformRejection } from '#ports/selling'
import { fieldsOf, own, parseJson, pictureOf, textOf } from '../shared/reader.ts'

export type TradePage =
  | {
      readonly kind: 'offer'
      readonly personaName: string
      readonly avatarUrl: string
      /** Days that the platform would hold a trade for the partner's sake. */
      readonly holdDays: number
      /** The same for the sake of the account that asks. */
      readonly ownHoldDays: number
      readonly probation: boolean
      /** The page lists the games whose items it can see; without ours the inventory may be private. */
      readonly showsInventory: boolean
    }
  /** The platform will not let an offer be sent to this URL. */
  | { readonly kind: 'refused'; readonly reason: PlatformRejection; readonly detail: string }
  /** The platform is unwell, or the page is not what we know. */
  | { readonly kind: 'unreadable'; readonly detail: string }

/**
 * What says something of the user's URL. Any other sentence may be trouble of the site, of our session or
 * of our own account: it is not read as a refusal.
 */
const REFUSALS: readonly (readonly [RegExp, PlatformRejection])[] = [
  [/trade url is no longer valid/i, 'url_invalid'],
  [/has a private inventory|inventory is private|privacy settings/i, 'inventory_private'],
  [/you cannot trade with .{0,200} because they have a trade ban/is, 'trade_ban'],
  [/is not available to trade\. more information will be shown to/i, 'target_cannot_trade'],
]

export function readTradePage(
  html: string,
  { partner, appId }: { readonly partner: number; readonly appId: string },
): TradePage {
  const error = errorOf(html)
  if (error !== null) {
    const reason = REFUSALS.find(([pattern]) => pattern.test(error))?.[1]
    return reason === undefined
      ? { kind: 'unreadable', detail: error }
      : { kind: 'refused', reason, detail: error }
  }
  const personaName = textOf(scriptValue(html, 'g_strTradePartnerPersonaName'))
  const probation = scriptValue(html, 'g_bTradePartnerProbation')
  const holdDays = scriptValue(html, 'g_daysTheirEscrow')
  const isWhole =
    personaName !== null &&
    typeof probation === 'boolean' &&
    typeof holdDays === 'number' &&
    Number.isInteger(holdDays) &&
    holdDays >= 0
  if (!isWhole) return { kind: 'unreadable', detail: 'not the page of a trade offer' }
  const ownHoldDays = daysOf(scriptValue(html, 'g_daysMyEscrow'))
  const contexts = fieldsOf(scriptValue(html, 'g_rgPartnerAppContextData')) ?? {}
  return {
    kind: 'offer',
    personaName: cleanName(personaName),
    avatarUrl: avatarOf(html, partner),
    // The longer hold of the two is applied; what both have is the partner's unless it is ours.
    holdDays:
      ownHoldDays > 0
        ? holdDays
        : Math.max(holdDays, daysOf(scriptValue(html, 'g_daysBothEscrow'))),
    ownHoldDays,
    probation,
    showsInventory: own(contexts, appId) !== undefined,
  }
}

/** Of an optional field. */
const daysOf = (value: unknown): number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : 0

/**
 * A name is shown to people and stored: no control characters, nor what stands for one, no turned text, no
 * endless length.
 */
const cleanName = (name: string): string =>
  cut(name.replace(/[\p{Cc}\ufffd\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, ''), 128)

function errorOf(html: string): string | null {
  const match = /<div[^>]*\bid="error_msg"[^>]*>([\s\S]{0,4000}?)<\/div>/i.exec(html)
  if (!match) return null
  const text = decodeEntities((match[1] ?? '').replace(/<[^>]*>/g, ' '))
  return cut(text.replace(/\s+/g, ' ').trim(), 300)
}

/** The JSON value that the script gives a variable; undefined when it is not there or not JSON. */
function scriptValue(html: string, name: string): unknown {
  const match = new RegExp(`\\b${name}\\s*=\\s*`).exec(html)
  if (!match) return undefined
  const text = html.slice(match.index + match[0].length, match.index + match[0].length + 200_000)
  const literal = /^(?:"(?:[^"\\\n]|\\.)*"|-?\d{1,10}|true|false|null)/.exec(text)?.[0]
  if (literal !== undefined) return parseJson(literal)
  // An object ends with the statement: the first end of line after which it is whole JSON.
  const end = /;[ \t]*(?:\r?\n|$|<)/.exec(text)
  return end === null ? undefined : parseJson(text.slice(0, end.index))
}

/** The picture beside the partner's mini profile, whatever the order of its attributes. */
function avatarOf(html: string, partner: number): string {
  for (const [tag] of html.matchAll(/<img\b[^>]{0,2000}>/gi)) {
    if (attributeOf(tag, 'data-miniprofile') !== String(partner)) continue
    return pictureOf(decodeEntities(attributeOf(tag, 'src') ?? ''))
  }
  return ''
}

function attributeOf(tag: string, name: string): string | null {
  const match = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'i').exec(tag)
  return match?.[1] ?? match?.[2] ?? null
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
}

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|([a-z]{2,5}));/gi, (whole, code?: string, name?: string) => {
    if (code !== undefined) {
      const point = Number(code)
      return point <= 0x10ffff ? String.fromCodePoint(point).toWellFormed() : ''
    }
    return ENTITIES[(name ?? '').toLowerCase()] ?? whole
  })
}
