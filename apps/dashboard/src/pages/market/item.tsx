// An item of the market: what it is, what it cost, what is for sale of it, and the command that buys a
// listing.
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { MarketListing, PriceHistoryDay, SearchResultItem } from '@tradepost/contract'
import { useMemo, useState } from 'react'
import { Button } from '../../kit/button.tsx'
import { RangeChart } from '../../kit/chart/range-chart.tsx'
import { WaitingChart } from '../../kit/chart/time-chart.tsx'
import { Command } from '../../kit/command.tsx'
import { CopyButton, CopyId } from '../../kit/copy.tsx'
import { DetailList } from '../../kit/detail.tsx'
import { Field } from '../../kit/field.tsx'
import { Folded } from '../../kit/folded.tsx'
import { ofHundred } from '../../kit/hundredths.ts'
import { itemName } from '../../kit/item-name.ts'
import { FilterBar } from '../../kit/list/filter-bar.tsx'
import { choice, type Filter, isBadFilter, queryOf, text } from '../../kit/list/filters.ts'
import { formatMoney, formatShortMoney, Money } from '../../kit/money.tsx'
import { isNarrowWindow } from '../../kit/narrow.ts'
import { Failure, Notice } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { pageNumberOf } from '../../kit/page-number.ts'
import { Pager } from '../../kit/pager.tsx'
import { Picture } from '../../kit/picture.tsx'
import { Table } from '../../kit/table.tsx'
import { Waiting, WaitingDetails } from '../../kit/waiting.tsx'
import { useMarket } from '../../live/use-market.ts'
import {
  itemListingsQuery,
  marketItemQuery,
  priceHistoryQuery,
  walletsQuery,
} from '../../queries/merchant.ts'
import { useCapability, useSandboxUrl } from '../../queries/session.ts'
import { formatCount, locale, once, texts } from '../../texts/texts.ts'
import { buyListing } from '../commands.ts'
import { CreateMarketOrder } from '../market-order/create.tsx'
import { Demand } from '../market-order/demand.tsx'
import { Attachments } from './attachments.tsx'
import { useChanged } from './changed.ts'
import css from './market.module.css'
import { Beside, rarityStyle } from './price.tsx'
import { WearBar, WearRange } from './wear.tsx'

const { market: words, marketOrders: orderWords } = texts.merchant

/** What the page reads of the market. */
const SHOWN = ['getLiveItem', 'listLiveListings']

const FILTERS: readonly Filter[] = [
  choice('sort', words.sort, words.listingSorts),
  choice('delivery', words.delivery, words.deliveries),
  text('minWear', words.minWear, words.wearHint),
  text('maxWear', words.maxWear, words.wearHint),
]

/** On a phone, where one takes as much room as three rows of a table. */
const FIRST_LISTINGS = 5

