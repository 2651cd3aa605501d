// POST /v1/user/wallet/withdraw and GET /v1/user/wallet/withdraw/fees: money out of an account's own wallet.
import { partnerRoutes } from '@tradepost/contract'
import type { Db } from '#infra/database/db'
import { cents } from '#kernel/money'
import type { WalletWithdrawals } from '#payouts'
import { readWithdrawFeeBps } from '#pricing'
import { moneyNumber } from '#wire/money'
import { placedWithdrawalView } from '#wire/partner/withdrawal'
import { centsOf } from '../amount.ts'
import { operation, type PartnerOperations } from '../operation.ts'

export interface WithdrawalDeps {
  readonly db: Db
  readonly withdrawals: WalletWithdrawals
}

export const createWithdrawalOperations = ({
  db,
  withdrawals,
}: WithdrawalDeps): Pick<PartnerOperations, 'withdraw' | 'listWithdrawFees'> => ({
  withdraw: operation(partnerRoutes.withdraw, async ({ caller, body, idempotencyKey }) => {
    const { token, network, address, amount } = body
    return placedWithdrawalView(
      await withdrawals.submit({
        accountId: caller.account.id,
        tenantId: caller.account.partnerId,
        chain: network,
        token,
        destination: address,
        amountCents: centsOf(amount, '/amount'),
        idempotencyKey: idempotencyKey === '' ? null : idempotencyKey,
        siteFeeBps: await readWithdrawFeeBps(db),
        keyId: caller.keyId,
      }),
    )
  }),

  listWithdrawFees: operation(partnerRoutes.listWithdrawFees, async ({ query: { currency } }) =>
    (await withdrawals.quoteFees(currency)).map(({ chain, feeCents }) => ({
      name: chain,
      fee: moneyNumber(cents(feeCents)),
    })),
  ),
})
