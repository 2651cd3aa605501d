import type { AdminHealth } from '@tradepost/contract'
import { marketName } from '@tradepost/contract/market-names'
import { Notice } from '../../kit/notice.tsx'
import { Ago } from '../../kit/time.tsx'
import { admin as words } from '../../texts/admin.ts'

const PRICES = 'prices_'

/** Of a list by its name: `items`, or `prices_` and a market. */
export const listName = (name: string): string =>
  name.startsWith(PRICES) ? words.pricesOf(marketName(name.slice(PRICES.length))) : name

/** The lists that the catalogue is made from, where one was not believed, and items without a list. */
export const CatalogueAlarms = ({
  catalogue: { lists, stubItems },
}: Pick<AdminHealth, 'catalogue'>) => (
  <>
    {lists.map(
      ({ name, goodAt, refused }) =>
        refused !== null && (
          <Notice key={name} tone="warn">
            <p>
              {words.listGood(listName(name))} <Ago at={goodAt} />
            </p>
            <p>{words.listRefused(refused)}</p>
          </Notice>
        ),
    )}
    {stubItems > 0 && <Notice tone="warn">{words.stubItems(stubItems)}</Notice>}
  </>
)
