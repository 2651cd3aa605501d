// A database restored from a copy: everything committed after the copy is lost, the suppliers remember it.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import {
  type EmbeddedPostgres,
  startPostgres,
} from '../../../apps/server/embedded-postgres/postgres.ts'
import { sql } from '../../../apps/server/src/infra/database/db.ts'
import { MARKETS, type SandboxOffer } from '../../support/sandbox.ts'
import {
  aBuyer,
  type Bought,
  buyNext,
  buyRaw,
  linkSeller,
  platformIdOf,
  sellItems,
  stock,
  tradeUrl,
  untilStatus,
} from '../../support/trading.ts'
import { until } from '../../support/until.ts'
import {
  adoptAll,
  buyByTurns,
  compareLost,
  itemIds,
  type LoggedBuy,
  listUnmatched,
  ordersOf,
} from '../actors/after-restore.ts'
import { type OwnInstallation, startInstallation } from '../worlds/installation.ts'

let all: OwnInstallation
let postgres: EmbeddedPostgres

before(async () => {
  all = await startInstallation({ sandbox: { SANDBOX_LISTINGS: '3000' } })
  postgres = all.postgres
})
after(async () => {
  await all.workers.stop()
  await all.apis.stop()
  await postgres.stop()
  await all.close()
})

const dataOf = (name: string): string => join(all.folder, name)

/** Stops PostgreSQL, runs `work` on its files, and starts it again at the same address. */
async function whileStopped(work: () => void): Promise<void> {
  const { url } = postgres
  await postgres.stop()
  work()
  postgres = await startPostgres({
    folder: dataOf('postgres'),
    sharedBuffersMb: 64,
    maxConnections: 100,
  })
  assert.equal(postgres.url, url)
}

const buys = async (perMarket: number): Promise<Bought[]> => {
  const bought: Bought[] = []
  for (const market of MARKETS) {
    const supply = await stock(all.sandbox.control, market)
    for (let n = 0; n < perMarket; n++) bought.push(await buyNext(all.merchant, { market, supply }))
  }
  return bought
}

let sellers = 0

/** A user who accepts at once. A worker looks the trade URL up. */
async function openSeller(): Promise<number> {
  const partner = 70_000_001 + sellers++
  const behalf = sellerOf(partner)
  await all.merchant.get('createSubUser', { body: { externalId: behalf } })
  await linkSeller(all.merchant, behalf, tradeUrl('accept00', partner))
  return partner
}

/** An item of a user that the bots take. */
const quoted = async (behalf: string) =>
  (await all.merchant.get('getSellInventory', { behalf })).items.find(({ accepted }) => accepted)

const sellerOf = (partner: number): string => `restored-seller-${partner}`

/** Sells one item of a user; the sell, and what the bots have offered to that user. */
async function sellOne(
  partner: number,
): Promise<{ id: string; offers: () => Promise<SandboxOffer[]> }> {
  const behalf = sellerOf(partner)
  const item = await quoted(behalf)
  assert.ok(item)
  const { id } = await sellItems(all.merchant, behalf, [item])
  const platformId = platformIdOf(partner)
  const offers = async () =>
    (await all.sandbox.control.offers()).filter((offer) => offer.platformId === platformId)
  return { id, offers }
}

const GATES = sql(
  'test.gates',
  'select market, closed_at "closedAt" from reconciliation.placing_gate order by market',
)
const gates = () => all.db.query<{ market: string; closedAt: Date | null; history: string }>(GATES)

/** Writes down in which order gates are closed and opened and orders are begun, from now on. */
const WATCH = `create table public.test_step (id bigint generated always as identity, market text, what text);
  create function public.test_gate() returns trigger language plpgsql as $$ begin
    insert into public.test_step (market, what)
      values (new.market, case when new.closed_at is null then 'opened' else 'closed' end);
    return null;
  end $$;
  create function public.test_order() returns trigger language plpgsql as $$ begin
    insert into public.test_step (market, what) values (new.market, 'begun');
    return null;
  end $$;
  create trigger test_gate after insert or update on reconciliation.placing_gate
    for each row execute function public.test_gate();
  create trigger test_order after insert or update of state on buying.supplier_order
    for each row when (new.state = 'placing') execute function public.test_order()`

const STEPS = sql('test.steps', 'select market, what from public.test_step order by id')

const SUB_USER = 'user-after-the-copy'