export function MarketItemPage() {
  const { id } = useParams({ from: '/shell/market/$id' })
  const search = useSearch({ from: '/shell/market/$id' })
  const page = pageNumberOf(search.page)
  const navigate = useNavigate({ from: '/market/$id' })
  const { data: wallets } = useQuery(walletsQuery)
  const isSandbox = useSandboxUrl() !== null
  const mayOrder = useCapability('money.write')
  const [isOrdering, setOrdering] = useState(false)
  const [subUser, setSubUser] = useState('')
  const commandOf = ({ id, price }: MarketListing): string =>
    buyListing({ id, maxPrice: ofHundred(Math.round(price * 100)), subUser, isSandbox })
  const { data: item, error } = useQuery(marketItemQuery(id))
  const filter = queryOf(FILTERS, search)
  const {
    data: listings,
    error: unlisted,
    isPlaceholderData,
  } = useQuery(itemListingsQuery(id, { ...filter, page }))
  const currency = wallets?.[0]?.currency ?? 'USD'
  useMarket(
    useMemo(() => ({ itemId: id }), [id]),
    SHOWN,
  )
  const changed = useChanged(
    isPlaceholderData ? undefined : listings?.items,
    (listing) => listing.id,
    ({ price }) => String(price),
  )
  // A phone shows what one came for: a few listings, and behind a fold the others and what they cost before.
  const isNarrow = isNarrowWindow()
  const shown = isNarrow ? FIRST_LISTINGS : undefined
  const history = (listings || unlisted) && <History id={id} currency={currency} />
  return (
    <Page
      title={item ? itemName(item) : words.item}
      parent={[words.title, { to: '/market' }]}
      act={
        mayOrder && item && <Button onClick={() => setOrdering(true)}>{orderWords.create}</Button>
      }
    >
      {error && <Failure error={error} />}
      {item === undefined && !error && <WaitingDetails count={6} />}
      {item && (
        <>
          <div className={css.head}>
            <span className={css.portrait} style={rarityStyle(item.rarityColor)}>
              <Picture iconUrl={item.iconUrl} edge={192} />
            </span>
            <ItemDetails id={id} item={item} currency={currency} />
          </div>
          {listings === undefined && !unlisted && <Waiting rows={6} />}
          {/* All at once: the call stands above the rest, and nothing that is shown may move. */}
          {listings?.items[0] && (
            <HowToBuy
              {...{ listing: listings.items[0], isSandbox, commandOf, subUser }}
              onSubUser={setSubUser}
            />
          )}
          {!isNarrow && history}
          {(listings || unlisted) && (
            <Section title={words.listings}>
              <FilterBar filters={FILTERS} search={search} resets={['page']} />
              {unlisted &&
                (isBadFilter(unlisted) ? (
                  <Notice tone="bad">{texts.kit.list.badFilter}</Notice>
                ) : (
                  <Failure error={unlisted} />
                ))}
              {listings && (
                <>
                  <p role="status">{words.forSale(listings.total)}</p>
                  <Listings
                    caption={words.listings}
                    listings={listings.items.slice(0, shown)}
                    {...{ item, currency, changed, commandOf }}
                  />
                  {shown !== undefined && listings.items.length > shown && (
                    <Folded summary={words.moreListings(listings.items.length - shown)}>
                      <Listings
                        caption={words.otherListings}
                        listings={listings.items.slice(shown)}
                        {...{ item, currency, changed, commandOf }}
                      />
                    </Folded>
                  )}
                  <Pager
                    {...{ page, totalPages: listings.totalPages }}
                    onPage={(to) => void navigate({ search: { ...search, page: String(to) } })}
                  />
                </>
              )}
            </Section>
          )}
          {isNarrow && history && <Folded summary={words.history}>{history}</Folded>}
          {isOrdering && (
            <CreateMarketOrder
              item={{ id, name: itemName(item) }}
              onClose={() => setOrdering(false)}
            />
          )}
        </>
      )}
    </Page>
  )
}

/** The command that buys a listing, for the sub-user that was typed. */
type CommandOf = (listing: MarketListing) => string

interface OfItem {
  readonly item: SearchResultItem
  readonly currency: string
}

const ItemDetails = ({ id, item, currency }: OfItem & { readonly id: string }) => {
  const { itemType, wear, rarity, collection, platformPrice, price, floatRange } = item
  return (
    <DetailList
      details={[
        [
          words.price,
          price && (
            <span key="price">
              <Money amount={price.standard} currency={currency} />{' '}
              <Beside price={price.standard} reference={platformPrice} />
            </span>
          ),
        ],
        [
          words.instant,
          price?.instant == null ? null : (
            <Money key="instant" amount={price.instant} currency={currency} />
          ),
        ],
        [
          words.reference,
          platformPrice === undefined ? null : (
            <Money key="reference" amount={platformPrice} currency={currency} />
          ),
        ],
        [words.type, itemType],
        [words.exterior, wear],
        [words.rarity, rarity],
        [words.collection, collection],
        [words.wearRange, floatRange && <WearRange key="range" range={floatRange} />],
        [orderWords.demand, <Demand key="demand" itemId={id} />],
        [orderWords.itemId, <CopyId key="id" value={id} what={orderWords.itemId} />],
      ]}
    />
  )
}

const days = once(
  () => new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
)
const dayOf = (date: string): string => days().format(new Date(date))

