import type { OwnWithdrawal } from '@tradepost/contract'
import { Export } from '../../kit/export.tsx'
import { choice, text, time } from '../../kit/list/filters.ts'
import { type ListColumn, ListPage } from '../../kit/list/list.tsx'
import { money } from '../../texts/money.ts'
import { texts } from '../../texts/texts.ts'
import { WITHDRAWAL_COLUMNS } from '../money/payouts.tsx'
import { ChildOrOwn } from './child-or-own.tsx'

const words = texts.partner.withdrawals
const { payouts } = money

/** The reference is the child's own; the partner looks for the child. */
const COLUMNS: readonly ListColumn<OwnWithdrawal>[] = [
  ...WITHDRAWAL_COLUMNS.slice(0, 1),
  {
    head: words.child,
    width: 240,
    cell: ({ userId, userEmail }) => <ChildOrOwn id={userId} email={userEmail} />,
  },
  ...WITHDRAWAL_COLUMNS.slice(1),
]

export const PartnerWithdrawalsPage = () => (
  <ListPage
    title={words.title}
    route="listOwnWithdrawals"
    keyOf={({ id }) => id}
    open={({ id }) => ({ to: '/payouts/withdrawals/$id', params: { id } })}
    empty={words.empty}
    act={(query) => <Export what="withdrawals" title={words.title} query={query} />}
    filters={[
      choice('status', payouts.status, payouts.statuses),
      text('userId', texts.partner.orders.childId),
      time(payouts.at),
    ]}
    columns={COLUMNS}
  />
)
