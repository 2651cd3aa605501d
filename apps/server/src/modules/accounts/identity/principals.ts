// Accounts that stand at the top of the tree: merchants, partners, administrators.

import type { Tx } from '#infra/database/db'
import { newId } from '#kernel/id'
import type { Currency } from '#kernel/money'
import { openWallets } from '#ledger'
import type { MerchantFees, PartnerFees, Tier } from './account.ts'
import { insertAccount, type NewAccount } from './store.ts'

export interface Principal {
  readonly email: string
  readonly name: string
  readonly at: Date
}

export interface NewMerchant extends Principal {
  readonly currency: Currency
  readonly country: string | null
  readonly tier: Tier
  readonly fees: MerchantFees
}

/** A merchant with its spot and earnings wallets. */
export async function createMerchant(
  tx: Tx,
  { fees, ...merchant }: NewMerchant,
): Promise<{ readonly id: string }> {
  const id = await insert(tx, {
    ...merchant,
    ...fees,
    kind: 'merchant',
  })
  await openWallets(tx, { ownerId: id, currency: merchant.currency, earnings: true })
  return { id }
}

export interface NewPartner extends Principal {
  readonly fees: PartnerFees
}

/** A top-level partner; its wallet is in US dollars. */
export async function createPartner(
  tx: Tx,
  { fees, ...partner }: NewPartner,
): Promise<{ readonly id: string }> {
  const id = await insert(tx, {
    ...partner,
    ...fees,
    kind: 'partner',
    tier: 'enterprise',
  })
  await openWallets(tx, { ownerId: id, currency: 'USD', earnings: false })
  return { id }
}

/** An administrator has no wallet. */
export async function createAdmin(tx: Tx, admin: Principal): Promise<{ readonly id: string }> {
  return { id: await insert(tx, { ...admin, kind: 'admin' }) }
}

async function insert(
  tx: Tx,
  account: Partial<NewAccount> & Pick<NewAccount, 'kind' | 'at'>,
): Promise<string> {
  const id = newId(account.at.getTime())
  await insertAccount(tx, { ...BLANK, ...account, id })
  return id
}

const BLANK = {
  parentId: null,
  currency: 'USD',
  email: null,
  name: null,
  description: null,
  externalId: null,
  platformId: null,
  country: null,
  tier: 'standard',
  feeBps: null,
  buyFeeBps: null,
  sellFeeBps: null,
  childDefaultFeeBps: null,
} as const
