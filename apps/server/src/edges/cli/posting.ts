// How the command line shows a posting before it is made.
import { formatCents } from '#kernel/money'
import type { PlannedPosting } from '#operations'

export const shownPosting = ({
  from,
  to,
  amount,
  currency,
  balanceBefore,
  balanceAfter,
}: PlannedPosting): string =>
  [
    `debit    ${nameOf(from)}`,
    `credit   ${nameOf(to)}`,
    `amount   ${formatCents(amount)} ${currency}`,
    `balance  ${formatCents(balanceBefore)} -> ${formatCents(balanceAfter)} ${currency}`,
  ].join('\n')

const nameOf = (account: PlannedPosting['from']): string =>
  'house' in account ? `house ${account.house}` : `${account.kind} of ${account.ownerId}`
