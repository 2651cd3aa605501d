import assert from 'node:assert/strict'
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, it } from 'node:test'
import { createPlacing, nameAccounts } from '#buying'
import { areOurAddresses } from '#chains'
import { sql } from '#infra/database/db'
import { openRecoveryMark, readHistory } from '#infra/database/recovery-mark'
import { type ManualClock, manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import type { Address } from '#kernel/chain'
import { newId } from '#kernel/id'
import { givenTrade } from '../buying/testing/buyers.ts'
import { scriptedSupplier } from '../buying/testing/supplier.ts'
import { givenSell, place as offer } from '../selling/testing/environment.ts'
import { scriptedPlatform } from '../selling/testing/platform.ts'
import { addressIntent, offerIntent, orderIntent } from './intent-kinds.ts'
import { createConfirmation } from './keep-open.ts'
import { createPlacingGate } from './placing-gate.ts'
import { BOTS, type GateName, PAYMENTS } from './store/gates.ts'
import {
  lostItem,
  noPayments,
  startProcess,
  type TestProcess,
  temporaryFolder,
} from './testing/process.ts'

const GATES: readonly GateName[] = ['market_a', 'market_b', BOTS, PAYMENTS]
const SETTLE_MS = 15 * 60_000

let database: TestDatabase
let clock: ManualClock
let processes: TestProcess[]
let closings: string[]
let skipped: number
/** Of an earlier timeline of the same cluster. */
let earlier: string

before(async () => {
  database = await testDatabase()
  earlier = `${(await readHistory(database.db)).split('/')[0]}/00000000`
})
after(() => database.close())
beforeEach(async () => {
  clock = manualClock(new Date('2026-11-21T12:00:00.000Z'))
  processes = []
  closings = []
  skipped = 0
  await database.db.script(`delete from reconciliation.placing_gate; delete from infra.sender;
    delete from infra.heartbeat;
    update buying.item set due_at = 'infinity', work = 'follow' where work = 'place';
    update selling.sell set waiting = false where waiting`)
})
afterEach(async () => {
  for (const each of processes) await each.close()
})

interface Process extends TestProcess {
  mayPlace(gate?: GateName, account?: string): Promise<boolean>
}

async function start(folder = temporaryFolder()): Promise<Process> {
  const { db } = database
  const process = await startProcess({ db, clock, gates: GATES, folder })
  processes.push(process)
  let text: string | null = null
  const file = {
    read: () => text,
    write: (next: string) => {
      text = next
    },
  }
  const mayPlace = createPlacingGate({
    ...{ db, clock, intents: process.intents },
    mark: openRecoveryMark({ db, clock, file }),
    markets: GATES.map((id) => ({ id, settleMs: SETTLE_MS })),
    lost: {
      ...noPayments,
      addresses: async (at, addresses) => {
        const areOurs = await areOurAddresses(at, addresses as Address[])
        return addresses.filter((_, i) => !areOurs[i])
      },
    },
    skipAddresses: async () => {
      skipped++
    },
    onClosed: ({ market, reason }) => closings.push(`${market}: ${reason}`),
  })
  return { ...process, mayPlace: (gate = 'market_b', account) => mayPlace(gate, account) }
}

const MOVE_GATES = sql('test.move_gates', 'update reconciliation.placing_gate set history = $1')
const MOVE_SENDERS = sql('test.move_senders', 'update infra.sender set history = $1')

/** As if all of this had happened in an earlier timeline: the database has been promoted since. */
async function promote(...living: readonly Process[]): Promise<void> {
  for (const gate of GATES) await living[0]?.mayPlace(gate)
  await database.db.query(MOVE_GATES, [earlier])
  await database.db.query(MOVE_SENDERS, [earlier])
  for (const { intents } of living) await intents.confirm(earlier)
}

const bought = () => givenTrade({ db: database.db, clock }, { externalId: `wanted-${newId()}` })

const waitingItem = async (): Promise<string> => (await bought()).itemId

/** The id of an item that it has placed. */
const placedBy = async (process: Process): Promise<string> => {
  const { db } = database
  const { itemId } = await bought()
  const { intents } = process
  await createPlacing({
    ...{ db, clock, market: scriptedSupplier(), concurrency: 1 },
    isMarketAvailable: async () => true,
    intents: {
      isReady: intents.isReady,
      note: (order) => intents.note(orderIntent(order)),
    },
    holdMs: 60_000,
    leaseMs: 30_000,
    giveUpMs: 900_000,
    onCase: () => {},
  })(new AbortController().signal)
  return itemId
}

const lostOrder = (market: 'market_a' | 'market_b') =>
  orderIntent({
    ...{ market, itemId: newId(), attempt: 1, begunAt: clock.now() },
    ...lostItem(),
  })

const linesOf = ({ folder }: TestProcess): Record<string, unknown>[] =>
  readdirSync(folder)
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line.slice(9)).intent)
    .filter((intent) => intent !== undefined)

