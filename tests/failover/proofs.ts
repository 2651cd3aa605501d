// What must hold after all failures, each broken promise in a sentence.
import { type Db, sql } from '../../apps/server/src/infra/database/db.ts'
import type { Control } from '../support/sandbox.ts'
import { auditBooks } from '../support/stack.ts'
import { until } from '../support/until.ts'
import type { Buys } from './buys.ts'

const READ_TRADES = sql(
  'drill.read_trades',
  `select t.external_id "externalId", t.id::text "tradeId", i.id::text "itemId", i.status
   from trades.trade t join trades.item i on i.trade_id = t.id where t.external_id like 'drill-%'`,
)
const COUNT_UNPLACED = sql(
  'drill.count_unplaced',
  `select count(*)::int count from buying.item where work = 'place'
     or exists (select from buying.supplier_order o where o.item_id = item.id and o.state in ('placing', 'unknown'))`,
)
const LIST_CASES = sql(
  'drill.list_cases',
  `select kind, count(*)::int count from reconciliation.case_file where state = 'open' group by kind`,
)

interface Row {
  readonly externalId: string
  readonly tradeId: string
  readonly itemId: string
  readonly status: string
}

/** What was acknowledged, and is not in the database under the id that was answered. */
export async function listLost({
  db,
  buys,
}: {
  readonly db: Db
  readonly buys: Buys
}): Promise<string[]> {
  const tradeOf = new Map(
    (await db.query<Row>(READ_TRADES)).map(({ externalId, tradeId }) => [externalId, tradeId]),
  )
  return [...buys.acknowledged]
    .filter(([externalId, tradeId]) => tradeOf.get(externalId) !== tradeId)
    .map(([externalId]) => externalId)
}

export async function prove({
  db,
  buys,
  control,
}: {
  readonly db: Db
  readonly buys: Buys
  readonly control: Control
}): Promise<string[]> {
  const broken: string[] = [...buys.outsideEnvelope.map((one) => `outside the envelope: ${one}`)]
  await until(
    'everything that was bought is placed',
    async () => (await db.query<{ count: number }>(COUNT_UNPLACED))[0]?.count === 0,
    { deadlineMs: 180_000 },
  )
  const rows = await db.query<Row>(READ_TRADES)
  const trades = Map.groupBy(rows, ({ externalId }) => externalId)
  for (const externalId of await listLost({ db, buys }))
    broken.push(`${externalId} was acknowledged and is lost`)
  const orders = Map.groupBy(await control.orders(), ({ customId }) => customId ?? '')
  for (const [externalId, found] of trades)
    if (found.length > 1) broken.push(`${externalId} was bought ${found.length} times`)
  for (const { externalId, itemId, status } of rows) {
    const count = orders.get(itemId)?.length ?? 0
    const isRefused = status === 'failed' || status === 'canceled'
    if (count > 1) broken.push(`${externalId} has ${count} orders at its market`)
    if (count === 0 && !isRefused) broken.push(`${externalId} (${status}) has no order`)
  }
  const items = new Set(rows.map(({ itemId }) => itemId))
  for (const customId of orders.keys())
    if (!items.has(customId)) broken.push(`the order ${customId} has no item`)
  for (const { kind, count } of await db.query<{ kind: string; count: number }>(LIST_CASES))
    broken.push(`${count} open cases ${kind}`)
  await auditBooks({ db }).catch((error: unknown) => broken.push(String(error)))
  return broken
}
