// The partner interface beside the merchant interface, on one API process in the same run: the same question
// to both, and buys of one account each.

import { auditBooks, ORIGINAL, readRows, runScript } from '../installation/installation.ts'
import { readNames } from '../installation/questions.ts'
import type { Helper } from '../ipc.ts'
import type { LoadMethods } from '../load/process.ts'
import { compare, type Side } from '../rounds.ts'
import { startSandbox } from '../servers/sandbox.ts'
import type { OurProcess } from '../servers/tradepost.ts'
import {
  type Bench,
  type Line,
  loadOf,
  type RunRow,
  rateLine,
  requestOf,
  startLoad,
} from './row.ts'

const CONNECTIONS = 10
const RATIO = 0.9
const TRADE_URL = 'https://steamcommunity.com/tradeoffer/new/?partner=39734273&token=accept00'

export const runPartner: RunRow = async (bench) => {
  const { installation, isQuick, say } = bench
  const name = 'bench_partner'
  const url = await installation.clone(ORIGINAL, name)
  say('funding both accounts')
  await runScript(url, PREPARE, 'vacuum analyze')
  const sandbox = await startSandbox(installation.folder)
  const api = await installation.startApi(url, { SANDBOX_PORT: String(sandbox.port) })
  const load = startLoad()
  const place: Place = { bench, api, load, url, durationMs: isQuick ? 2000 : 4000 }
  try {
    return [await searchLine(place), await listingsLine(place), await buyLine(place)]
  } finally {
    await Promise.all([api.stop(), load.stop(), sandbox.stop()])
    await installation.drop(name)
  }
}

interface Place {
  readonly bench: Bench
  readonly api: OurProcess
  readonly load: Helper<LoadMethods>
  readonly url: string
  readonly durationMs: number
}

// Buys are measured without workers: nothing of theirs is ever placed.
const PREPARE = `
  update buying.setting set waiting_limit = null;
  update catalog.market set online = true, enabled = true;
  select ledger.post('deposit', null, a.id, 'bench-deposit', '\\x00', now(),
      array['USD'::ledger.currency], array[ledger.house('clearing_demo', 'USD')],
      array[ledger.account_of(a.id, 'spot')], array[1000000000000::bigint])
    from identity.account a where a.kind in ('merchant', 'partner');`

const readSide = ({ api, load, durationMs }: Place, requests: readonly string[]): Side => ({
  pid: api.pid,
  run: (index) =>
    loadOf(load, {
      ...{ port: api.port, connections: CONNECTIONS, requests },
      durationMs: index < 0 ? durationMs / 2 : durationMs,
    }),
})

async function searchLine(place: Place): Promise<Line> {
  const { installation } = place.bench
  const names = (await readNames(place.url)).slice(0, 200)
  const texts = names.map(({ name }) =>
    encodeURIComponent(
      name
        .split(/[^\p{L}]+/u)
        .slice(0, 2)
        .join(' '),
    ),
  )
  const ours = texts.map((q) =>
    requestOf('GET', `/v2/market/search?q=${q}&sort=priceAsc&start=1&end=25`, {
      'x-api-key': installation.partnerKey,
    }),
  )
  const peer = texts.map((q) =>
    requestOf('GET', `/market/search?q=${q}&sort=priceAsc&inStock=true&limit=25`, {
      'api-key': installation.apiKey,
    }),
  )
  const sides = { ours: readSide(place, ours), peer: readSide(place, peer) }
  const compared = await compare(sides, place.bench)
  return rateLine('`GET /v2/market/search`, 200 queries', compared, { ratio: RATIO }, MERCHANT)
}

const MERCHANT = `peer: the merchant interface, the same questions; ${CONNECTIONS} connections`

async function listingsLine(place: Place): Promise<Line> {
  const { installation } = place.bench
  const items = await readRows<{ id: string }>(
    place.url,
    `select item_id id from catalog.listing where live and not taken
     group by item_id order by count(*) desc, item_id limit 200`,
  )
  const ours = items.map(({ id }) =>
    requestOf('GET', `/v2/market/listings?item=${id}`, { 'x-api-key': installation.partnerKey }),
  )
  const peer = items.map(({ id }) =>
    requestOf('GET', `/market/items/${id}/listings?limit=25`, { 'api-key': installation.apiKey }),
  )
  const sides = { ours: readSide(place, ours), peer: readSide(place, peer) }
  const compared = await compare(sides, place.bench)
  return rateLine('`GET /v2/market/listings`, 200 items', compared, { ratio: RATIO }, MERCHANT)
}

interface Offer {
  readonly id: string
  readonly market: string
  /** The base price in cents. */
  readonly cents: string
}

async function buyLine(place: Place): Promise<Line> {
  const { bench, api, load, url } = place
  const { installation, isQuick } = bench
  const each = isQuick ? 300 : 1500
  const offers = await readRows<Offer>(
    url,
    `select id::text, market, ((price_mills + 9) / 10)::text cents from catalog.listing
     where live and not taken order by hashint8(id) limit 40000`,
  )
  const side = (requestFor: (offer: Offer) => string): Side => ({
    pid: api.pid,
    run: (index) => {
      const taken = offers.splice(0, index < 0 ? 100 : each)
      if (taken.length === 0) throw new Error('there are not enough listings')
      const requests = taken.map(requestFor)
      return loadOf(load, { port: api.port, connections: CONNECTIONS, requests, durationMs: null })
    },
  })
  const compared = await compare(
    {
      ours: side(({ id, market, cents }) =>
        requestOf(
          'POST',
          '/v2/market/buy',
          { 'x-api-key': installation.partnerKey, 'idempotency-key': `order-${id}` },
          JSON.stringify({ itemId: id, price: Number(cents) / 100, market, tradeUrl: TRADE_URL }),
        ),
      ),
      peer: side(({ id, cents }) =>
        requestOf(
          'POST',
          '/market/buy',
          { 'api-key': installation.apiKey },
          JSON.stringify({
            externalId: `order-${id}`,
            tradeUrl: TRADE_URL,
            items: [{ listingId: id, maxPrice: `${Math.ceil(Number(cents) / 50) + 2}.00` }],
          }),
        ),
      ),
    },
    bench,
  )
  await auditBooks(url)
  return rateLine(
    '`POST /v2/market/buy`, one account',
    compared,
    { ratio: RATIO },
    'peer: `POST /market/buy` of one merchant for itself, one item; the books audit is clean',
  )
}
