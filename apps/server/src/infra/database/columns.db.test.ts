import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Cents, cents } from '#kernel/money'
import { testDatabase } from '../testing/database.ts'
import { bool, columns, int, json, type Row, text, time } from './columns.ts'
import { sql } from './db.ts'

const { db, close } = await testDatabase()
after(close)

interface Order {
  readonly id: string
  readonly state: 'open' | 'done'
  readonly amountCents: Cents
  readonly feeCents: Cents | null
  readonly usdE8: bigint
  readonly count: number
  readonly isPaid: boolean
  readonly placedAt: Date
  readonly tags: readonly string[]
}

const ORDER = columns<Order>('o.', {
  id: text,
  state: text,
  amountCents: ['o.amount', cents],
  feeCents: cents,
  usdE8: BigInt,
  count: int,
  isPaid: ['o.paid_at is not null', bool],
  placedAt: time,
  tags: json,
})

const ORDERS = `(values
  ('a', 'open', 250::bigint, null::bigint, 100000000::numeric, 1, now(), timestamptz '2026-01-02', '{x,y}'::text[]),
  ('b', 'done', 0, 5, 7, 2, null, '2026-01-03', '{}'))
  o (id, state, amount, fee_cents, usd_e8, count, paid_at, placed_at, tags)`
const LIST = sql('', `select ${ORDER.list} from ${ORDERS} order by o.id`)
const NONE = sql('', `select ${ORDER.list} from ${ORDERS} where o.id = $1`)

const A: Order = {
  id: 'a',
  state: 'open',
  amountCents: cents(250n),
  feeCents: null,
  usdE8: 100_000_000n,
  count: 1,
  isPaid: true,
  placedAt: new Date('2026-01-02T00:00:00Z'),
  tags: ['x', 'y'],
}
const B: Order = {
  id: 'b',
  state: 'done',
  amountCents: cents(0n),
  feeCents: cents(5n),
  usdE8: 7n,
  count: 2,
  isPaid: false,
  placedAt: new Date('2026-01-03T00:00:00Z'),
  tags: [],
}

test('a column is listed under the name of its property, with its own name or its expression', () => {
  assert.equal(
    ORDER.list,
    'o.id, o.state, o.amount "amountCents", o.fee_cents "feeCents", o.usd_e8 "usdE8", o.count, ' +
      'o.paid_at is not null "isPaid", o.placed_at "placedAt", o.tags',
  )
  assert.equal(
    columns<Pick<Order, 'id' | 'feeCents'>>('', { id: text, feeCents: cents }).list,
    'id, fee_cents "feeCents"',
  )
})

test('each column is read by its reader, and null stays null', async () => {
  assert.deepEqual(await db.transaction((tx) => ORDER.all(tx, LIST)), [A, B])
  assert.deepEqual(await ORDER.first(db, LIST), A)
  assert.equal(await ORDER.first(db, NONE, ['c']), null)
})

test('of a row with more columns only those that are named are taken', async () => {
  const more = sql(
    '',
    `select o.count + 1 more, ${ORDER.list} from ${ORDERS} order by o.id limit 1`,
  )
  const [row] = await db.query<Row<Order> & { more: number }>(more)
  assert.deepEqual(row && { order: ORDER.of(row), more: row.more }, { order: A, more: 2 })
})

test('what the columns give is made into something else, row by row', async () => {
  const price = ORDER.to(({ id, amountCents: amount, feeCents: fee }) => ({
    id,
    price: { amount, fee },
  }))
  assert.equal(price.list, ORDER.list)
  assert.deepEqual(await price.all(db, LIST), [
    { id: 'a', price: { amount: 250n, fee: null } },
    { id: 'b', price: { amount: 0n, fee: 5n } },
  ])
})

test('a reader of another type than that of its property does not compile', () => {
  type Takes<T extends object, S> = S extends Parameters<typeof columns<T>>[1] ? true : false
  type Amount = Pick<Order, 'amountCents'>
  const its: Takes<Amount, { amountCents: typeof cents }> = true
  const textOfAmount: Takes<Amount, { amountCents: typeof text }> = false
  const numberWithoutUnit: Takes<Amount, { amountCents: typeof BigInt }> = false
  const numberOfText: Takes<Pick<Order, 'id'>, { id: typeof int }> = false
  const withoutColumn: Takes<Pick<Order, 'id' | 'count'>, { id: typeof text }> = false
  const refused = [textOfAmount, numberWithoutUnit, numberOfText, withoutColumn]
  assert.deepEqual([its, ...refused], [true, false, false, false, false])
})
