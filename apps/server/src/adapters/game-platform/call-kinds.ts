// The kinds of calls that we make to the platform: what each carries, how far its calls are apart, and what
// is known about both. The platform answers 429, whatever the rate, to a call without the headers that it
// expects, and changes them without a word: so they are data, and an operator replaces single ones by a
// file.
import { fieldsOf, parseJson } from '../shared/reader.ts'

export interface KindRules {
  /** Names in lower case. `{site}` is the origin of the community site, `{page}` the page that calls. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * Between two calls of the kind: of one bot, or of our address for what every bot and anonymous read
   * shares.
   */
  readonly paceMs: number
  readonly counted: 'bot' | 'address'
  /** Where the headers and the pace come from. */
  readonly source: string
}

/** Without them the site answers 429, whatever the rate; the user agent is that of the phone program. */
const PHONE = { 'user-agent': 'okhttp/4.9.2', 'accept-language': 'en-US,en;q=0.9' } as const
const FORM = { ...PHONE, origin: '{site}', referer: '{page}' } as const
const OBSERVED = 'observed since July 2026: 429 without them, whatever the rate'
const OWN_PACE = 'the pace is our choice'

export const CALL_KINDS = {
  'trade-page': {
    headers: { ...PHONE, accept: 'text/html', referer: '{page}' },
    paceMs: 250,
    counted: 'address',
    source: `${OBSERVED}; the referer is the page itself, with partner and token; ${OWN_PACE}`,
  },
  inventory: {
    headers: { ...PHONE, accept: 'application/json', referer: '{page}' },
    paceMs: 1000,
    counted: 'address',
    source:
      'the language observed since July 2026, the referer a precaution; about 60 a minute observed',
  },
  'own-inventory': {
    headers: PHONE,
    paceMs: 1000,
    counted: 'bot',
    source: `${OBSERVED}; the pace as for the inventories of others`,
  },
  send: {
    headers: FORM,
    paceMs: 250,
    counted: 'bot',
    source: `${OBSERVED}; origin and referer as the site’s own page sends them; ${OWN_PACE}`,
  },
  cancel: {
    headers: FORM,
    paceMs: 250,
    counted: 'bot',
    source: `${OBSERVED}; origin and referer as the site’s own page sends them; ${OWN_PACE}`,
  },
  acknowledge: {
    headers: FORM,
    paceMs: 1000,
    counted: 'bot',
    source: `${OBSERVED}; origin and referer as the site’s own page sends them; ${OWN_PACE}`,
  },
  'confirmations-list': {
    headers: PHONE,
    paceMs: 10_000,
    counted: 'bot',
    source: `${OBSERVED}; other programs list no more often than every ten seconds`,
  },
  'confirmations-act': {
    headers: PHONE,
    paceMs: 1000,
    counted: 'bot',
    source: `${OBSERVED}; a key of an act is good for one second`,
  },
  'web-api': {
    headers: PHONE,
    paceMs: 250,
    counted: 'bot',
    source: `none demanded so far: those of the phone program; ${OWN_PACE}`,
  },
  'log-in': {
    headers: {},
    paceMs: 1000,
    counted: 'bot',
    source: `those that the log-in library sends for the phone program; ${OWN_PACE}`,
  },
} as const satisfies Readonly<Record<string, KindRules>>

export type CallKind = keyof typeof CALL_KINDS
export type CallKinds = Readonly<Record<CallKind, KindRules>>

const isCallKind = (name: string): name is CallKind => Object.hasOwn(CALL_KINDS, name)
export const callKindNames = Object.keys(CALL_KINDS) as readonly CallKind[]

const LEAST_PACE_MS = 50
const MOST_PACE_MS = 3_600_000
const HEADER_NAME = /^[a-z][a-z0-9-]{0,63}$/
/** No line break and nothing else that would end a header; a text of visible ASCII. */
const HEADER_VALUE = /^[\x20-\x7e]{1,1000}$/
/** The call itself decides what these say. */
const RESERVED = ['host', 'cookie', 'content-length', 'content-type', 'transfer-encoding']

/**
 * The table with the values replaced that a JSON text gives:
 * `{"send": {"headers": {"referer": null}, "paceMs": 500}}`. A header that is null is left
 * out. Throws a sentence that says what is wrong.
 */
export function readCallKinds(json: string): CallKinds {
  const given = fieldsOf(parseJson(json))
  if (given === null) throw new Error('it is no JSON object of kinds')
  const kinds: Record<CallKind, KindRules> = { ...CALL_KINDS }
  for (const [kind, value] of Object.entries(given)) {
    if (!isCallKind(kind)) {
      throw new Error(`there is no kind ${JSON.stringify(kind)}: ${callKindNames.join(', ')}`)
    }
    kinds[kind] = replaced(kind, kinds[kind], value)
  }
  return kinds
}

function replaced(kind: CallKind, rules: KindRules, value: unknown): KindRules {
  const given = fieldsOf(value)
  if (given === null) throw new Error(`${kind} is no object`)
  const strange = Object.keys(given).find((name) => name !== 'headers' && name !== 'paceMs')
  if (strange !== undefined) throw new Error(`${kind} has no field ${JSON.stringify(strange)}`)
  const { headers = {}, paceMs = rules.paceMs } = given
  const isPace =
    Number.isInteger(paceMs) && Number(paceMs) >= LEAST_PACE_MS && Number(paceMs) <= MOST_PACE_MS
  if (!isPace) {
    throw new Error(
      `the paceMs of ${kind} must be a number from ${LEAST_PACE_MS} to ${MOST_PACE_MS}`,
    )
  }
  return {
    ...rules,
    headers: replacedHeaders(kind, rules.headers, headers),
    paceMs: Number(paceMs),
    source: `${rules.source}; replaced in part by PLATFORM_CALL_KINDS`,
  }
}

function replacedHeaders(
  kind: CallKind,
  before: KindRules['headers'],
  value: unknown,
): KindRules['headers'] {
  const given = fieldsOf(value)
  if (given === null) throw new Error(`the headers of ${kind} are no object`)
  const headers = new Map(Object.entries(before))
  for (const [name, text] of Object.entries(given)) {
    if (!HEADER_NAME.test(name) || RESERVED.includes(name)) {
      throw new Error(`${kind} cannot have a header ${JSON.stringify(name)}`)
    }
    if (text === null) headers.delete(name)
    else if (typeof text === 'string' && HEADER_VALUE.test(text)) headers.set(name, text)
    else throw new Error(`the header ${name} of ${kind} must be one line of visible ASCII, or null`)
  }
  return Object.fromEntries(headers)
}

/** The headers of one call. */
export const headersFor = (
  { headers }: KindRules,
  { site, page }: { readonly site: string; readonly page: string },
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      value.replaceAll('{site}', site).replaceAll('{page}', page),
    ]),
  )
