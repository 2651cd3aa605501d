import type { Withdrawal } from '@tradepost/contract'
import { choice, text, time } from '../../kit/list/filters.ts'
import { type ListColumn, ListPage } from '../../kit/list/list.tsx'
import { texts } from '../../texts/texts.ts'
import { WITHDRAWAL_COLUMNS } from '../money/payouts.tsx'
import { ChildOrOwn } from './child-or-own.tsx'

const words = texts.partner.withdrawals
const { payouts } = texts.money

/** The reference is the child's own; the partner looks for the child. */
const [REFERENCE, ...REST] = WITHDRAWAL_COLUMNS as readonly [
  ListColumn<Withdrawal>,
  ...ListColumn<Withdrawal>[],
]

export const PartnerWithdrawalsPage = () => (
  <ListPage
    title={words.title}
    route="listOwnWithdrawals"
    keyOf={({ id }) => id}
    open={({ id }) => ({ to: '/payouts/withdrawals/$id', params: { id } })}
    empty={words.empty}
    filters={[
      choice('status', payouts.status, payouts.statuses),
      text('userId', texts.partner.orders.childId),
      time(payouts.at),
    ]}
    columns={[
      REFERENCE,
      { head: words.child, width: 150, cell: ({ userId }) => <ChildOrOwn id={userId} /> },
      ...REST,
    ]}
  />
)
