// The dashboard's view of one account, for administrators.
import type { AdminAccountDetail, SubAccount } from '@tradepost/contract'
import type { AccountSettings, DescribedAccount, KeySummary, ListedChild, SubUser } from '#identity'
import type { Wallet } from '#ledger'
import type { Endpoint } from '#webhooks'
import { moneyNumber } from '../money.ts'
import { keyView } from './account.ts'
import { accountView } from './administration.ts'

export interface AccountRecords {
  readonly account: DescribedAccount
  readonly settings: AccountSettings
  readonly wallets: readonly Wallet[]
  readonly keys: readonly KeySummary[]
  readonly endpoint: Endpoint | null
  readonly hasLogin: boolean
}

export const accountDetailView = (records: AccountRecords): AdminAccountDetail => {
  const { account, settings, wallets, keys, endpoint, hasLogin } = records
  const { feeBps, buyFeeBps, sellFeeBps, childDefaultFeeBps, recoversDebts } = settings
  return {
    ...accountView(account, wallets),
    kind: account.kind as AdminAccountDetail['kind'],
    parentId: account.parentId,
    externalId: account.externalId,
    platformId: account.platformId,
    fees: { feeBps, buyFeeBps, sellFeeBps, childDefaultFeeBps },
    recoversDebts,
    wallets: wallets.map(({ kind, currency, balance }) => ({
      ...{ kind, currency },
      balance: moneyNumber(balance),
    })),
    keys: keys.map((key) => keyView(key)),
    webhook: endpoint && {
      url: endpoint.url,
      status: endpoint.status,
      failingSince: endpoint.failingSince?.toISOString() ?? null,
    },
    hasLogin,
  }
}

/** A sub-user of a merchant, or a child of a partner. */
export const subAccountView = (
  account: SubUser | ListedChild,
  kind: SubAccount['kind'],
): SubAccount => {
  const { id, status, email, createdAt } = account
  const name = 'externalId' in account ? account.externalId : account.name
  return { id, kind, name: name ?? email, status, createdAt: createdAt.toISOString() }
}
