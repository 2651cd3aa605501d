// The mail about a low balance: a threshold that the people of an account set for its spot wallet, and the
// look that finds the wallets below theirs.
import type { Actor } from '#audit'
import type { Db } from '#infra/database/db'
import { assertDefined } from '#kernel/assert'
import { type Cents, cents, formatCents } from '#kernel/money'
import { readWallet, readWallets, type Wallet } from '#ledger'
import { notifyMembers } from '#people'
import { type ActDeps, perform } from './act.ts'
import {
  type BalanceThreshold,
  deleteThreshold,
  findThreshold,
  markLow,
  rearm,
  sliceThresholds,
  writeThreshold,
} from './low-balance-store.ts'

export interface ShownThreshold {
  readonly wallet: Wallet
  /** Null: none is set. */
  readonly threshold: BalanceThreshold | null
}

export const readBalanceThreshold = async (db: Db, accountId: string): Promise<ShownThreshold> => ({
  wallet: await readWallet(db, accountId),
  threshold: await findThreshold(db, accountId),
})

/** Null removes it. Another amount is armed: the next look may send a mail again. */
export const setBalanceThreshold = (
  deps: ActDeps,
  actor: Actor,
  accountId: string,
  amount: Cents | null,
): Promise<void> =>
  perform(
    deps,
    actor,
    {
      act: 'balance_threshold.set',
      subject: { type: 'account', id: accountId },
      details: { threshold: amount === null ? null : formatCents(amount) },
    },
    (tx) =>
      amount === null ? deleteThreshold(tx, accountId) : writeThreshold(tx, accountId, amount),
  )

/** What a balance means to a threshold: a mail is due, or the next fall below it is to send one. */
function judgeBalance(
  { amount, lowSince }: Pick<BalanceThreshold, 'amount' | 'lowSince'>,
  balance: Cents,
): 'low' | 'recovered' | null {
  if (lowSince === null) return balance < amount ? 'low' : null
  return balance >= rearmedAt(amount) ? 'recovered' : null
}

/** A tenth above, rounded up: a balance that moves around its threshold sends one mail. */
const rearmedAt = (amount: Cents): Cents => cents(amount + (amount + 9n) / 10n)

const SLICE = 1000

/**
 * Looks at the accounts with a threshold whose ids come after `after`, a slice of them: two statements, and a
 * transaction for each account that gets mails. Where the next slice begins; null at the end.
 */
export async function notifyLowBalances(
  { db, clock }: ActDeps,
  after: string | null,
): Promise<string | null> {
  const thresholds = await sliceThresholds(db, { after, limit: SLICE })
  const wallets = await readWallets(
    db,
    thresholds.map(({ accountId }) => accountId),
  )
  const spots = new Map(
    wallets.filter(({ kind }) => kind === 'spot').map((wallet) => [wallet.ownerId, wallet]),
  )
  const recovered: BalanceThreshold[] = []
  for (const threshold of thresholds) {
    const wallet = assertDefined(spots.get(threshold.accountId), 'spot wallet of a threshold')
    const verdict = judgeBalance(threshold, wallet.balance)
    if (verdict === 'recovered') recovered.push(threshold)
    if (verdict === 'low') await notifyOne(db, threshold, { wallet, at: clock.now() })
  }
  if (recovered.length > 0) await rearm(db, recovered)
  return thresholds.length < SLICE ? null : (thresholds.at(-1)?.accountId ?? null)
}

/** Sends nothing once the threshold was changed, or another process has sent it. */
const notifyOne = (
  db: Db,
  threshold: BalanceThreshold,
  { wallet, at }: { readonly wallet: Wallet; readonly at: Date },
): Promise<void> =>
  db.transaction(async (tx) => {
    if (!(await markLow(tx, threshold, at))) return
    const account = { id: threshold.accountId, about: 'money' } as const
    const details = {
      balance: formatCents(wallet.balance),
      threshold: formatCents(threshold.amount),
      currency: wallet.currency,
      at: at.toISOString(),
    }
    await notifyMembers(tx, account, { template: 'low_balance', details, at })
  })
