// Balances and ledgers: the merchant's, a sub-user's, and the acting account's own.
import { type LedgerQuery, merchantRoutes } from '@tradepost/contract'
import { getSubUser } from '#identity'
import type { Db } from '#infra/db'
import { type HistoryFilter, history, readWallet } from '#ledger'
import { historyView } from '#wire/merchant/ledger'
import { balanceView } from '#wire/merchant/wallet'
import { type MerchantOperations, operation } from '../operation.ts'

export const createLedgerOperations = ({
  db,
}: {
  readonly db: Db
}): Pick<
  MerchantOperations,
  'listMerchantLedger' | 'listSubUserLedger' | 'listWalletLedger' | 'getWallet'
> => ({
  listMerchantLedger: operation(merchantRoutes.listMerchantLedger, async ({ caller, query }) => {
    const wallet = { ownerId: caller.tenant.id, kind: query.walletType ?? 'spot' }
    return historyView(await history(db, wallet, filterOf(query)))
  }),

  listSubUserLedger: operation(
    merchantRoutes.listSubUserLedger,
    async ({ caller, params, query }) => {
      const subUser = await getSubUser(db, caller.tenant.id, params.id)
      const wallet = { ownerId: subUser.id, kind: 'spot' } as const
      return historyView(await history(db, wallet, filterOf(query)))
    },
  ),

  listWalletLedger: operation(merchantRoutes.listWalletLedger, async ({ caller, query }) => {
    const wallet = { ownerId: caller.account.id, kind: 'spot' } as const
    return historyView(await history(db, wallet, filterOf(query)))
  }),

  getWallet: operation(merchantRoutes.getWallet, async ({ caller }) =>
    balanceView(await readWallet(db, caller.account.id)),
  ),
})

const filterOf = (query: LedgerQuery): HistoryFilter => ({
  cursor: query.cursor ?? null,
  limit: query.limit,
  type: query.type ?? null,
  status: query.status ?? null,
  from: query.from === undefined ? null : new Date(query.from),
  to: query.to === undefined ? null : new Date(query.to),
})
