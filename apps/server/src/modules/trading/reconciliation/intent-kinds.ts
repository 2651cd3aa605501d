// What is noted outside the database before it leaves, and how it is looked for after a failover. Beside what
// identifies it stands whose it is: after a restore an order that no trade stands behind has a name again.
import { findLostOrders, type NewLostOrder, type OrderIntent } from '#buying'
import type { Queryable } from '#infra/database/db'
import type { Intent } from '#infra/process/intent-files'
import { findLostOffers, type OfferIntent } from '#selling'
import { BOTS, PAYMENTS } from './store/gates.ts'

export const orderIntent = (order: OrderIntent): Intent => {
  const {
    market,
    marketAccount: account,
    begunAt,
    listingId,
    description,
    sourcingMills,
    price,
    ...texts
  } = order
  const { houseFee, merchantFee, ...rest } = texts
  return {
    ...{ gate: market, kind: 'order', account, ...rest },
    ...{ begunAt: begunAt.toISOString(), listingId: String(listingId) },
    ...{ sourcingMills: String(sourcingMills), priceCents: String(price) },
    ...{ houseFeeCents: String(houseFee), merchantFeeCents: String(merchantFee) },
    description: JSON.stringify(description),
  }
}

export const offerIntent = ({ itemIds, ...offer }: OfferIntent): Intent => ({
  ...{ gate: BOTS, kind: 'offer', ...offer, itemIds: itemIds.join(' ') },
})

export interface PaymentIntent {
  readonly chain: string
  readonly wallet: string
  readonly nonce: number
  /** Of the bytes that leave. */
  readonly hash: string
  readonly purpose: string
  /** Of a payout: the withdrawal. */
  readonly refId: string
  readonly tenantId: string | null
  readonly accountId: string | null
  readonly externalId: string | null
}
export const paymentIntent = (payment: PaymentIntent): Intent => ({
  ...{ gate: PAYMENTS, kind: 'payment', ...payment },
})

/** An address that an account is about to be given: another account must not be given it as well. */
export const addressIntent = (given: {
  readonly address: string
  readonly accountId: string
}): Intent => ({ ...{ gate: PAYMENTS, kind: 'address', ...given } })

/** Of modules that reconciliation does not know. */
export interface LostFinders {
  /** Those of these hashes that no attempt has. */
  payments(db: Queryable, hashes: readonly string[]): Promise<readonly string[]>
  /** Those of these addresses that are not ours. */
  addresses(db: Queryable, addresses: readonly string[]): Promise<readonly string[]>
}

const AT_ONCE = 2000

/** Those of these, in the order in which they were noted, that the database does not know. */
export async function findLost(
  db: Queryable,
  intents: readonly Intent[],
  lost: LostFinders,
): Promise<Intent[]> {
  const newest = newestOfEach(intents)
  const found: Intent[] = []
  for (let from = 0; from < newest.length; from += AT_ONCE) {
    const some = newest.slice(from, from + AT_ONCE)
    const textsOf = (kind: string, field: string): string[] =>
      some.flatMap((intent) => (intent.kind === kind ? [String(intent[field])] : []))
    const orders = some.filter(({ kind }) => kind === 'order').map(orderOf)
    const unknown = await Promise.all([
      findLostOrders(db, orders),
      findLostOffers(db, textsOf('offer', 'offerIntentId')),
      lost.payments(db, textsOf('payment', 'hash')),
      lost.addresses(db, textsOf('address', 'address')),
    ])
    const ids = new Set(unknown.flat())
    found.push(...some.filter((intent) => ids.has(idOf(intent))))
  }
  return found
}

/** An order that was begun again was noted again; the database has its newest beginning. */
function newestOfEach(intents: readonly Intent[]): Intent[] {
  return [...new Map(intents.map((intent) => [`${intent.kind} ${idOf(intent)}`, intent])).values()]
}

/** Our id of an order at its market. */
export const customIdOf = ({ itemId, attempt }: Pick<OrderIntent, 'itemId' | 'attempt'>): string =>
  attempt > 1 ? `${itemId}-${attempt}` : itemId

export const orderOf = ({
  itemId,
  attempt,
  begunAt,
}: Intent): Pick<OrderIntent, 'itemId' | 'attempt' | 'begunAt'> => ({
  ...{ itemId: String(itemId), attempt: Number(attempt), begunAt: new Date(String(begunAt)) },
})

/** All that was noted of an order; null of one that an earlier release noted, which says less. */
export function lostOrderOf(intent: Intent): NewLostOrder | null {
  const textOf = (field: string): string => String(intent[field])
  const textOrNull = (field: string): string | null =>
    intent[field] === null ? null : textOf(field)
  const known = ['listingId', 'description', 'sourcingMills', 'priceCents', 'currency']
  if (intent.kind !== 'order' || known.some((field) => intent[field] === undefined)) return null
  const order = orderOf(intent)
  return {
    ...order,
    ...{ customId: customIdOf(order), market: intent.gate, marketAccount: textOf('account') },
    ...{ tenantId: textOf('tenantId'), accountId: textOf('accountId') },
    ...{ userExternalId: textOrNull('userExternalId'), externalId: textOrNull('externalId') },
    ...{ tradeUrl: textOf('tradeUrl'), listingId: BigInt(textOf('listingId')) },
    ...{ rawListingId: textOf('rawListingId'), game: textOf('game') },
    ...{ catalogItemId: textOf('catalogItemId'), description: textOf('description') },
    ...{ currency: textOf('currency'), sourcingMills: BigInt(textOf('sourcingMills')) },
    ...{ price: BigInt(textOf('priceCents')), houseFee: BigInt(textOf('houseFeeCents')) },
    merchantFee: BigInt(textOf('merchantFeeCents')),
  }
}

function idOf(intent: Intent): string {
  const { kind, offerIntentId, hash, address } = intent
  return kind === 'order' ? customIdOf(orderOf(intent)) : String(offerIntentId ?? hash ?? address)
}
