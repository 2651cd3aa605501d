// Owners with wallets and money, for tests.

import { type Db, sql } from '#infra/database/db'
import { newId } from '#kernel/id'
import { type Cents, type Currency, cents } from '#kernel/money'
import { openWallets } from '../open-wallets.ts'

export const AT = new Date('2026-11-20T12:00:00.000Z')

const CREDIT = sql(
  'testing.credit',
  `select journal_id from ledger.post('deposit', null, $1, $2, '\\x00', $3, array[$4::ledger.currency],
     array[ledger.house('clearing_demo', $4::ledger.currency)], array[ledger.account_of($1, $5)],
     array[$6::bigint])`,
)

/** An owner with spot and escrow (and earnings), its spot wallet holding `balance`. */
export async function ownerWith(
  db: Db,
  balance: bigint,
  { currency = 'USD' as Currency, earnings = false } = {},
): Promise<{ id: string; currency: Currency }> {
  const id = newId()
  await db.transaction((tx) => openWallets(tx, { ownerId: id, currency, earnings }))
  if (balance > 0n) await credit(db, { id, currency }, cents(balance))
  return { id, currency }
}

/** Puts money from nowhere into a wallet; answers the journal. */
export async function credit(
  db: Db,
  owner: { id: string; currency: Currency },
  amount: Cents,
  { kind = 'spot', at = AT }: { kind?: 'spot' | 'earnings' | 'escrow'; at?: Date } = {},
): Promise<string> {
  const values = [owner.id, `credit:${newId()}`, at, owner.currency, kind, amount]
  const [row] = await db.query<{ journal_id: string }>(CREDIT, values)
  return row?.journal_id ?? ''
}
