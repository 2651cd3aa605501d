// GET /market/listings over a million listings, beside PostgreSQL with an index for each order and filter.
import { request } from 'undici'
import { ORIGINAL, readRows, runScript } from '../installation/installation.ts'
import { type ListingQuestion, readListingQuestions } from '../installation/listing-questions.ts'
import { startHelper } from '../ipc.ts'
import { compare, p99Of, rateOf, type Side, scatterOf } from '../rounds.ts'
import type { ListingsPeerMethods, PeerQuestion } from '../servers/listings-peer.ts'
import type { OurProcess } from '../servers/tradepost.ts'
import { listings, memoryLine } from './million-figures.ts'
import { describeRounds, loadOf, type RunRow, requestOf, startLoad } from './row.ts'

const SIZES = { quick: 200_000, full: 1_000_000 }
const NAME = 'bench_listings'
const QUESTIONS = 200
const CONNECTIONS = 2
const PAGE = 50
/** Of every fourth question one of these pages is asked. */
const PAGES = [1, 2, 5, 20]
const MOST_MS = 20

export const runListingsFilter: RunRow = async ({ installation, rounds, isQuick, say }) => {
  const size = isQuick ? SIZES.quick : SIZES.full
  const durationMs = isQuick ? 1000 : 5000
  const url = await installation.clone(ORIGINAL, NAME)
  say(`writing ${listings(size)}`)
  await runScript(url, copiesSql(size), ...INDEXES, 'checkpoint', 'vacuum analyze')
  const [api, load] = [await installation.startApi(url), startLoad()]
  const peer = startHelper<ListingsPeerMethods>(
    `${import.meta.dirname}/../servers/listings-peer.ts`,
  )
  try {
    const headers = { 'api-key': installation.apiKey }
    const asked = (await readListingQuestions(url, QUESTIONS)).map((question, i) => ({
      ...{ question, sort: SORTS[i % SORTS.length] as Sort },
      page: PAGES[i % PAGES.length] as number,
    }))
    say('walking to the pages')
    const paths: string[] = []
    const statements: PeerQuestion[] = []
    for (const [i, one] of asked.entries()) {
      paths.push(await pathOf(api, headers, one))
      statements.push(await statementOf(url, one, i))
    }
    const port = await peer.call('listen', url, statements)
    const side = (
      of: { readonly pid: number; readonly port: number },
      at: readonly string[],
    ): Side => ({
      pid: of.pid,
      run: () => {
        const requests = at.map((path) => requestOf('GET', path, headers))
        return loadOf(load, { port: of.port, connections: CONNECTIONS, requests, durationMs })
      },
    })
    const compared = await compare(
      {
        ours: side(api, paths),
        peer: side(
          { pid: peer.pid, port },
          statements.map(({ path }) => path),
        ),
      },
      { rounds, say },
    )
    const p99Ms = p99Of(compared.ours)
    return [
      {
        path: `\`GET /market/listings\`, ${QUESTIONS} filters and pages, ${listings(size)}`,
        ours: describeRounds(compared.ours),
        peer: `PostgreSQL: ${describeRounds(compared.peer)}`,
        ratio: (rateOf(compared.ours) / rateOf(compared.peer)).toFixed(2),
        aim: `p99 < ${MOST_MS} ms`,
        reached: p99Ms < MOST_MS,
        scatter: scatterOf(compared),
        note: `${CONNECTIONS} connections; the peer has six indexes for it`,
        rounds: compared,
      },
      memoryLine('api', api, size, 'after these'),
    ]
  } finally {
    await Promise.all([api.stop(), load.stop(), peer.stop()])
    await installation.drop(NAME)
  }
}

interface Asked {
  readonly question: ListingQuestion
  readonly sort: Sort
  readonly page: number
}

