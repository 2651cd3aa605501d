// Postings that an operator makes by hand. Each is planned first, so that it can be shown before it is made.
import { createHash } from 'node:crypto'
import type { Actor } from '#audit'
import { recordAct } from '#audit'
import { type Balance, type OwnedRole, post as postInKind, readBalances } from '#custody'
import { type AccountSummary, findAccount, keepAccount } from '#identity'
import { type Queryable, sqlState, type Tx, violatedConstraint } from '#infra/database/db'
import { newId } from '#kernel/id'
import { type Cents, type Currency, cents, formatCents } from '#kernel/money'
import { refuse } from '#kernel/refusal'
import { type AccountRef, post, readBalance, type WalletKind } from '#ledger'
import type { ActDeps } from './act.ts'

export interface Adjustment {
  readonly accountId: string
  readonly wallet: WalletKind
  /** `credit` pays the wallet from the house's adjustment account, `debit` takes from it. */
  readonly side: 'credit' | 'debit'
  readonly amount: Cents
  readonly reason: string
  /** Such as the id of a bank transfer. A second adjustment of the account under it is refused. */
  readonly reference: string
}

/** One posting, with what it does to the wallet that it is about. */
export interface PlannedPosting {
  readonly from: AccountRef
  readonly to: AccountRef
  readonly amount: Cents
  readonly currency: Currency
  readonly balanceBefore: Cents
  readonly balanceAfter: Cents
}

/**
 * Refuses USER_NOT_FOUND, also for a deleted account. A debit of more than there is has a balance below zero
 * after it.
 */
export async function planAdjustment(
  db: Queryable,
  adjustment: Adjustment,
): Promise<PlannedPosting> {
  const { accountId, wallet } = adjustment
  const { currency, status } = await getAccount(db, accountId)
  if (status === 'deleted') refuse('USER_NOT_FOUND')
  const balanceBefore = await readBalance(db, accountId, wallet)
  return postingOfAdjustment({ ...adjustment, currency, balanceBefore })
}

/** What an adjustment of a wallet posts, and what it makes of a balance. */
export function postingOfAdjustment({
  accountId,
  wallet,
  side,
  amount,
  currency,
  balanceBefore,
}: Adjustment & Pick<PlannedPosting, 'currency' | 'balanceBefore'>): PlannedPosting {
  const owner = { ownerId: accountId, kind: wallet }
  const house = { house: 'adjustment' }
  const balanceAfter = cents(side === 'credit' ? balanceBefore + amount : balanceBefore - amount)
  const [from, to] = side === 'credit' ? [house, owner] : [owner, house]
  return { from, to, amount, currency, balanceBefore, balanceAfter }
}

/**
 * Posts within the commit of the caller; returns the id of the journal. Refuses USER_NOT_FOUND,
 * INSUFFICIENT_BALANCE for a debit of more than there is, and IDEMPOTENCY_CONFLICT for a reference that was
 * posted before.
 */
export async function postAdjustment(tx: Tx, adjustment: Adjustment, at: Date): Promise<string> {
  const { accountId, wallet, side, amount, reference } = adjustment
  await keepAccount(tx, accountId)
  const { from, to, currency, balanceBefore } = await planAdjustment(tx, adjustment)
  const { journalId, replayed } = await post(tx, {
    kind: 'adjustment',
    refId: null,
    scopeId: accountId,
    idempotencyKey: `adjustment:${reference}`,
    requestHash: hashOf([wallet, side, String(amount)]),
    at,
    legs: [{ from, to, currency, amount }],
    externalRef: reference,
  }).catch(refusePosting({ requiredCents: amount, availableCents: balanceBefore }))
  return replayed ? refuse('IDEMPOTENCY_CONFLICT') : journalId
}

/** What a deleted account still has. */
export interface PlannedRelease {
  /** To its merchant, or where that is closed or has another currency to `adjustment`. Null: nothing. */
  readonly wallet: PlannedPosting | null
  /** In payout custody, or put aside because it arrived later: to the service's own funds, in kind. */
  readonly inKind: readonly StrandedInKind[]
}

export interface StrandedInKind extends Balance {
  /** What is in flight is the withdrawal's, and ends with it. */
  readonly role: Exclude<OwnedRole, 'in_flight'>
}

