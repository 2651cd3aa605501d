// Prices of an exchange: Kraken's public ticker (docs.kraken.com/api, Get Ticker Information), without a key.
import type { HttpClient } from '#infra/http/http-client'
import { newId } from '#kernel/id'
import type { Price, PriceSource } from '#ports/chains'
import { fieldsOf, listOf, parseJson } from '../shared/reader.ts'

export interface ExchangeOptions {
  /** `https://api.kraken.com` */
  readonly baseUrl: string
  readonly http: HttpClient
}

const DEADLINE_MS = 5_000
const MAX_BYTES = 65_536

/**
 * The middle between the best bid and the best ask; a market that is further apart than 1 % has no price.
 * Its time is that of the answer by the exchange's own clock: the ticker has none of its own.
 */
export function createExchange({ baseUrl, http }: ExchangeOptions): PriceSource {
  return {
    id: 'exchange:kraken',
    async read(asset) {
      const outcome = await http.request({
        provider: 'exchange',
        operation: 'ticker',
        method: 'GET',
        url: `${baseUrl}/0/public/Ticker`,
        query: { pair: `${asset}USD` },
        deadlineMs: DEADLINE_MS,
        maxBytes: MAX_BYTES,
        routine: true,
        context: { requestId: newId() },
      })
      if (outcome.kind !== 'answer') throw new Error(`no price of ${asset}: ${outcome.detail}`)
      if (outcome.status !== 200) throw new Error(`no price of ${asset}: status ${outcome.status}`)
      return { usdE8: readTicker(outcome.body), at: readDate(outcome.headers.date) }
    },
  }
}

export function readTicker(body: string): Price['usdE8'] {
  const answer = fieldsOf(parseJson(body))
  const [error] = listOf(answer?.error) ?? ['no list of errors']
  if (error !== undefined) throw new Error(`the exchange refuses: ${String(error).slice(0, 100)}`)
  // The exchange spells the pair in its own way: it is asked for one pair, and answers one.
  const pairs = Object.values(fieldsOf(answer?.result) ?? {})
  const ticker = pairs.length === 1 ? fieldsOf(pairs[0]) : null
  const bid = decimalE8(listOf(ticker?.b)?.[0])
  const ask = decimalE8(listOf(ticker?.a)?.[0])
  if (bid === null || ask === null || bid === 0n || ask < bid) {
    throw new Error('the exchange answers a ticker that cannot be read')
  }
  if ((ask - bid) * 100n > bid)
    throw new Error('the best bid and ask of the exchange are too far apart')
  return (bid + ask) / 2n
}

/** Dollars in units of 1e-8; what is finer is cut off. */
function decimalE8(value: unknown): bigint | null {
  const match = typeof value === 'string' ? /^(\d{1,9})(?:\.(\d{1,20}))?$/.exec(value) : null
  if (match === null) return null
  return BigInt((match[1] ?? '') + (match[2] ?? '').slice(0, 8).padEnd(8, '0'))
}

function readDate(header: string | undefined): Date {
  const at = Date.parse(header ?? '')
  if (Number.isNaN(at)) throw new Error('the answer of the exchange has no date')
  return new Date(at)
}
