// Moving money between a merchant and its sub-users, and from a merchant's earnings to its spot wallet.
import { createHash } from 'node:crypto'
import { type Queryable, sql, sqlState, type Tx, violatedConstraint } from '#infra/database/db'
import type { Cents, Currency } from '#kernel/money'
import { refuse } from '#kernel/refusal'
import { readBalance } from './balances.ts'
import { findJournal, type Journal, type Leg, type Posted, post } from './store.ts'
import type { WalletKind } from './wallet.ts'

export interface Funding {
  readonly direction: 'fund' | 'defund'
  readonly merchant: { readonly id: string; readonly currency: Currency }
  readonly subUser: { readonly id: string; readonly currency: Currency }
  /** What the merchant's spot wallet pays or receives. */
  readonly amount: Cents
  /** The same in the sub-user's currency: rounded down for a fund, up for a defund. */
  readonly subUserAmount: Cents
  /** Scoped to the merchant and the direction. */
  readonly idempotencyKey: string
  readonly at: Date
}

export interface Transferred {
  /** The id of the row that appears in both ledgers. */
  readonly transactionId: string
  readonly replayed: boolean
}

/**
 * Moves `amount` between a merchant and a sub-user, once for each key. Refuses INSUFFICIENT_BALANCE of
 * the side that pays, and IDEMPOTENCY_CONFLICT when the key came with another sub-user or amount. A
 * refusal leaves the key free.
 */
export function fund(tx: Tx, funding: Funding): Promise<Transferred> {
  const merchant: Party = { ...walletOf(funding.merchant), amount: funding.amount }
  const subUser: Party = { ...walletOf(funding.subUser), amount: funding.subUserAmount }
  const [from, to] = funding.direction === 'fund' ? [merchant, subUser] : [subUser, merchant]
  return transfer(tx, {
    kind: funding.direction,
    refId: null,
    ...identityOf(funding),
    at: funding.at,
    from,
    to,
    externalRef: funding.idempotencyKey,
  })
}

/**
 * The answer that an earlier call under the key got, or null. Asked first where an exchange rate is
 * needed, because a replay is answered without one.
 */
export async function findFunding(
  db: Queryable,
  funding: Pick<Funding, 'direction' | 'merchant' | 'subUser' | 'amount' | 'idempotencyKey'>,
): Promise<Transferred | null> {
  const { scopeId, idempotencyKey, requestHash } = identityOf(funding)
  const first = await findJournal(db, scopeId, idempotencyKey)
  if (first === null) return null
  if (!first.requestHash.equals(requestHash)) refuse('IDEMPOTENCY_CONFLICT')
  return { transactionId: first.id, replayed: true }
}

/** Moves a merchant's earnings to its spot wallet, once for each key; refuses as `fund` does. */
export function transferEarnings(
  tx: Tx,
  {
    merchant,
    amount,
    idempotencyKey,
    at,
  }: {
    readonly merchant: { readonly id: string; readonly currency: Currency }
    readonly amount: Cents
    readonly idempotencyKey: string
    readonly at: Date
  },
): Promise<Transferred> {
  const wallet = { ownerId: merchant.id, currency: merchant.currency, amount }
  return transfer(tx, {
    kind: 'earnings_transfer',
    refId: null,
    scopeId: merchant.id,
    idempotencyKey: `earnings_transfer:${idempotencyKey}`,
    requestHash: hashOf(['earnings_transfer', String(amount)]),
    at,
    from: { ...wallet, kind: 'earnings' },
    to: { ...wallet, kind: 'spot' },
    externalRef: idempotencyKey,
  })
}

const walletOf = ({ id, currency }: Funding['merchant']): Omit<Party, 'amount'> => ({
  ownerId: id,
  kind: 'spot',
  currency,
})

const identityOf = (
  funding: Pick<Funding, 'direction' | 'merchant' | 'subUser' | 'amount' | 'idempotencyKey'>,
): Pick<Journal, 'scopeId' | 'idempotencyKey' | 'requestHash'> => ({
  scopeId: funding.merchant.id,
  idempotencyKey: `${funding.direction}:${funding.idempotencyKey}`,
  requestHash: hashOf([funding.direction, funding.subUser.id, String(funding.amount)]),
})

/** The request in canonical words: `5.5` and `5.50` are one amount, UUID and externalId one sub-user. */
const hashOf = (words: readonly string[]): Buffer =>
  createHash('sha256').update(JSON.stringify(words)).digest()

const SAVEPOINT = sql('ledger.savepoint', 'savepoint before_transfer')
const ROLLBACK = sql('ledger.rollback_to_savepoint', 'rollback to savepoint before_transfer')

interface Party {
  readonly ownerId: string
  readonly kind: WalletKind
  readonly currency: Currency
  readonly amount: Cents
}

type Transfer = Omit<Journal, 'legs'> & { readonly from: Party; readonly to: Party }

async function transfer(tx: Tx, { from, to, ...journal }: Transfer): Promise<Transferred> {
  // The savepoint keeps the transaction readable after a refusal, for the balance that explains it. One
  // look before posting instead would be wrong: a repeated request that waits for the first one would
  // see the balance that the first left, and refuse what it should answer.
  await tx.query(SAVEPOINT)
  let posted: Posted
  try {
    posted = await post(tx, { ...journal, legs: legsOf(from, to) })
  } catch (error) {
    if (sqlState(error) === 'PT409') refuse('IDEMPOTENCY_CONFLICT')
    if (violatedConstraint(error) !== 'no_overdraft') throw error
    await tx.query(ROLLBACK)
    return refuse('INSUFFICIENT_BALANCE', {
      requiredCents: from.amount,
      availableCents: await readBalance(tx, from.ownerId, from.kind),
    })
  }
  return { transactionId: posted.journalId, replayed: posted.replayed }
}

/** One leg within a currency, or two over the exchange accounts. */
function legsOf(from: Party, to: Party): Leg[] {
  if (from.currency === to.currency) {
    return [{ from, to, currency: from.currency, amount: from.amount }]
  }
  const exchange = { house: 'exchange' }
  return [
    { from, to: exchange, currency: from.currency, amount: from.amount },
    { from: exchange, to, currency: to.currency, amount: to.amount },
  ]
}
