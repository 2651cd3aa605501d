import { choice, text } from '../../kit/list/filters.ts'
import { ListPage } from '../../kit/list/list.tsx'
import { Money } from '../../kit/money.tsx'
import { Badge } from '../../kit/notice.tsx'
import { Time } from '../../kit/time.tsx'
import { texts } from '../../texts/en.ts'
import { ACCOUNT_TONES } from '../tones.ts'

const words = texts.partner.children

export const ChildrenPage = () => (
  <ListPage
    title={words.title}
    route="listChildren"
    filters={[
      text('q', words.search, words.searchHint),
      choice('status', words.status, words.statuses),
    ]}
    keyOf={({ id }) => id}
    open={({ id }) => ({ to: '/children/$id/{-$tab}', params: { id } })}
    empty={words.empty}
    columns={[
      { head: words.one, cell: ({ email, id }) => email ?? <code>{id}</code> },
      { head: words.name, isMinor: true, cell: ({ name }) => name },
      {
        head: words.status,
        width: 116,
        cell: ({ status }) => <Badge tone={ACCOUNT_TONES[status]}>{words.statuses[status]}</Badge>,
      },
      {
        head: words.balance,
        width: 140,
        align: 'end',
        cell: ({ balance }) => <Money amount={balance} currency="USD" />,
      },
      { head: words.created, width: 190, cell: ({ createdAt }) => <Time at={createdAt} /> },
    ]}
  />
)