/** Two months: more days are narrower than a pixel on a phone. */
const SHOWN_DAYS = 60
const DAY_MS = 86_400_000

function History({ id, currency }: { readonly id: string; readonly currency: string }) {
  const { data, error } = useQuery(priceHistoryQuery(id))
  if (error) return <Failure error={error} />
  if (data === undefined) return <WaitingChart title={words.history} isTall />
  // Days without a sale have no row.
  const last = Date.parse(data.at(-1)?.date ?? '')
  const shown: readonly PriceHistoryDay[] = data.filter(
    ({ date }) => last - Date.parse(date) < SHOWN_DAYS * DAY_MS,
  )
  return (
    <RangeChart
      title={words.history}
      summary={words.historySummary(shown.length)}
      heads={words.historyHeads}
      days={shown}
      form={dayOf}
      value={(amount) => formatMoney(amount, currency)}
      mark={(amount, most) => formatShortMoney(amount, currency, most)}
      count={formatCount}
    />
  )
}

const Listings = ({
  caption,
  listings,
  item,
  currency,
  changed,
  commandOf,
}: OfItem & {
  readonly caption: string
  readonly listings: readonly MarketListing[]
  readonly changed: ReadonlySet<string>
  readonly commandOf: CommandOf
}) => (
  <Table
    caption={caption}
    empty={words.noListing}
    rows={listings}
    keyOf={({ id }) => id}
    isFlowing
    isMarked={({ id }) => changed.has(id)}
    columns={[
      {
        head: words.asked,
        align: 'end',
        cell: ({ price }) => <Money amount={price} currency={currency} />,
      },
      {
        head: words.besideReference,
        align: 'end',
        cell: ({ price, referencePrice }) => <Beside price={price} reference={referencePrice} />,
        isEmpty: ({ referencePrice }) => !referencePrice,
      },
      {
        head: words.wear,
        cell: ({ wear }) => wear && <WearBar wear={wear} range={item.floatRange} />,
        isEmpty: ({ wear }) => !wear,
      },
      {
        head: words.seed,
        align: 'end',
        cell: ({ paintSeed }) => paintSeed,
        isEmpty: ({ paintSeed }) => paintSeed == null,
      },
      {
        head: words.carries,
        cell: (listing) => <Attachments listing={listing} />,
        isEmpty: ({ doppler, hardened, fade, stickers, charm }) =>
          !doppler && !hardened && !fade && !stickers?.length && !charm,
      },
      { head: words.delivery, cell: ({ delivery }) => delivery && words.deliveries[delivery] },
      { head: words.listing, cell: ({ id }) => <CopyId value={id} what={words.listing} /> },
      {
        head: words.command,
        cell: (listing) => (
          <CopyButton
            value={commandOf(listing)}
            what={words.commandOf(listing.id)}
            label={words.copyCommand}
          />
        ),
      },
    ]}
  />
)

interface HowToBuyProps {
  readonly listing: MarketListing
  readonly isSandbox: boolean
  readonly commandOf: CommandOf
  /** As it was typed; empty: the merchant buys for itself. */
  readonly subUser: string
  readonly onSubUser: (subUser: string) => void
}

function HowToBuy({ listing, isSandbox, commandOf, subUser, onSubUser }: HowToBuyProps) {
  // A listing that is bought is gone: without a word the command would then be another one.
  const [first] = useState(listing.id)
  return (
    <Section title={words.buy}>
      <p>{words.buyBy}</p>
      <p>
        {isSandbox ? words.buyInSandbox : words.buyText}{' '}
        <a href="/docs/first-purchase">{words.guide}</a>
      </p>
      <div className={css.buyer}>
        <Field
          {...{ label: orderWords.userOptional, hint: words.subUserHint, maxLength: 128 }}
          value={subUser}
          onChange={({ target }) => onSubUser(target.value.trim())}
        />
      </div>
      <Command value={commandOf(listing)} what={words.commandOf(listing.id)} />
      <p role="status" className={css.changed}>
        {listing.id !== first && words.commandChanged}
      </p>
    </Section>
  )
}
