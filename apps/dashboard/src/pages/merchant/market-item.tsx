// An item of the market: what it is, what is for sale of it, and the call that buys a listing.
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { MarketListing, SearchResultItem } from '@tradepost/contract'
import type { ReactNode } from 'react'
import { CopyButton, CopyId } from '../../kit/copy.tsx'
import { Facts } from '../../kit/detail.tsx'
import { ofHundred } from '../../kit/hundredths.ts'
import { itemName } from '../../kit/item-name.ts'
import { Money } from '../../kit/money.tsx'
import { Failure } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { pageNumberOf } from '../../kit/page-number.ts'
import { Pager } from '../../kit/pager.tsx'
import { Table } from '../../kit/table.tsx'
import { Waiting, WaitingFacts } from '../../kit/waiting.tsx'
import { itemListingsQuery, marketItemQuery, walletsQuery } from '../../queries/merchant.ts'
import { texts } from '../../texts/texts.ts'

const words = texts.merchant.market

export function MarketItemPage() {
  const { id } = useParams({ from: '/shell/market/$id' })
  const { page: pageText } = useSearch({ from: '/shell/market/$id' })
  const page = pageNumberOf(pageText)
  const navigate = useNavigate({ from: '/market/$id' })
  const { data: wallets } = useQuery(walletsQuery)
  const { data: item, error } = useQuery(marketItemQuery(id))
  const { data: listings, error: unlisted } = useQuery(itemListingsQuery(id, page))
  const currency = wallets?.[0]?.currency ?? 'USD'
  return (
    <Page title={item ? itemName(item) : words.item} parent={[words.title, { to: '/market' }]}>
      {error && <Failure error={error} />}
      {item === undefined && !error && <WaitingFacts count={5} />}
      {item && (
        <>
          <ItemFacts item={item} currency={currency} />
          {unlisted && <Failure error={unlisted} />}
          {listings === undefined && !unlisted && <Waiting rows={6} />}
          {/* Both at once: the call stands above the listings, and nothing that is shown may move. */}
          {listings?.items[0] && <HowToBuy listing={listings.items[0]} />}
          {listings && (
            <Section title={words.listings}>
              <p>{words.forSale(listings.total)}</p>
              <Listings listings={listings.items} currency={currency} />
              <Pager
                {...{ page, totalPages: listings.totalPages }}
                onPage={(to) => void navigate({ search: { page: String(to) } })}
              />
            </Section>
          )}
        </>
      )}
    </Page>
  )
}

const ItemFacts = ({
  item,
  currency,
}: {
  readonly item: SearchResultItem
  readonly currency: string
}) => {
  const { itemType, wear, rarity, collection, platformPrice } = item
  return (
    <Facts
      facts={[
        [words.type, itemType],
        [words.exterior, wear],
        [words.rarity, rarity],
        [words.collection, collection],
        [
          words.reference,
          platformPrice === undefined ? null : (
            <Money key="reference" amount={platformPrice} currency={currency} />
          ),
        ],
      ]}
    />
  )
}

const Listings = ({
  listings,
  currency,
}: {
  readonly listings: readonly MarketListing[]
  readonly currency: string
}) => (
  <Table
    caption={words.listings}
    empty={words.noListing}
    rows={listings}
    keyOf={({ id }) => id}
    columns={[
      {
        head: words.asked,
        align: 'end',
        cell: ({ price }) => <Money amount={price} currency={currency} />,
      },
      { head: words.wear, cell: ({ wear }) => wear },
      { head: words.seed, align: 'end', cell: ({ paintSeed }) => paintSeed },
      { head: words.carries, cell: carriedBy },
      { head: words.delivery, cell: ({ delivery }) => delivery && words.deliveries[delivery] },
      { head: words.listing, cell: ({ id }) => <CopyId value={id} what={words.listing} /> },
      {
        head: words.call,
        cell: (listing) => <CopyButton value={callOf(listing)} what={words.callOf(listing.id)} />,
      },
    ]}
  />
)

/** What makes a listing dearer than another one of the same wear. */
function carriedBy({ doppler, hardened, fade, stickers, charm }: MarketListing): ReactNode {
  return [
    doppler?.name,
    hardened?.name,
    fade && words.fade(fade.percentage),
    stickers?.length ? words.stickers(stickers.length) : null,
    charm?.name,
  ]
    .filter(Boolean)
    .join(', ')
}

const HowToBuy = ({ listing }: { readonly listing: MarketListing }) => (
  <Section title={words.buy}>
    <p>
      {words.buyText} <a href="/docs/first-purchase">{words.guide}</a>
    </p>
    <CopyId value={callOf(listing)} what={words.callOf(listing.id)} />
  </Section>
)

/** The listing is bought once, however often the call is sent: its id is the external id. */
function callOf({ id, price }: MarketListing): string {
  const items = [{ listingId: id, maxPrice: ofHundred(Math.round(price * 100)) }]
  const body = JSON.stringify({ externalId: `listing-${id}`, tradeUrl: '$TRADE_URL', items })
  // The shell puts its variable in between two quoted texts.
  const data = `'${body.replace('$TRADE_URL', `'"$TRADE_URL"'`)}'`
  return `curl -s -X POST "${location.origin}/market/buy" -H "api-key: $TRADEPOST_API_KEY" -H "content-type: application/json" -d ${data}`
}
