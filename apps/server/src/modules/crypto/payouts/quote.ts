// What a withdrawal would cost, kept so that one of the same amount costs that while the quote is valid.
import { findToken, valued } from './request.ts'
import { keepQuote, type QuotedRequest } from './store/quotes.ts'
import { type CustodyQuote, quoteOf, type SubmitDeps } from './submit.ts'

/** As long as the price and the fees of a chain are rarely another cent. */
const VALID_MS = 60_000

export interface KeptCustodyQuote extends CustodyQuote {
  /** Whole seconds, 0 in the last one. */
  readonly validForSeconds: number
}

/**
 * Withdrawals of the request get these figures until the quote ends, and so does another quote of it. Sets
 * nothing aside, and asks for neither custody nor a callback. Refuses CRYPTO_PAYOUT_CHAIN_UNSUPPORTED,
 * CRYPTO_PAYOUT_AMOUNT_OUT_OF_RANGE, and SERVICE_DISABLED while there is no price or fee.
 */
export async function quotePayout(
  { db, clock, networks }: Pick<SubmitDeps, 'db' | 'clock' | 'networks'>,
  request: QuotedRequest,
): Promise<KeptCustodyQuote> {
  const found = await findToken(networks, request)
  const rate = valued(found, null)
  const at = clock.now()
  const validUntil = new Date(at.getTime() + VALID_MS)
  const kept = await keepQuote(db, request, { rate, validUntil, at })
  return {
    ...quoteOf(request, valued(found, kept.rate)),
    validForSeconds: Math.floor((kept.validUntil.getTime() - at.getTime()) / 1000),
  }
}