/** Another listing under the external id of a lost order would be a second item. */
async function refuseUntilCompared(lost: LoggedBuy | undefined): Promise<void> {
  assert.ok(lost)
  const { market, externalId } = lost
  const [listing] = await all.sandbox.control.listings(market, 1)
  const { error } = await buyRaw(all.merchant, { raw: [`${market}:${listing?.id}`], externalId })
  assert.equal(error?.key, 'SERVICE_DISABLED', 'no worker has compared the database yet')
}

it('places nothing twice: what the suppliers have is followed, and what they lack is placed', async () => {
  // A gate for each market, one for the bots and one for payments.
  await until(
    'purchases and sells are allowed',
    async () => (await gates()).length === MARKETS.length + 2,
  )
  const partners = [await openSeller(), await openSeller()] as const
  // From then on the trade URL of all buys is known.
  await until('a buy is accepted', () => buys(1))
  // Waiting to be placed at the moment of the copy.
  await all.workers.drain()
  const waiting = await buys(2)
  const waitingIds = await itemIds(all.merchant, waiting)
  const sells = [await sellOne(partners[0]), await sellOne(partners[1])]
  await all.apis.drain()
  await whileStopped(() => execFileSync('cp', ['-a', dataOf('postgres'), dataOf('copy')]))

  // Placed, and bought, after it.
  await Promise.all([all.apis.revive(), all.workers.revive()])
  // Their items go to the bots, and the database forgets it.
  for (const { id } of sells) await untilStatus(all.merchant, id, ['hold', 'completed'])
  await until(
    'the suppliers have an order for each',
    async () => (await ordersOf(all, waitingIds)).length === waitingIds.length,
    { everyMs: 200 },
  )
  // By the merchant, and by a sub-user that the restore loses too.
  const lost = await buyByTurns(all, {
    ...{ name: 'lost', count: MARKETS.length },
    behalves: [undefined, await aBuyer(all.merchant, SUB_USER, '900.00')],
  })
  const lostIds = await itemIds(all.merchant, lost)
  for (const { receipt } of lost) await untilStatus(all.merchant, receipt.id, ['hold', 'completed'])
  await Promise.all([all.workers.drain(), all.apis.drain()])

  await whileStopped(() => {
    rmSync(dataOf('postgres'), { recursive: true })
    execFileSync('mv', [dataOf('copy'), dataOf('postgres')])
  })
  await all.db.script(WATCH)
  const ordersBefore = (await all.sandbox.control.orders()).length
  await all.apis.revive()
  await refuseUntilCompared(lost[0])
  await all.workers.revive()
  for (const { receipt } of waiting) await untilStatus(all.merchant, receipt.id, ['completed'])
  for (const { id, offers } of sells) {
    await untilStatus(all.merchant, id, ['completed'])
    assert.equal((await offers()).length, 1, 'the seller was asked once')
  }
  const orders = await ordersOf(all, waitingIds)
  assert.deepEqual(
    orders.map(({ customId }) => customId).sort(),
    [...waitingIds].sort(),
    'each item was ordered once',
  )
  const steps = await all.db.query<{ market: string; what: string }>(STEPS)
  for (const market of MARKETS) {
    const [first, then] = steps.filter((step) => step.market === market)
    assert.deepEqual(
      [first?.what, then?.what],
      ['closed', 'opened'],
      `${market}: nothing is begun before its statement was compared`,
    )
  }
  await until(
    'the purchases whose trades are lost are cases with a name',
    async () => {
      const unmatched = await listUnmatched(all.db)
      return lost.every(({ externalId }, i) =>
        unmatched.some((each) => each.customId === lostIds[i] && each.externalId === externalId),
      )
    },
    { everyMs: 500 },
  )
  await compareLost(all.merchant, lost)
  await aBuyer(all.merchant, SUB_USER, '900.00')
  await adoptAll(all.merchant, lost)
  const placedSince = (await all.sandbox.control.orders()).length - ordersBefore
  assert.equal(placedSince, 0, 'nothing was bought that had been bought before')
  // A statement that was read before the gates closed shows orders of items that waited, until the next one.
  await until(
    'every unmatched purchase is adopted, or is none',
    async () => (await listUnmatched(all.db)).every(({ state }) => state !== 'open'),
    { everyMs: 500 },
  )
  for (const { receipt } of await buys(1)) {
    await untilStatus(all.merchant, receipt.id, ['completed'])
  }
})
