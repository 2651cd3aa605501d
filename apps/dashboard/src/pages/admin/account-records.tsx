// The lists of one account, for administrators.
import { useQuery } from '@tanstack/react-query'
import type { AdminAccountDetail } from '@tradepost/contract'
import { choice, time } from '../../kit/list/filters.ts'
import { List } from '../../kit/list/list.tsx'
import { Badge, Failure } from '../../kit/notice.tsx'
import { Section } from '../../kit/page.tsx'
import { Table } from '../../kit/table.tsx'
import { Time } from '../../kit/time.tsx'
import { Waiting } from '../../kit/waiting.tsx'
import { membersOfAccountQuery } from '../../queries/admin.ts'
import { admin as words } from '../../texts/admin.ts'
import { money } from '../../texts/money.ts'
import { texts } from '../../texts/texts.ts'
import { TRADE_COLUMNS } from '../merchant/trades.tsx'
import { DEPOSIT_COLUMNS } from '../money/deposits.tsx'
import { WITHDRAWAL_COLUMNS } from '../money/payouts.tsx'
import { ACCOUNT_TONES } from '../tones.ts'
import { DELIVERY_COLUMNS } from './deliveries.tsx'
import { InviteMember } from './invite-member.tsx'

const { team } = texts
const { trades } = texts.merchant
const { deposits, payouts } = money

export type AccountTab = keyof typeof words.accountTabs

/**
 * A sub-user uses the endpoint of its merchant, a child has no people of its own: its partner's act for it.
 */
export const tabsOf = ({ kind }: Pick<AdminAccountDetail, 'kind'>): readonly AccountTab[] => {
  if (kind === 'sub_user') return ['details', 'trades', 'deposits']
  const common = ['details', 'trades', 'deposits', 'withdrawals', 'deliveries'] as const
  return kind === 'child' ? common : [...common, 'users', 'members']
}

interface RecordsProps {
  readonly id: string
  readonly tab: Exclude<AccountTab, 'details'>
}

export function AccountRecords({ id, tab }: RecordsProps) {
  const list = { caption: words.accountTabs[tab], params: { id }, empty: words.nothingOf } as const
  switch (tab) {
    case 'trades':
      return (
        <List
          {...list}
          route="listTradesOfAccount"
          keyOf={(trade) => trade.id}
          open={(trade) => ({ to: '/admin/trades/$id', params: { id: trade.id } })}
          filters={[
            choice('status', trades.status, trades.statuses),
            choice('type', trades.type, trades.types),
            time(trades.made),
          ]}
          columns={TRADE_COLUMNS}
        />
      )
    case 'deposits':
      return (
        <List
          {...list}
          route="listDepositsOfAccount"
          keyOf={(deposit) => deposit.id}
          open={(deposit) => ({ to: '/admin/deposits/$id', params: { id: deposit.id } })}
          filters={[
            choice('status', deposits.status, deposits.statuses),
            choice('method', deposits.method, deposits.methods),
            time(deposits.time),
          ]}
          columns={DEPOSIT_COLUMNS}
        />
      )
    case 'withdrawals':
      return (
        <List
          {...list}
          route="listWithdrawalsOfAccount"
          keyOf={(withdrawal) => withdrawal.id}
          open={(withdrawal) => ({ to: '/admin/withdrawals/$id', params: { id: withdrawal.id } })}
          filters={[choice('status', payouts.status, payouts.statuses), time(payouts.at)]}
          columns={WITHDRAWAL_COLUMNS}
        />
      )
    case 'deliveries':
      return (
        <List
          {...list}
          route="listDeliveriesOfAccount"
          keyOf={(delivery) => delivery.id}
          open={(delivery) => ({ to: '/admin/deliveries/$id', params: { id: delivery.id } })}
          filters={[choice('status', words.status, words.deliveryStatuses)]}
          columns={DELIVERY_COLUMNS}
        />
      )
    case 'users':
      return <Users {...list} />
    case 'members':
      return <Members id={id} />
  }
}

interface UsersProps {
  readonly caption: string
  readonly params: { readonly id: string }
  readonly empty: string
}

const Users = (list: UsersProps) => (
  <List
    {...list}
    route="listUsersOfAccount"
    keyOf={(user) => user.id}
    open={(user) => ({
      to: '/admin/accounts/$id/{-$tab}',
      params: { id: user.id, tab: undefined },
    })}
    filters={[choice('status', words.status, words.statuses)]}
    columns={[
      { head: words.name, cell: ({ name, id }) => name ?? id },
      { head: words.kind, width: 110, cell: ({ kind }) => words.kinds[kind] },
      {
        head: words.status,
        width: 116,
        cell: ({ status }) => <Badge tone={ACCOUNT_TONES[status]}>{words.statuses[status]}</Badge>,
      },
      { head: words.since, width: 190, cell: ({ createdAt }) => <Time at={createdAt} /> },
    ]}
  />
)

function Members({ id }: { readonly id: string }) {
  const { data, error } = useQuery(membersOfAccountQuery(id))
  return (
    <>
      {error && <Failure error={error} />}
      {data === undefined && !error && <Waiting />}
      {data && (
        <Table
          caption={words.accountTabs.members}
          empty={words.noLogin}
          rows={data.members}
          keyOf={({ personId }) => personId}
          columns={[
            { head: words.email, cell: ({ email }) => email },
            { head: words.role, cell: ({ role }) => team.roles[role] },
            {
              head: words.secondFactor,
              cell: ({ hasSecondFactor }) => (hasSecondFactor ? words.yes : words.no),
            },
            { head: words.since, cell: ({ since }) => <Time at={since} /> },
            {
              head: words.lastSeen,
              cell: ({ lastSeenAt }) => lastSeenAt && <Time at={lastSeenAt} />,
            },
          ]}
        />
      )}
      {data && data.invitations.length > 0 && (
        <Section title={team.invitations}>
          <Table
            caption={team.invitations}
            empty={team.noInvitations}
            rows={data.invitations}
            keyOf={(invitation) => invitation.id}
            columns={[
              { head: team.email, cell: ({ email }) => email },
              { head: team.role, cell: ({ role }) => team.roles[role] },
              { head: team.invitedBy, cell: ({ invitedBy }) => invitedBy },
              { head: team.expires, cell: ({ expiresAt }) => <Time at={expiresAt} /> },
            ]}
          />
        </Section>
      )}
      {(data || error) && <InviteMember id={id} />}
    </>
  )
}
