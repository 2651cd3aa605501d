// Buys, quick-buys and sells, each under an external id of its own, and what is known of their outcome.
import assert from 'node:assert/strict'
import { wasNotRead } from '../../support/answers.ts'
import type { Answer, Client } from '../../support/client.ts'

export type Operation = 'buy' | 'quickBuy' | 'sell'

export interface TrackedRequest {
  readonly operation: Operation
  readonly externalId: string
  readonly behalf: string
  readonly body: Readonly<Record<string, unknown>>
  /** `unknown`: sent without a conclusive response; `unsent`: certainly without an effect. */
  outcome: 'new' | 'acknowledged' | 'refused' | 'unknown' | 'unsent'
  tradeId: string | null
  refusal: string | null
}

/** After these the same request may still succeed: nothing was done. */
const TRANSIENT = ['MARKET_UNAVAILABLE', 'PLATFORM_UNAVAILABLE', 'SERVICE_DISABLED', 'RATE_LIMITED']

/** Sends it, for the first time or again. Returns why it has no conclusive answer; null where it has one. */
export async function sendRequest(
  client: Client,
  request: TrackedRequest,
  deadlineMs: number,
): Promise<{ readonly reason: string; readonly isAnswered: boolean } | null> {
  const { operation, behalf, body } = request
  let answer: Answer<{ readonly id: string }>
  try {
    answer = await client.call(operation, { behalf, body, deadlineMs })
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error
    request.outcome = wasNotSent(error) ? unsentUnlessUnknown(request) : 'unknown'
    return { reason: reasonOf(error), isAnswered: false }
  }
  const { data, error } = answer
  if (data) {
    if (request.tradeId !== null) {
      assert.equal(data.id, request.tradeId, `${request.externalId}: two trades`)
    }
    request.outcome = 'acknowledged'
    request.tradeId = data.id
    return null
  }
  const key = error?.key ?? ''
  request.refusal = key
  if (key === 'INTERNAL_ERROR' || wasNotRead(answer)) request.outcome = 'unknown'
  else if (TRANSIENT.includes(key)) request.outcome = unsentUnlessUnknown(request)
  else {
    request.outcome = 'refused'
    return null
  }
  return { reason: key, isAnswered: true }
}

/** It says nothing about an earlier attempt of the same request. */
const unsentUnlessUnknown = ({ outcome }: TrackedRequest): 'unknown' | 'unsent' =>
  outcome === 'unknown' ? 'unknown' : 'unsent'

/** The connection was refused, so the request was not read. */
const wasNotSent = (error: unknown): boolean =>
  (error as { cause?: { code?: string } }).cause?.code === 'ECONNREFUSED'

export const reasonOf = (error: unknown): string => {
  const { cause } = error as { readonly cause?: unknown }
  return cause === undefined ? String(error) : `${error}, ${cause}`
}
