import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps, useNavigate, useSearch } from '@tanstack/react-router'
import type { FoundHit } from '@tradepost/contract'
import { useEffect } from 'react'
import { Field } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { Failure } from '../../kit/notice.tsx'
import { Page } from '../../kit/page.tsx'
import { Table } from '../../kit/table.tsx'
import { Waiting } from '../../kit/waiting.tsx'
import { hitsQuery } from '../../queries/admin.ts'
import { texts } from '../../texts/en.ts'

const { admin: words } = texts

/** One box for any id. What alone has it is opened at once; several things are listed. */
export function FindPage() {
  const { q = '' } = useSearch({ from: '/shell/admin/find' })
  const navigate = useNavigate()
  const { data, error, isFetching } = useQuery(hitsQuery(q))
  const [only, second] = data?.hits ?? []
  const target = only && !second ? linkOf(only) : null
  useEffect(() => {
    if (target) void navigate({ ...target, replace: true } as never)
  }, [target, navigate])
  return (
    <Page title={words.find}>
      <Form
        key={q}
        submit={words.find}
        onSubmit={async (values) => {
          await navigate({ to: '/admin/find', search: { q: textOf(values, 'q') } })
        }}
      >
        {() => (
          <Field
            {...{ label: words.findLabel, hint: words.findHint, name: 'q', type: 'search' }}
            defaultValue={q}
            maxLength={128}
            required
          />
        )}
      </Form>
      {error && <Failure error={error} />}
      {isFetching && <Waiting rows={2} />}
      {data && !isFetching && (
        <Table
          caption={words.find}
          empty={words.findNothing}
          rows={data.hits}
          keyOf={({ kind, id }) => `${kind} ${id}`}
          columns={[
            { head: words.type, cell: ({ kind }) => words.hitKinds[kind] },
            { head: words.id, cell: (hit) => <HitLink hit={hit} /> },
            { head: words.name, cell: ({ title }) => title },
            { head: words.state, cell: ({ status }) => status },
          ]}
        />
      )}
    </Page>
  )
}

type Target = Pick<LinkProps, 'to' | 'params' | 'search'>

const HitLink = ({ hit }: { readonly hit: FoundHit }) => {
  const link = linkOf(hit)
  return link === null ? (
    <code>{hit.id}</code>
  ) : (
    <Link {...(link as LinkProps)}>
      <code>{hit.id}</code>
    </Link>
  )
}

/** The page of a hit, or of the account that it belongs to. */
function linkOf({ kind, id, accountId }: FoundHit): Target | null {
  switch (kind) {
    case 'trade':
      return { to: '/admin/trades/$id', params: { id } }
    case 'account':
      return { to: '/admin/accounts/$id', params: { id } }
    case 'case':
      return { to: '/admin/cases/$id', params: { id } }
    case 'deposit':
      return { to: '/admin/deposits/$id', params: { id } }
    case 'withdrawal':
      return { to: '/admin/withdrawals/$id', params: { id } }
    case 'delivery':
      return { to: '/admin/deliveries/$id', params: { id } }
    default:
      return accountId === null ? null : { to: '/admin/accounts/$id', params: { id: accountId } }
  }
}
