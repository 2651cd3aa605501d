// A merchant that trades while migrations run, by the statements that processes of the first release and of
// this one have in common: it buys, the trade ends, its events are dispatched and their deliveries made.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

export interface Trader {
  /** The longest that one of its statements took since this was asked last. */
  longestMs(): number
  /** Resolves once it has ended so many trades more. Throws what has stopped it. */
  untilTraded(count: number): Promise<void>
  /** What it has done. Throws what has stopped it, and when an event of its was not delivered, or twice. */
  stop(): Promise<string>
}

const PAUSE_MS = 5

/** On an installation that was filled. */
export async function startTrader(url: string): Promise<Trader> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  let isStopping = false
  let longest = 0
  const trades: string[] = []
  const timed = async <Row extends object>(text: string, values: unknown[] = []) => {
    const startedAt = performance.now()
    const rows = await repeated<Row>(client, text, values)
    longest = Math.max(longest, performance.now() - startedAt)
    return rows
  }
  const deliver = async (): Promise<number> => {
    const claimed = await timed<{ id: string }>(CLAIM)
    await timed(DELIVER, [claimed.map(({ id }) => id)])
    return claimed.length
  }
  const trading = (async () => {
    const { rows: buyers } = await client.query(BUYERS)
    const { rows: listings } = await client.query(LISTINGS)
    while (!isStopping) {
      const [buyer, listing] = [trades.length % buyers.length, trades.length % listings.length]
      const values = [...Object.values(buyers[buyer]), ...Object.values(listings[listing])]
      const [trade] = await timed<{ id: string }>(BUY, [...values, `drill-${trades.length}`])
      await timed(END, [trade?.id])
      await timed(DISPATCH)
      await deliver()
      trades.push(trade?.id ?? '')
      await sleep(PAUSE_MS)
    }
    // A claim takes one event of a trade: those of the last trades wait still.
    while ((await deliver()) > 0);
  })()
  const failed = trading.then(() => new Promise<never>(() => {}))
  failed.catch(() => {})
  return {
    longestMs: () => {
      const was = longest
      longest = 0
      return was
    },
    untilTraded: async (count) => {
      const enough = trades.length + count
      while (trades.length < enough) await Promise.race([failed, sleep(PAUSE_MS)])
    },
    stop: async () => {
      isStopping = true
      await trading
      const { rows } = await client.query<{ events: number; once: number }>(COUNT, [trades])
      await client.end()
      const { events = 0, once = 0 } = rows[0] ?? {}
      if (events !== EVENTS_OF_TRADE * trades.length || once !== events) {
        throw new Error(`of ${trades.length} trades ${events} events, ${once} delivered once`)
      }
      return `${trades.length} trades were made meanwhile, each of their ${events} events delivered once`
    },
  }
}

const DEADLOCK = '40P01'

/** Again where a deadlock has ended it, as processes of the service do. */
export async function repeated<Row extends object>(
  client: pg.Client,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  for (;;) {
    try {
      return (await client.query<Row>(text, values)).rows
    } catch (error) {
      if (!(error instanceof pg.DatabaseError && error.code === DEADLOCK)) throw error
    }
  }
}

/** Initiated, canceled, refunded. */
const EVENTS_OF_TRADE = 3

const BUYERS = `
  select a.parent_id, a.id, t.platform_id, t.url from identity.account a
  join identity.trade_url t on t.account_id = a.id and t.is_primary order by a.id limit 100`
const LISTINGS = `
  select id, market, raw_id, item_id, price_mills from catalog.listing where live and not taken order by id limit 500`
const BUY = `
  select trade_id id from buying.place_buy($1, $2, $3, $4, $10, '\\x00', 'cs2', 'USD', null, uuidv7(), now(),
    array[null::text], array[$5::bigint], array[$6], array[$7], array[$8], array['{"name": "AK-47 | Redline"}'::jsonb],
    array[$9::bigint], array[($9::bigint + 9) / 10 + 5], array[5::bigint], array[0::bigint])`
const END = `
  select buying.end_unplaced(array(select id from trades.item where trade_id = $1), 'canceled', now(), null, null)`
const DISPATCH = `
  insert into webhooks.delivery (endpoint_id, event_id, webhook_id, event_type, tenant_id, account_id, subject_id,
    payload, status, due_at, created_at)
  select w.id, e.id, e.public_id, e.type, e.tenant_id, e.account_id, e.subject_id, e.payload, 'pending', now(),
    e.created_at
  from outbox.dispatch(500, now()) e join webhooks.endpoint w on w.tenant_id = e.tenant_id
  order by e.id on conflict (endpoint_id, event_id) do nothing`
const CLAIM = `
  select id from webhooks.claim(now(), now() + interval '30 seconds', 256, 128, 8, 256, 256, 256, '{}', '{}', '{}')`
const DELIVER = `
  with ended as (
    update webhooks.delivery set status = 'delivered', attempts = attempts + 1, finished_at = now(), leased_until = null
    where id = any ($1::uuid[]) returning id)
  insert into webhooks.attempt (delivery_id, number, manual, started_at, duration_ms, request_headers, request_body,
    response_status)
  select id, 1, false, now(), 12, '{"webhook-id": "x"}', 'sent', 204 from ended`
const COUNT = `
  select count(*)::int events, (count(*) filter (where sent = 1))::int once from (
    select (select count(*) from webhooks.delivery d join webhooks.attempt a on a.delivery_id = d.id
      where d.event_id = e.id and d.status = 'delivered') sent
    from outbox.event e where e.subject_id = any ($1::uuid[])) event`
