// What a new merchant has done of the first steps, from what is there: nothing is ticked by hand.
import type { FirstSteps } from '@tradepost/contract'
import { getMerchant, listKeys, readNewestSubUsers } from '#identity'
import type { Db } from '#infra/database/db'
import type { Wallet } from '#ledger'
import { listPasskeys } from '#people'
import { listTrades } from '#trades'
import type { Endpoint } from '#webhooks'

/** A merchant that has left a step out until then does without it. */
const NEW_MS = 30 * 24 * 3_600_000

/** Null: the account is not new, or all is done. `personId`: whose passkey counts. */
export async function readFirstSteps(
  db: Db,
  {
    accountId,
    personId,
    wallets,
    endpoints,
    at,
  }: {
    readonly accountId: string
    readonly personId: string
    readonly wallets: readonly Wallet[]
    readonly endpoints: readonly Endpoint[]
    readonly at: Date
  },
): Promise<FirstSteps | null> {
  const { createdAt } = await getMerchant(db, accountId)
  if (at.getTime() - createdAt.getTime() > NEW_MS) return null
  const [keys, users, trades, passkeys] = await Promise.all([
    listKeys(db, accountId),
    readNewestSubUsers(db, accountId, 1),
    listTrades(db, { tenantId: accountId }, { cursor: null, limit: 1 }),
    listPasskeys({ db }, personId),
  ])
  const hasBought = trades.items.length > 0
  const steps = {
    key: keys.some(({ status }) => status !== 'revoked'),
    endpoint: endpoints.some(({ provenAt, failingSince }) => provenAt && failingSince === null),
    // What was bought was paid out of it.
    wallet: hasBought || wallets.some(({ balance }) => balance > 0n),
    subUser: users.length > 0,
    purchase: hasBought,
    passkey: passkeys.length > 0,
  }
  return Object.values(steps).every(Boolean) ? null : steps
}