/** The address of the page, by the cursors of those before; of a shorter list its last page. */
async function pathOf(
  { port }: OurProcess,
  headers: Readonly<Record<string, string>>,
  { question, sort, page }: Asked,
): Promise<string> {
  const address = (cursor: string | null): string =>
    `/market/listings?${new URLSearchParams({ ...question.query, sort: sort.name, limit: String(PAGE), ...(cursor !== null && { cursor }) })}`
  let cursor: string | null = null
  for (let at = 1; at < page; at++) {
    const answer = await request(`http://127.0.0.1:${port}${address(cursor)}`, { headers })
    const body = (await answer.body.json()) as { data?: { nextCursor: string | null } }
    if (body.data === undefined) throw new Error(`${address(cursor)}: ${JSON.stringify(body)}`)
    if (body.data.nextCursor === null) break
    cursor = body.data.nextCursor
  }
  return address(cursor)
}

interface Sort {
  readonly name: string
  /** What the rows are ordered by, before their id. */
  readonly by: string | null
  readonly order: 'asc' | 'desc'
}

const SORTS: readonly Sort[] = [
  { name: 'priceAsc', by: 'price_mills', order: 'asc' },
  { name: 'priceDesc', by: 'price_mills', order: 'desc' },
  { name: 'wearAsc', by: 'wear', order: 'asc' },
  { name: 'wearDesc', by: 'wear', order: 'desc' },
  { name: 'newest', by: null, order: 'desc' },
]

/** The same page, behind the row that the page before it ends with. */
async function statementOf(
  url: string,
  { question: { where, values }, sort: { by, order }, page }: Asked,
  index: number,
): Promise<PeerQuestion> {
  const keys = by === null ? ['l.id'] : [`l.${by}`, 'l.id']
  const ordered = `order by ${keys.map((key) => `${key} ${order}`).join(', ')}`
  const fits = `from catalog.listing l where l.live and not l.taken and ${where}
    ${by === 'wear' ? 'and l.wear is not null' : ''}`
  const [before] =
    page === 1
      ? []
      : await readRows<{ key: string | null; id: string }>(
          url,
          `select ${by === null ? 'null' : `l.${by}::text`} "key", l.id::text ${fits}
           ${ordered} offset ${(page - 1) * PAGE - 1} limit 1`,
          [...values],
        )
  const last = before === undefined ? [] : by === null ? [before.id] : [before.key, before.id]
  const types = by === null ? ['bigint'] : [by === 'wear' ? 'float8' : 'bigint', 'bigint']
  const behind =
    before === undefined
      ? ''
      : `and (${keys.join()}) ${order === 'asc' ? '>' : '<'}
         (${types.map((type, i) => `$${values.length + i + 1}::${type}`).join()})`
  return {
    path: `/${index}`,
    name: `bench_listings_${index}`,
    text: `select coalesce(json_agg(to_json(found)), '[]')::text "rows" from (
      select l.id, l.market, l.item_id, l.price_mills, l.delivery, l.wear, l.paint_seed, l.details
      ${fits} ${behind} ${ordered} limit ${PAGE}) found`,
    values: [...values, ...last],
  }
}

const INDEXES = [
  ...['price_mills', 'wear', 'paint_seed'].map(
    (column) =>
      `create index on catalog.listing (${column}, id) where live and not taken${column === 'price_mills' ? '' : ` and ${column} is not null`}`,
  ),
  'create index on catalog.listing (item_id, wear, id) where live and not taken',
  'create index on catalog.listing (market, delivery, price_mills, id) where live and not taken',
  `create index on catalog.listing using gin ((details -> 'stickers') jsonb_path_ops)`,
]

/** Until there are so many: each as one of the markets’, with a price, a wear and a seed of its own. */
const copiesSql = (size: number): string => `
  update catalog.market set online = true, enabled = true;
  insert into catalog.listing (market, raw_id, item_id, price_mills, delivery, wear_text, wear, paint_seed,
      sticker_count, details, live, changed_at, changed_seq)
    select market, raw_id || '-copy-' || copy, item_id, greatest(1, (price_mills * (0.8 + random()))::bigint),
      delivery, wear_text, case when wear is not null then random() end,
      case when paint_seed is not null then (random() * 1000)::integer end,
      sticker_count, details, live, changed_at, changed_seq
    from catalog.listing,
      generate_series(1, (select greatest(1, ${size} / count(*) - 1) from catalog.listing where live and not taken)) copy
    where live and not taken`
