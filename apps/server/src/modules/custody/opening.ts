// What a wallet of ours held before the books knew of it, booked as our capital.
import { sql, type Tx } from '#infra/db'
import type { BaseUnits, ChainName, TokenSymbol } from '#kernel/chain'
import { post, readBalance } from './store.ts'

export interface Opening {
  readonly id: string
  readonly chain: ChainName
  readonly token: TokenSymbol
  readonly role: 'hot_wallet' | 'gas_station'
  readonly units: BaseUnits
  /** The balance of the account when the posting was planned. */
  readonly booked: BaseUnits
}

const LOCK = sql(
  'custody.lock_openings',
  "select pg_advisory_xact_lock(hashtextextended('custody.opening', 0))",
)

/**
 * False, and nothing is posted, when the account has moved since the posting was planned: another opening may
 * have booked the same units.
 */
export async function postOpening(
  tx: Tx,
  { id, chain, token, role, units, booked }: Opening,
  at: Date,
): Promise<boolean> {
  await tx.query(LOCK)
  if ((await readBalance(tx, role, { chain, token })) !== booked) return false
  const what = { key: `opening:${id}`, reason: 'opening', refId: null } as const
  await post(tx, [{ ...what, chain, token, debit: role, credit: 'capital', units }], at)
  return true
}
