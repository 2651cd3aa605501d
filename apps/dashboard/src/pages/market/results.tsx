// What a search of the market found, as a list and as a grid.
import { Link } from '@tanstack/react-router'
import type { SearchResultItem } from '@tradepost/contract'
import { itemName } from '../../kit/item-name.ts'
import { Money } from '../../kit/money.tsx'
import { Picture, WithPicture } from '../../kit/picture.tsx'
import { Table } from '../../kit/table.tsx'
import { Text } from '../../kit/text.tsx'
import { formatCount, texts } from '../../texts/texts.ts'
import css from './market.module.css'
import { Beside, rarityStyle } from './price.tsx'

const words = texts.merchant.market

export interface ResultsProps {
  readonly items: readonly SearchResultItem[]
  readonly currency: string
  /** The ids of those whose price has just changed. */
  readonly changed: ReadonlySet<string>
}

const NONE = '–'

export const ItemList = ({ items, currency, changed }: ResultsProps) => (
  <Table
    caption={words.title}
    empty={words.none}
    rows={items}
    keyOf={({ id }) => id}
    isFlowing
    isMarked={({ id }) => changed.has(id)}
    columns={[
      {
        head: words.item,
        cell: (item) => (
          <span className={css.item} style={rarityStyle(item.rarityColor)}>
            <WithPicture iconUrl={item.iconUrl} edge={40}>
              <Link to="/market/$id" params={{ id: item.id }}>
                <Text>{itemName(item)}</Text>
              </Link>
              <small>{[item.rarity, item.itemType].filter(Boolean).join(' · ')}</small>
            </WithPicture>
          </span>
        ),
      },
      {
        head: words.price,
        align: 'end',
        cell: ({ price }) => (price ? <Money amount={price.standard} currency={currency} /> : NONE),
        isEmpty: ({ price }) => price === undefined,
      },
      {
        head: words.besideReference,
        align: 'end',
        cell: ({ price, platformPrice }) => (
          <Beside price={price?.standard} reference={platformPrice} />
        ),
        isEmpty: ({ price, platformPrice }) => price === undefined || !platformPrice,
      },
      {
        head: words.instant,
        align: 'end',
        cell: ({ price }) =>
          price?.instant == null ? NONE : <Money amount={price.instant} currency={currency} />,
        isEmpty: ({ price }) => price?.instant == null,
      },
      {
        head: words.listings,
        align: 'end',
        cell: ({ listingsCount }) => formatCount(listingsCount ?? 0),
        isEmpty: ({ listingsCount }) => !listingsCount,
      },
    ]}
  />
)

export const ItemGrid = ({ items, currency, changed }: ResultsProps) =>
  items.length === 0 ? (
    <p className={css.none}>{words.none}</p>
  ) : (
    <ul className={css.grid}>
      {items.map((item) => (
        <li
          key={item.id}
          className={css.card}
          style={rarityStyle(item.rarityColor)}
          data-marked={changed.has(item.id) || undefined}
        >
          <Picture iconUrl={item.iconUrl} edge={128} />
          <Link to="/market/$id" params={{ id: item.id }}>
            <Text>{itemName(item)}</Text>
          </Link>
          <p>
            <strong>
              {item.price ? <Money amount={item.price.standard} currency={currency} /> : NONE}
            </strong>{' '}
            <Beside price={item.price?.standard} reference={item.platformPrice} />
          </p>
          <small>{words.forSaleShort(item.listingsCount ?? 0)}</small>
        </li>
      ))}
    </ul>
  )