/** Refuses USER_NOT_FOUND unless the account is deleted, and INSUFFICIENT_BALANCE when it has nothing. */
export async function planRelease(db: Queryable, accountId: string): Promise<PlannedRelease> {
  const account = await getAccount(db, accountId)
  if (account.status !== 'deleted') refuse('USER_NOT_FOUND')
  const wallet = await planWalletRelease(db, account)
  const inKind = (await readBalances(db, accountId)).filter(isStranded)
  if (wallet === null && inKind.length === 0) {
    refuse('INSUFFICIENT_BALANCE', NOTHING_LEFT)
  }
  return { wallet, inKind }
}

const isStranded = (balance: Balance): balance is StrandedInKind =>
  (balance.role === 'merchant' || balance.role === 'unclaimed') && balance.units > 0n

async function planWalletRelease(
  db: Queryable,
  { id, parentId, currency }: AccountSummary,
): Promise<PlannedPosting | null> {
  const amount = await readBalance(db, id)
  if (amount === 0n) return null
  const parent = parentId === null ? null : await getAccount(db, parentId)
  return {
    from: { ownerId: id, kind: 'spot' },
    to:
      parent?.currency === currency && parent.status !== 'deleted'
        ? { ownerId: parent.id, kind: 'spot' }
        : { house: 'adjustment' },
    amount,
    currency,
    balanceBefore: amount,
    balanceAfter: cents(0n),
  }
}

/** In one commit with its entries of the audit log. Refuses as its plan does. */
export async function releaseStrandedMoney(
  { db, clock }: ActDeps,
  actor: Actor,
  order: { readonly accountId: string; readonly reason: string },
): Promise<PlannedRelease> {
  return db.transaction(async (tx) => {
    const at = clock.now()
    const planned = await planRelease(tx, order.accountId)
    const { wallet, inKind } = planned
    if (wallet !== null) await releaseWallet(tx, actor, { ...order, wallet, at })
    if (inKind.length > 0) await releaseInKind(tx, actor, { ...order, inKind, at })
    return planned
  })
}

interface ReleaseOrder {
  readonly accountId: string
  readonly reason: string
  readonly at: Date
}

async function releaseWallet(
  tx: Tx,
  actor: Actor,
  { accountId, reason, at, wallet }: ReleaseOrder & { readonly wallet: PlannedPosting },
): Promise<void> {
  const { from, to, currency, amount } = wallet
  if ('ownerId' in to) await keepAccount(tx, to.ownerId)
  const { journalId } = await post(tx, {
    kind: 'adjustment',
    refId: accountId,
    scopeId: accountId,
    // What arrives later is released under a key of its own.
    idempotencyKey: `release:${at.toISOString()}`,
    requestHash: hashOf([String(amount)]),
    at,
    legs: [{ from, to, currency, amount }],
    externalRef: null,
  }).catch(refusePosting(NOTHING_LEFT))
  const details = { amount: formatCents(amount), currency, to, reason, journalId }
  const subject = { type: 'account', id: accountId }
  await recordAct(tx, { actor, act: 'wallet.release', subject, details, at })
}

/** Two operators at once do not release it twice: the balance is never negative. */
async function releaseInKind(
  tx: Tx,
  actor: Actor,
  { accountId, reason, at, inKind }: ReleaseOrder & { readonly inKind: readonly StrandedInKind[] },
): Promise<void> {
  const postings = inKind.map(({ role, chain, token, units }) => ({
    ...{ reason: 'release', refId: accountId, chain, token, units },
    ...{ debit: { role, ownerId: accountId }, credit: 'capital' as const },
    key: `release:${newId()}`,
  }))
  await postInKind(tx, postings, at).catch(refusePosting(NOTHING_LEFT))
  for (const { role, chain, token, units } of inKind) {
    const details = { from: role, to: 'capital', chain, token, units: String(units), reason }
    const subject = { type: 'account', id: accountId }
    await recordAct(tx, { actor, act: 'custody.release', subject, details, at })
  }
}

const getAccount = async (db: Queryable, id: string): Promise<AccountSummary> =>
  (await findAccount(db, id)) ?? refuse('USER_NOT_FOUND')

const hashOf = (parts: readonly string[]): Buffer =>
  createHash('sha256').update(JSON.stringify(parts)).digest()

/** Of a release: another operator was first. */
const NOTHING_LEFT = { requiredCents: 1n, availableCents: 0n }

const refusePosting =
  (overdraft: { readonly requiredCents: bigint; readonly availableCents: bigint }) =>
  (error: unknown): never => {
    if (sqlState(error) === 'PT409') refuse('IDEMPOTENCY_CONFLICT')
    if (violatedConstraint(error) === 'no_overdraft') refuse('INSUFFICIENT_BALANCE', overdraft)
    throw error
  }