it('every gate stays open once each process has found what it had sent, and no address is left out', async () => {
  const [one, other] = [await start(), await start()]
  const itemId = await placedBy(one)
  await placedBy(other)
  await promote(one, other)
  assert.equal(await one.mayPlace(), false)
  assert.equal(await one.mayPlace(), false, 'the other has not said so yet')
  assert.equal(await other.mayPlace(), false)
  for (const gate of GATES) await one.mayPlace(gate)
  for (const gate of GATES) assert.equal(await one.mayPlace(gate), true)
  assert.equal(await other.mayPlace(), true)
  assert.deepEqual([closings, skipped], [[], 0])
  const [line] = linesOf(one)
  assert.equal(line?.account, 'main')
  assert.match(String(line?.externalId), /^wanted-/)
  assert.deepEqual([line?.itemId, line?.attempt], [itemId, 1])
})

it('one order that the history lacks closes the gate of its market alone', async () => {
  const [one, other] = [await start(), await start()]
  await placedBy(one)
  assert.equal(other.intents.note(lostOrder('market_a')), true)
  await promote(one, other)
  await one.mayPlace()
  await other.mayPlace()
  assert.deepEqual(closings, ['market_a: intents lost'])
  for (const gate of GATES) await one.mayPlace(gate)
  assert.deepEqual(await Promise.all(GATES.map((gate) => one.mayPlace(gate))), [
    ...[false, true, true, true],
  ])
  assert.deepEqual(closings, ['market_a: intents lost'])
})

it('an order of one account that the history lacks closes the gate for that account alone', async () => {
  const { db } = database
  await nameAccounts(db, [
    { market: 'market_b', account: 'second' },
    { market: 'market_b', account: 'third' },
  ])
  const [one, other] = [await start(), await start()]
  one.intents.note({ ...lostOrder('market_b'), account: 'second' })
  await promote(one, other)
  await one.mayPlace()
  await other.mayPlace()
  const open = (accounts: readonly string[]) =>
    Promise.all(accounts.map((account) => one.mayPlace('market_b', account)))
  assert.deepEqual(await open(['main', 'second', 'third']), [true, false, true])
  // A process that was slow finds that it had sent with another one.
  const late = await start()
  late.intents.note({ ...lostOrder('market_b'), account: 'third' })
  await late.intents.confirm(earlier)
  await late.mayPlace()
  assert.deepEqual(await open(['main', 'second', 'third']), [true, false, false])
  assert.deepEqual(closings, ['market_b: intents lost', 'market_b: intents lost'])
})

it('a failover that harms one account opens a gate for none that an earlier closing still waits for', async () => {
  const { db } = database
  await nameAccounts(db, [
    { market: 'market_b', account: 'second' },
    { market: 'market_b', account: 'third' },
  ])
  const one = await start()
  one.intents.note({ ...lostOrder('market_b'), account: 'second' })
  await promote(one)
  await one.mayPlace()
  // No statement has been compared when the database is promoted again.
  await database.db.script('delete from infra.sender')
  const next = await start()
  next.intents.note({ ...lostOrder('market_b'), account: 'third' })
  await promote(next)
  await next.mayPlace()
  assert.deepEqual(closings, ['market_b: intents lost', 'market_b: intents lost'])
  const open = ['main', 'second', 'third'].map((account) => next.mayPlace('market_b', account))
  assert.deepEqual(await Promise.all(open), [true, false, false])
})

it('an order that was begun again is lost when only its earlier beginning is there', async () => {
  const one = await start()
  await placedBy(one)
  const [line] = linesOf(one)
  const later = new Date(clock.now().getTime() + 1000).toISOString()
  one.intents.note({ ...line, gate: 'market_b', begunAt: later })
  await promote(one)
  await one.mayPlace()
  assert.deepEqual(closings, ['market_b: intents lost'])
})

