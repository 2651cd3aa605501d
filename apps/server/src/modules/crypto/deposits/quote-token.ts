// Quote tokens: what was quoted, to whom and until when, sealed so that only we can read or make one. Nothing
// of a quote is stored; the deposit that uses it is unique by the quote's id.
import type { SecretBox } from '#infra/process/secrets'
import { type Attos, formatDecimal, parseDecimal } from '#kernel/decimal'
import { type Cents, type Currency, cents } from '#kernel/money'
import { refuse } from '#kernel/refusal'
import type { OnrampCoin } from './ports.ts'

export interface Quote {
  readonly id: string
  readonly accountId: string
  readonly method: 'gateway' | 'onramp'
  /** Of the wallet. */
  readonly currency: Currency
  /** What is paid: a token, or the currency of a card. */
  readonly token: string
  readonly payAmount: Attos
  readonly payUsd: Cents
  readonly receiveUsd: Cents
  readonly receiveAmount: Cents
  readonly usdPerToken: Attos
  readonly feeBps: number
  readonly coin: OnrampCoin | null
  readonly expiresAt: Date
}

export const QUOTE_LIFE_MS = 300_000
const CONTEXT = 'deposit quote'
/** Far above what `sealQuote` makes: longer ones are not opened. */
const MAX_LENGTH = 2048

export function sealQuote(secrets: Pick<SecretBox, 'seal'>, quote: Quote): string {
  const said = {
    i: quote.id,
    a: quote.accountId,
    m: quote.method,
    c: quote.currency,
    t: quote.token,
    p: formatDecimal(quote.payAmount),
    u: String(quote.payUsd),
    r: String(quote.receiveUsd),
    w: String(quote.receiveAmount),
    x: formatDecimal(quote.usdPerToken),
    f: quote.feeBps,
    o: quote.coin,
    e: quote.expiresAt.getTime(),
  }
  return secrets.seal(JSON.stringify(said), CONTEXT)
}

/** Refuses QUOTE_INVALID for what is no quote of this account and way of paying, QUOTE_EXPIRED after it. */
export function openQuote(
  secrets: Pick<SecretBox, 'open'>,
  token: string,
  asked: { readonly accountId: string; readonly method: Quote['method']; readonly now: Date },
): Quote {
  const quote = readQuote(secrets, token)
  if (quote === null || quote.accountId !== asked.accountId || quote.method !== asked.method) {
    return refuse('QUOTE_INVALID')
  }
  return quote.expiresAt > asked.now ? quote : refuse('QUOTE_EXPIRED')
}

function readQuote(secrets: Pick<SecretBox, 'open'>, token: string): Quote | null {
  if (token.length > MAX_LENGTH) return null
  let text: string
  try {
    text = secrets.open(token, CONTEXT)
  } catch {
    // Not sealed by us, or with a key that is gone: the same answer for its sender.
    return null
  }
  const said = JSON.parse(text) as Record<'i' | 'a' | 't' | 'p' | 'u' | 'r' | 'w' | 'x', string> & {
    m: Quote['method']
    c: Currency
    f: number
    o: OnrampCoin | null
    e: number
  }
  const payAmount = parseDecimal(said.p)
  const usdPerToken = parseDecimal(said.x)
  if (payAmount === null || usdPerToken === null) return null
  return {
    id: said.i,
    accountId: said.a,
    method: said.m,
    currency: said.c,
    token: said.t,
    payAmount,
    payUsd: cents(BigInt(said.u)),
    receiveUsd: cents(BigInt(said.r)),
    receiveAmount: cents(BigInt(said.w)),
    usdPerToken,
    feeBps: said.f,
    coin: said.o,
    expiresAt: new Date(said.e),
  }
}
