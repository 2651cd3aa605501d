// The European Central Bank's daily reference rates.

import type { HttpClient } from '#infra/http/http-client'
import { newId } from '#kernel/id'
import { divideHalfUp } from '#kernel/money'
import type { RateSource } from '#ports/fx'

const DEADLINE_MS = 15_000
const MAX_BYTES = 262_144

/** Outside of this a euro has never been; such a rate is a mistake and must not price anything. */
const LEAST_MICROS = 500_000n
const MOST_MICROS = 2_500_000n

export interface RateSourceOptions {
  /** Of the daily file: `https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml`. */
  readonly url: string
  readonly http: HttpClient
}

/** `fetch` throws when the bank does not answer or says something that cannot be a rate. */
export function createRateSource({ url, http }: RateSourceOptions): RateSource {
  return {
    async fetch() {
      const outcome = await http.request({
        provider: 'fx',
        operation: 'daily-rates',
        method: 'GET',
        url,
        headers: { accept: 'application/xml, text/xml' },
        deadlineMs: DEADLINE_MS,
        maxBytes: MAX_BYTES,
        context: { requestId: newId() },
      })
      if (outcome.kind !== 'answer') throw new Error(`no exchange rates: ${outcome.detail}`)
      if (outcome.status !== 200) throw new Error(`no exchange rates: status ${outcome.status}`)
      return parseRates(outcome.body)
    },
  }
}

export function parseRates(xml: string): {
  readonly usdPerEurMicros: bigint
  readonly asOf: string
} {
  const asOf = /<Cube\s+time=["'](\d{4}-\d{2}-\d{2})["']/.exec(xml)?.[1]
  const usd = [...xml.matchAll(/<Cube\s+([^>]*)>/g)]
    .map(([, attributes = '']) => attributes)
    .find((attributes) => /\bcurrency=["']USD["']/.test(attributes))
  const rate = /\brate=["'](\d{1,9})(?:\.(\d{1,12}))?["']/.exec(usd ?? '')
  if (asOf === undefined || Number.isNaN(Date.parse(asOf)) || rate === null) {
    throw new Error('the exchange rates name no day or no dollar')
  }
  const micros = microsHalfUp(rate[1] ?? '0', rate[2] ?? '')
  if (micros < LEAST_MICROS || micros > MOST_MICROS) {
    throw new Error(`an exchange rate of ${rate[1]}.${rate[2] ?? '0'} is not believable`)
  }
  return { usdPerEurMicros: micros, asOf }
}

/** A decimal in millionths; what is finer is rounded half up. */
function microsHalfUp(whole: string, fraction: string): bigint {
  const places = BigInt(fraction.length)
  return divideHalfUp(BigInt(whole + fraction) * 1_000_000n, 10n ** places)
}
