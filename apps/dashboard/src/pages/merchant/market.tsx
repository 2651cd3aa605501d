import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Field } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { itemName } from '../../kit/item-name.ts'
import { Money } from '../../kit/money.tsx'
import { Failure } from '../../kit/notice.tsx'
import { Page } from '../../kit/page.tsx'
import { pageNumberOf } from '../../kit/page-number.ts'
import { Pager } from '../../kit/pager.tsx'
import { Table } from '../../kit/table.tsx'
import { Text } from '../../kit/text.tsx'
import { Waiting } from '../../kit/waiting.tsx'
import { marketQuery, walletsQuery } from '../../queries/merchant.ts'
import { formatCount, texts } from '../../texts/texts.ts'

const words = texts.merchant.market

const NONE = '–'

export function MarketPage() {
  const { q, page: pageText } = useSearch({ from: '/shell/market' })
  const page = pageNumberOf(pageText)
  const navigate = useNavigate({ from: '/market' })
  const { data: wallets } = useQuery(walletsQuery)
  const { data, error } = useQuery(marketQuery({ ...(q && { q }), page }))
  const currency = wallets?.[0]?.currency ?? 'USD'
  const go = (to: number): void => void navigate({ search: { ...(q && { q }), page: String(to) } })
  return (
    <Page title={words.title}>
      <Form
        key={q ?? ''}
        submit={texts.nav.search}
        onSubmit={async (values) => {
          await navigate({ search: { q: textOf(values, 'q') } })
        }}
      >
        {() => <Field label={words.search} name="q" type="search" defaultValue={q ?? ''} />}
      </Form>
      {error && <Failure error={error} />}
      {data === undefined && !error && <Waiting rows={12} />}
      {data && (
        <>
          <p>{words.found(data.total)}</p>
          <Table
            caption={words.title}
            empty={words.none}
            rows={data.items}
            keyOf={({ id }) => id}
            columns={[
              {
                head: words.item,
                cell: (item) => (
                  <Link to="/market/$id" params={{ id: item.id }}>
                    <Text>{itemName(item)}</Text>
                  </Link>
                ),
              },
              {
                head: words.price,
                align: 'end',
                cell: ({ price }) =>
                  price ? <Money amount={price.standard} currency={currency} /> : NONE,
              },
              {
                head: words.instant,
                align: 'end',
                cell: ({ price }) =>
                  price?.instant == null ? (
                    NONE
                  ) : (
                    <Money amount={price.instant} currency={currency} />
                  ),
              },
              {
                head: words.listings,
                align: 'end',
                cell: ({ listingsCount }) => formatCount(listingsCount ?? 0),
              },
            ]}
          />
          <Pager page={page} totalPages={data.totalPages} onPage={go} />
        </>
      )}
    </Page>
  )
}