it('an order of a listing that was replaced since is not lost', async () => {
  const one = await start()
  const itemId = await placedBy(one)
  await database.db.query(REPLACE, [itemId])
  await promote(one)
  await one.mayPlace()
  assert.deepEqual(closings, [])
})
const REPLACE = sql(
  'test.replace_listing',
  `with item as (update buying.item set attempt = 2, work = 'follow' where id = $1 returning id)
   delete from buying.supplier_order o using item where o.item_id = item.id`,
)

it('an offer that the history lacks closes the gate of the bots, one that it has does not', async () => {
  const [one, other] = [await start(), await start()]
  const at = { database, clock, platform: scriptedPlatform(), cases: [] }
  const { receipt } = await givenSell(at)
  await offer(at, async () => true)
  const [sent] = await database.db.query<{ id: string }>(OFFER_OF, [receipt.tradeId])
  const intent = {
    ...{ offerIntentId: sent?.id ?? '', botId: '1', tradeId: receipt.tradeId, itemIds: [newId()] },
    ...{ tenantId: newId(), accountId: newId(), externalId: null },
  }
  one.intents.note(offerIntent(intent))
  await promote(one, other)
  await one.mayPlace(BOTS)
  assert.deepEqual(closings, [])
  other.intents.note(offerIntent({ ...intent, offerIntentId: newId() }))
  await other.mayPlace(BOTS)
  assert.deepEqual(closings, ['bots: intents lost'])
})
const OFFER_OF = sql('test.offer_of', 'select id from selling.offer where trade_id = $1')

it('an address that the history lacks closes payments, and addresses are left out', async () => {
  const one = await start()
  one.intents.note(addressIntent({ address: `0x${'1'.repeat(40)}`, accountId: newId() }))
  await promote(one)
  await one.mayPlace()
  assert.deepEqual([closings, skipped], [['payments: intents lost'], 1])
})

it('a process that stays silent closes, after ten seconds, the gates that it had sent for', async () => {
  const one = await start()
  const killed = await start(one.folder)
  killed.intents.note(lostOrder('market_a'))
  await promote(one, killed)
  for (const gate of GATES) await one.mayPlace(gate)
  clock.advance(9_999)
  for (const gate of GATES) await one.mayPlace(gate)
  assert.deepEqual(closings, [])
  assert.equal(await one.mayPlace('market_a'), false)
  assert.equal(await one.mayPlace('market_b'), true, 'for which it had sent nothing')
  clock.advance(1)
  for (const gate of GATES) await one.mayPlace(gate)
  assert.deepEqual(closings, ['market_a: process silent'])
})

it('what a silent process had sent is known by its files: the rest is placed at once', async () => {
  const one = await start()
  const killed = await start(one.folder)
  const [sent, waiting] = [await waitingItem(), await waitingItem()]
  killed.intents.note({ ...lostOrder('market_b'), itemId: sent })
  await promote(one, killed)
  await one.mayPlace()
  clock.advance(10_000)
  await one.mayPlace()
  assert.deepEqual(closings, ['market_b: process silent'])
  assert.equal(await one.mayPlace(), true)
  assert.deepEqual(await workOf(sent), { work: 'follow', state: 'unknown' }, 'it is looked up')
  assert.deepEqual(await workOf(waiting), { work: 'place', state: 'not_sent' })
})

it('what an earlier closing holds back stays so when a silent process is known by its files', async () => {
  const one = await start()
  const held = await waitingItem()
  one.intents.note(lostOrder('market_b'))
  await promote(one)
  await one.mayPlace()
  await database.db.script('delete from infra.sender')
  const next = await start()
  const killed = await start(next.folder)
  killed.intents.note(lostOrder('market_b'))
  await promote(next, killed)
  await next.mayPlace()
  clock.advance(10_000)
  await next.mayPlace()
  assert.deepEqual(closings, ['market_b: intents lost', 'market_b: process silent'])
  assert.equal(await next.mayPlace(), false)
  assert.deepEqual(await workOf(held), { work: 'follow', state: 'unknown' })
})

it('a lost offer of a silent process keeps the gate of the bots closed, a known one does not', async () => {
  const one = await start()
  const killed = await start(one.folder)
  const intent = {
    ...{ offerIntentId: newId(), botId: '1', tradeId: newId(), itemIds: [newId()] },
    ...{ tenantId: newId(), accountId: newId(), externalId: null },
  }
  killed.intents.note(offerIntent(intent))
  await promote(one, killed)
  await one.mayPlace(BOTS)
  clock.advance(10_000)
  await one.mayPlace(BOTS)
  assert.equal(await one.mayPlace(BOTS), false)
})

