// Balances and ledgers: the merchant's, a sub-user's, and the acting account's own.
import { merchantRoutes } from '@tradepost/contract'
import { getSubUser } from '#identity'
import type { Db } from '#infra/database/db'
import type { HeavyReads } from '#infra/database/heavy-reads'
import { readWallet } from '#ledger'
import { balanceView } from '#wire/merchant/wallet'
import { createLedgerPages } from '../../shared/ledger-page.ts'
import { type MerchantOperations, operation } from '../operation.ts'

export interface LedgerDeps {
  readonly db: Db
  readonly heavyReads: HeavyReads
}

export const createLedgerOperations = ({
  db,
  heavyReads,
}: LedgerDeps): Pick<
  MerchantOperations,
  'listMerchantLedger' | 'listSubUserLedger' | 'listWalletLedger' | 'getWallet'
> => {
  const page = createLedgerPages({ db, heavyReads })
  return {
    listMerchantLedger: operation(merchantRoutes.listMerchantLedger, ({ caller, query }) => {
      const { id } = caller.tenant
      return page(id, { ownerId: id, kind: query.walletType ?? 'spot' }, query)
    }),

    listSubUserLedger: operation(
      merchantRoutes.listSubUserLedger,
      async ({ caller, params, query }) => {
        const subUser = await getSubUser(db, caller.tenant.id, params.id)
        return page(caller.tenant.id, { ownerId: subUser.id, kind: 'spot' }, query)
      },
    ),

    listWalletLedger: operation(merchantRoutes.listWalletLedger, ({ caller, query }) =>
      page(caller.tenant.id, { ownerId: caller.account.id, kind: 'spot' }, query),
    ),

    getWallet: operation(merchantRoutes.getWallet, async ({ caller }) =>
      balanceView(await readWallet(db, caller.account.id)),
    ),
  }
}
