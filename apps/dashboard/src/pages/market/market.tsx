// The market at the account's own prices: what one types is found while one types, and every state of the page is an
// address.
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { MARKET_NAMES } from '@tradepost/contract/market-names'
import { useEffect, useRef, useState } from 'react'
import { Field } from '../../kit/field.tsx'
import { FilterBar } from '../../kit/list/filter-bar.tsx'
import { choice, type Filter, isBadFilter, queryOf, text } from '../../kit/list/filters.ts'
import { Failure, Notice } from '../../kit/notice.tsx'
import { Page } from '../../kit/page.tsx'
import { Pager } from '../../kit/pager.tsx'
import { Waiting } from '../../kit/waiting.tsx'
import { useMarket } from '../../live/use-market.ts'
import { marketQuery, marketSearchOf, walletsQuery } from '../../queries/merchant.ts'
import { texts } from '../../texts/texts.ts'
import { useChanged } from './changed.ts'
import { EXTERIORS, ITEM_TYPES, PHASES, RARITIES } from './facets.ts'
import css from './market.module.css'
import { ItemGrid, ItemList } from './results.tsx'

const words = texts.merchant.market

/** What the page reads of the market. */
const SHOWN = ['searchLiveMarket']
const MANY = { many: true }
const FILTERS: readonly Filter[] = [
  choice('itemType', words.type, ITEM_TYPES, MANY),
  choice('exterior', words.exterior, EXTERIORS, MANY),
  choice('rarity', words.rarity, RARITIES, MANY),
  choice('phase', words.phase, PHASES, MANY),
  text('minPrice', words.minPrice, words.priceHint),
  text('maxPrice', words.maxPrice, words.priceHint),
  choice('market', words.market, MARKET_NAMES, MANY),
  choice('delivery', words.delivery, words.deliveries),
  choice('inStock', words.stock, words.stocks),
]

export function MarketPage() {
  const search = useSearch({ from: '/shell/market' })
  const navigate = useNavigate({ from: '/market' })
  const { data: wallets } = useQuery(walletsQuery)
  const asked = marketSearchOf(search)
  const { data, error, isPlaceholderData } = useQuery(marketQuery(asked))
  const currency = wallets?.[0]?.currency ?? 'USD'
  const change = (next: Readonly<Record<string, string | undefined>>): void =>
    void navigate({
      search: { ...search, page: undefined, ...next } as never,
      replace: true,
      resetScroll: false,
    })
  const changed = useChanged(
    isPlaceholderData ? undefined : data?.items,
    ({ id }) => id,
    ({ price }) => `${price?.standard} ${price?.instant}`,
  )
  useMarket({ ...queryOf(FILTERS, search), ...(search.q && { q: search.q }) }, SHOWN)
  const Results = search.view === 'grid' ? ItemGrid : ItemList
  return (
    <Page title={words.title}>
      <search className={css.search}>
        <Typed value={search.q ?? ''} onTyped={(q) => change({ q: q || undefined })} />
        <label className={css.choice}>
          {words.sort}
          <select
            value={search.sort ?? 'relevance'}
            onChange={({ target }) =>
              change({ sort: target.value === 'relevance' ? undefined : target.value })
            }
          >
            {Object.entries(words.sorts).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <fieldset className={css.views}>
          <legend className="visually-hidden">{words.view}</legend>
          {(['list', 'grid'] as const).map((view) => (
            <label key={view}>
              <input
                type="radio"
                name="view"
                checked={(search.view ?? 'list') === view}
                onChange={() =>
                  change({ view: view === 'list' ? undefined : view, page: search.page })
                }
              />
              {words.views[view]}
            </label>
          ))}
        </fieldset>
      </search>
      <FilterBar filters={FILTERS} search={search} resets={['page']} />
      {error &&
        (isBadFilter(error) ? (
          <Notice tone="bad">{texts.kit.list.badFilter}</Notice>
        ) : (
          <Failure error={error} />
        ))}
      {data === undefined && !error && <Waiting rows={12} />}
      {data && (
        <div className={css.results} aria-busy={isPlaceholderData}>
          <p role="status">{words.found(data.total)}</p>
          <Results items={data.items} {...{ currency, changed }} />
          <Pager
            {...{ page: asked.page, totalPages: data.totalPages }}
            onPage={(to) => void navigate({ search: { ...search, page: String(to) } })}
          />
        </div>
      )}
    </Page>
  )
}

/** Between two letters of one who types. */
const TYPING_MS = 250

/** Its text is the address's, until the reader types. */
function Typed({
  value,
  onTyped,
}: {
  readonly value: string
  readonly onTyped: (text: string) => void
}) {
  const [typed, setTyped] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const sent = useRef(value)
  useEffect(() => {
    // The address was changed by something else, such as the way back.
    if (value !== sent.current) setTyped(value)
    sent.current = value
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <Field
      label={words.search}
      name="q"
      type="search"
      value={typed}
      maxLength={100}
      autoComplete="off"
      onChange={({ target }) => {
        setTyped(target.value)
        clearTimeout(timer.current)
        timer.current = setTimeout(() => {
          sent.current = target.value.trim()
          onTyped(sent.current)
        }, TYPING_MS)
      }}
    />
  )
}
