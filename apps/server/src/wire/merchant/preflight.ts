import type { PreflightItem, PreflightRecipient, PreflightResponse } from '@tradepost/contract'
import type { Preflight, TriedLine } from '#buying'
import { type Cents, cents } from '#kernel/money'
import { moneyNumber } from '../money.ts'

export function preflightView(preflight: Preflight, currency: 'USD' | 'EUR'): PreflightResponse {
  const { refusals, tradeId, lines, balance, required } = preflight
  return {
    passes: refusals.length === 0,
    refusals: [...refusals],
    tradeId,
    items: lines.map(itemView),
    recipient: recipientView(preflight),
    balance: {
      currency,
      before: moneyNumber(balance),
      required: moneyNumber(required),
      after: moneyNumber(cents(balance - required)),
      sufficient: balance >= required,
    },
  }
}

function itemView({ line, listing, price, refusal }: TriedLine): PreflightItem {
  const asked = line.listing
  const known = listing && { market: listing.market, rawId: listing.rawId }
  const raw = known ?? ('id' in asked ? null : asked)
  return {
    listingId: listing ? String(listing.id) : 'id' in asked ? String(asked.id) : null,
    listingRawId: raw && `${raw.market}:${raw.rawId}`,
    ...(line.externalId !== null && { externalId: line.externalId }),
    marketHashName: listing?.description.marketHashName ?? null,
    delivery: listing?.description.delivery ?? null,
    sourcing: shown(price?.sourcing),
    houseFee: shown(price?.houseFee),
    merchantFee: shown(price?.merchantFee),
    price: shown(price?.price),
    maxPrice: moneyNumber(line.maxPrice),
    passes: refusal === null,
    refusal,
  }
}

const shown = (amount: Cents | undefined): number | null =>
  amount === undefined ? null : moneyNumber(amount)

function recipientView({ recipient, recipientRefusal }: Preflight): PreflightRecipient {
  const isHeldBack = recipient !== null && (recipient.holdDays > 0 || recipient.probation)
  return {
    state: recipient === null ? 'refused' : isHeldBack ? 'restricted' : 'ready',
    tradeUrl: recipient?.url ?? null,
    platformId: recipient?.platformId ?? null,
    personaName: recipient?.persona.personaName ?? null,
    holdDays: recipient?.holdDays ?? null,
    probation: recipient?.probation ?? null,
    refusal: recipientRefusal,
  }
}
