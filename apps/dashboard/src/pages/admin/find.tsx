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
import { linkOfHit } from '../../shell/hit-links.ts'
import { admin as words } from '../../texts/admin.ts'
import { texts } from '../../texts/texts.ts'

/** One box for any id. What alone has it is opened at once; several things are listed. */
export function FindPage() {
  const { q = '' } = useSearch({ from: '/shell/admin/find' })
  const navigate = useNavigate()
  const { data, error, isFetching } = useQuery(hitsQuery(q))
  const [only, second] = data?.hits ?? []
  const target = only && !second ? linkOfHit('admin', only) : null
  useEffect(() => {
    if (target) void navigate({ ...target, replace: true } as never)
  }, [target, navigate])
  return (
    <Page title={texts.nav.find}>
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
          caption={texts.nav.find}
          empty={
            <>
              {words.findNothing}{' '}
              <Link to="/admin/accounts" search={{ q }}>
                {texts.kit.palette.accountsNamed(q)}
              </Link>
            </>
          }
          rows={data.hits}
          keyOf={({ kind, id }) => `${kind} ${id}`}
          columns={[
            { head: words.type, cell: ({ kind }) => texts.kit.palette.kinds[kind] },
            { head: words.id, cell: (hit) => <Hit hit={hit} /> },
            { head: words.name, cell: ({ title }) => title },
            { head: words.state, cell: ({ status }) => status },
          ]}
        />
      )}
    </Page>
  )
}

const Hit = ({ hit }: { readonly hit: FoundHit }) => {
  const link = linkOfHit('admin', hit)
  return link === null ? (
    <code>{hit.id}</code>
  ) : (
    <Link {...(link as LinkProps)}>
      <code>{hit.id}</code>
    </Link>
  )
}
