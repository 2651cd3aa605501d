// GET /market/prices
import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { merchantRoutes } from '@tradepost/contract'
import type { CatalogueView, ListChanges } from '#catalog'
import type { ItemTexts } from '#wire/merchant/market'
import { refuseField } from '../../shared/failure.ts'
import type { PriceTags, Tagged } from '../../shared/market/price-tags.ts'
import { PreparedResponse } from '../../shared/operation.ts'
import { acceptsGzip } from '../../shared/whole-answers/whole-answers.ts'
import { type MerchantOperations, operation } from '../operation.ts'
import { MARKET_READ, pageText, prepared, successText } from './search.ts'
import { createWholePrices, type WholePricesDeps, wholeFields } from './whole-prices.ts'

export interface PricesDeps extends WholePricesDeps {
  readonly view: CatalogueView
  readonly priceTags: PriceTags<ItemTexts>
}

const WHOLE = -1
/** More are not written for one caller: the whole list is written in slices, and shared. */
const MOST_CHANGES = 2000

export function createPricesOperation({
  view,
  priceTags,
  clock,
}: PricesDeps): MerchantOperations['listPrices'] {
  const wholePrices = createWholePrices({ view, clock })
  return operation(
    merchantRoutes.listPrices,
    async ({ caller, query, headers }) => {
      const texts = await priceTags(caller.account)
      const { page, limit, since } = query
      if (limit === WHOLE && page === 1) {
        const changes = since === undefined ? null : await view.changesSince(since, MOST_CHANGES)
        if (changes !== null) return packed(caller.requestId, changesText(changes, texts), headers)
        const whole = await wholePrices(texts)
        return whole.respond(caller.requestId, headers)
      }
      if (since !== undefined) refuseSince()
      const { listVersion } = view
      if (limit === WHOLE) {
        const { total } = view.list({ offset: 0, limit: 0 })
        return prepared(
          caller.requestId,
          `{"items":[],${wholeFields(total, page)},"version":"${listVersion}"}`,
        )
      }
      const { entries, total } = view.list({ offset: (page - 1) * limit, limit })
      const text = pageText(entries.map(texts.priceItem), { total, page, limit })
      return prepared(caller.requestId, `${text.slice(0, -1)},"version":"${listVersion}"}`)
    },
    MARKET_READ,
  )
}

const changesText = (
  { version, entries, removed }: ListChanges,
  { priceItem }: Tagged<ItemTexts>,
): string =>
  `{"items":[${entries.map(priceItem).join(',')}],${wholeFields(entries.length, 1)},"version":"${version}","removed":${JSON.stringify(removed)}}`

/** Shorter ones fit into a few packets as they are. */
const PACKED_FROM_CHARACTERS = 4000
const gzipOnThread = promisify<Buffer, { level: number }, Buffer>(gzip)

/** In gzip, as the whole list is, for who accepts it: a delta must stay small beside that list. */
async function packed(
  requestId: string,
  dataText: string,
  headers: IncomingHttpHeaders,
): Promise<PreparedResponse> {
  const text = successText(requestId, dataText)
  const shared = { vary: 'accept-encoding' }
  if (dataText.length < PACKED_FROM_CHARACTERS || !acceptsGzip(headers['accept-encoding'])) {
    return new PreparedResponse(text, shared)
  }
  const gzipped = await gzipOnThread(Buffer.from(text), { level: 5 })
  return new PreparedResponse([gzipped], { ...shared, 'content-encoding': 'gzip' })
}

const refuseSince = (): never =>
  refuseField({
    ...{ in: 'query', pointer: '/since', rule: 'dependentRequired' },
    message: 'must come with limit=-1, on page 1',
  })