const WORK = sql(
  'test.work_of',
  `select i.work, o.state from buying.item i left join buying.supplier_order o on o.item_id = i.id where i.id = $1`,
)
async function workOf(itemId: string): Promise<unknown> {
  const [row] = await database.db.query<{ work: string; state: string }>(WORK, [itemId])
  return { work: row?.work, state: row?.state }
}

it('of a silent process whose files are elsewhere, or damaged, every gate is closed', async () => {
  const [one, killed] = [await start(), await start()]
  await promote(one, killed)
  await one.mayPlace()
  clock.advance(10_000)
  for (const gate of GATES) await one.mayPlace(gate)
  assert.deepEqual(
    closings,
    GATES.map((gate) => `${gate}: process silent`),
  )
})

it('a silent process of an earlier release closes every gate', async () => {
  const one = await start()
  await promote(one)
  await database.db.query(BEAT_OF_EARLIER, [clock.now()])
  await one.mayPlace()
  clock.advance(10_000)
  await one.mayPlace()
  assert.deepEqual(closings, ['market_b: process silent'])
})
const BEAT_OF_EARLIER = sql(
  'test.beat_of_earlier',
  `insert into infra.heartbeat (job, process_id, started_at, beat_at) values ('keep-recovery-mark', 'old', $1, $1)`,
)

it('a process that was killed long before is not waited for', async () => {
  const [one, killed] = [await start(), await start()]
  killed.intents.note(lostOrder('market_a'))
  await database.db.script(
    `update infra.sender set beat_at = beat_at - interval '61 seconds' where history is not null`,
  )
  // Thirty seconds after its last beat nothing of it may leave.
  clock.advance(30_000)
  assert.equal(killed.intents.isReady(), false)
  assert.equal(killed.intents.note(lostOrder('market_a')), false)
  await one.intents.beat()
  await promote(one)
  for (const gate of GATES) await one.mayPlace(gate)
  for (const gate of GATES) assert.equal(await one.mayPlace(gate), true)
  assert.deepEqual(closings, [])
})

it('a process that comes back late closes the gate that was kept open without it', async () => {
  const [one, late] = [await start(), await start()]
  late.intents.note(lostOrder('market_b'))
  await promote(one, late)
  await database.db.script(`delete from infra.sender where history like '%/00000000'`)
  await one.mayPlace()
  await one.mayPlace()
  assert.equal(await one.mayPlace(), true)
  assert.equal(await late.mayPlace(), false)
  assert.equal(await one.mayPlace(), false)
  assert.deepEqual(closings, ['market_b: intents lost'])
})

for (const [what, damage] of [
  ['a damaged line', (path: string) => writeFileSync(path, corrupt(readFileSync(path, 'utf8')))],
  ['a missing line', (path: string) => writeFileSync(path, shorten(readFileSync(path, 'utf8')))],
  ['a foreign line', (path: string) => appendFileSync(path, 'anything\n')],
] as const) {
  it(`${what} in its file closes every gate`, async () => {
    const one = await start()
    await placedBy(one)
    const [name = ''] = readdirSync(one.folder)
    damage(join(one.folder, name))
    await promote(one)
    await one.mayPlace()
    assert.deepEqual(
      closings,
      GATES.map((gate) => `${gate}: intents damaged`),
    )
  })
}
const corrupt = (text: string): string => text.replace('"kind":"order"', '"kind":"orde "')
const shorten = (text: string): string => text.split('\n').slice(0, -2).join('\n').concat('\n')

it('another cluster closes every gate', async () => {
  const { intents } = await start()
  await createConfirmation({
    ...{ db: database.db, clock, intents, lost: noPayments },
    markets: GATES.map((id) => ({ id, settleMs: SETTLE_MS })),
    skipAddresses: async () => {},
    onClosed: ({ market, reason }) => closings.push(`${market}: ${reason}`),
  })('1/00000001')
  assert.deepEqual(
    closings,
    GATES.map((gate) => `${gate}: another cluster`),
  )
})

it('a gate that was closed before stays closed in a history that lost nothing', async () => {
  const one = await start()
  await promote(one)
  await database.db.script(
    `update reconciliation.placing_gate set closed_at = now() where market = 'market_b'`,
  )
  await one.mayPlace()
  assert.equal(await one.mayPlace(), false)
  assert.deepEqual(closings, [])
})
