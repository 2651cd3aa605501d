import type { Tx } from '#infra/database/db'
import { assertDefined } from '#kernel/assert'
import { newId } from '#kernel/id'
import type { Currency } from '#kernel/money'
import { refuse } from '#kernel/refusal'
import { openWallets } from '#ledger'
import type { SubUser } from './account.ts'
import { refuseAmbiguous } from './external-id.ts'
import { keepAccount } from './lock-account.ts'
import { findByExternalId, insertAccount } from './store.ts'

export interface NewSubUser {
  readonly merchantId: string
  readonly currency: Currency
  readonly email: string | null
  readonly platformId: string | null
  /** Also makes the call repeatable. */
  readonly externalId: string | null
  readonly at: Date
}

/**
 * Creates a sub-user with its wallet. A known external id answers the sub-user that has it, whatever else is
 * asked for (of two such calls at once one creates); that of a deleted one is USER_DELETED, and the id of
 * another account of the merchant VALIDATION_FAILED. Below a closed merchant it is USER_NOT_FOUND.
 */
export async function createSubUser(
  tx: Tx,
  { merchantId, at, ...wanted }: NewSubUser,
): Promise<{ readonly subUser: SubUser; readonly replayed: boolean }> {
  await keepAccount(tx, merchantId)
  await refuseAmbiguous(tx, { merchantId, externalId: wanted.externalId, ownId: null })
  const id = newId(at.getTime())
  const created = await insertAccount(tx, {
    ...NOTHING,
    ...wanted,
    id,
    kind: 'sub_user',
    parentId: merchantId,
    at,
  })
  if (created) {
    await openWallets(tx, { ownerId: id, currency: wanted.currency, earnings: false })
    const subUser = {
      ...wanted,
      id,
      merchantId,
      status: 'active',
      feeBps: null,
      createdAt: at,
      ...{ limitPerTrade: null, limitPerDay: null, limitOpenTrades: null },
    } as const
    return { subUser, replayed: false }
  }
  const first = await findByExternalId(
    tx,
    merchantId,
    assertDefined(wanted.externalId, 'external id'),
  )
  const subUser = assertDefined(first, 'the sub-user that has the external id')
  if (subUser.status === 'deleted') refuse('USER_DELETED')
  return { subUser, replayed: true }
}

const NOTHING = {
  name: null,
  description: null,
  country: null,
  tier: 'standard',
  feeBps: null,
  buyFeeBps: null,
  sellFeeBps: null,
  childDefaultFeeBps: null,
} as const
