// The mail about a low balance, of the session's account.
import { dashboardRoutes } from '@tradepost/contract'
import { assertDefined } from '#kernel/assert'
import { parseAmount } from '#kernel/money'
import { type ActDeps, readBalanceThreshold, setBalanceThreshold } from '#operations'
import { balanceThresholdView } from '#wire/dashboard/wallets'
import { type DashboardOperations, operation } from '../operation.ts'

export function createWalletOperations(
  deps: ActDeps,
): Pick<DashboardOperations, 'getBalanceThreshold' | 'setBalanceThreshold'> {
  const shown = async (accountId: string) =>
    balanceThresholdView(await readBalanceThreshold(deps.db, accountId))
  return {
    getBalanceThreshold: operation(dashboardRoutes.getBalanceThreshold, ({ caller }) =>
      shown(caller.account.id),
    ),
    setBalanceThreshold: operation(
      dashboardRoutes.setBalanceThreshold,
      async ({ caller: { account, actor }, body: { threshold } }) => {
        const amount =
          threshold === null ? null : assertDefined(parseAmount(threshold), 'a validated amount')
        await setBalanceThreshold(deps, actor, account.id, amount)
        return shown(account.id)
      },
    ),
  }
}
