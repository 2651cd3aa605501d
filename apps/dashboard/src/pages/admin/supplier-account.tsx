// A line about one of our accounts at the markets: while it is closed, or its money lasts for less than two days.
import type { AdminHealth } from '@tradepost/contract'
import { marketName } from '@tradepost/contract/market-names'
import { Notice } from '../../kit/notice.tsx'
import { Ago } from '../../kit/time.tsx'
import { admin as words } from '../../texts/admin.ts'

/** As the alert SupplierCover. */
const COVER_DAYS = 2

export function SupplierAccount({
  account: { market, account, closedBecause, closedAt, balanceUsd, waiting, waitingUsd, coverDays },
}: {
  readonly account: AdminHealth['supplierAccounts'][number]
}) {
  const money = words.supplierMoney({ balanceUsd, waiting, waitingUsd })
  if (closedBecause !== null) {
    return (
      <Notice tone="bad">
        {words.supplierClosed(account, marketName(market), words.closedBecause[closedBecause])}{' '}
        {money}{' '}
        {closedAt !== null && (
          <>
            (<Ago at={closedAt} />)
          </>
        )}
      </Notice>
    )
  }
  if (coverDays === null || coverDays >= COVER_DAYS) return null
  return (
    <Notice tone="warn">
      {words.supplierCover(account, marketName(market), coverDays)} {money}
    </Notice>
  )
}
