import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newId } from '#kernel/id'
import { manualClock } from '../testing/clock.ts'
import { testDatabase } from '../testing/database.ts'
import { createReserveFairSlot, createReserveSlot, type Slot } from './call-slots.ts'

const { db, close } = await testDatabase({ poolSize: 20 })
after(close)

/** Null when it was refused. */
const waitOf = (slot: Slot): number | null => (slot.kind === 'granted' ? slot.waitMs : null)

test('slots of one budget are reserved one spacing apart, over all callers', async () => {
  const clock = manualClock()
  const reserve = createReserveSlot({ db, clock })
  const name = newId()
  const slots = await Promise.all(Array.from({ length: 10 }, () => reserve(name, 260)))
  const waits = slots
    .map((slot) => (slot.kind === 'granted' ? slot.waitMs : -1))
    .sort((a, b) => a - b)
  assert.deepEqual(
    waits,
    Array.from({ length: 10 }, (_, i) => i * 260),
  )
})

test('no slot is reserved further ahead than the caller would wait', async () => {
  const clock = manualClock()
  const reserve = createReserveSlot({ db, clock })
  const name = newId()
  const kinds = []
  for (let i = 0; i < 5; i++) kinds.push((await reserve(name, 100, { maxWaitMs: 250 })).kind)
  assert.deepEqual(kinds, ['granted', 'granted', 'granted', 'refused', 'refused'])
  clock.advance(300)
  assert.equal(waitOf(await reserve(name, 100, { maxWaitMs: 250 })), 0)
})

test('a slot that is given back is free again, unless a later one was reserved since', async () => {
  const clock = manualClock()
  const reserve = createReserveSlot({ db, clock })
  const name = newId()
  const take = async () => {
    const slot = await reserve(name, 100)
    assert.ok(slot.kind === 'granted')
    return slot
  }
  const [first, last] = [await take(), await take()]
  await first.giveBack()
  assert.equal((await take()).waitMs, 200, 'it would be taken twice')
  const [, again] = [await last.giveBack(), await take()]
  assert.equal(again.waitMs, 300)
  await again.giveBack()
  assert.equal((await take()).waitMs, 300)
})

test('an unused budget does not save up slots', async () => {
  const clock = manualClock()
  const reserve = createReserveSlot({ db, clock })
  const name = newId()
  await reserve(name, 100)
  clock.advance(60_000)
  assert.equal(waitOf(await reserve(name, 100)), 0)
  assert.equal(waitOf(await reserve(name, 100)), 100)
})

test('a tenant that asks without end leaves the others their turns, and nothing unused', async () => {
  const clock = manualClock()
  const reserve = createReserveFairSlot(createReserveSlot({ db, clock }))
  const name = newId()
  const [greedy, modest] = [newId(), newId()]
  const ask = async (tenantId: string) =>
    (await reserve(name, 1000, { tenantId, maxWaitMs: 3000 })).kind
  const counts = { greedy: 0, modest: 0 }
  const seconds = 60
  for (let second = 0; second < seconds; second++) {
    for (let i = 0; i < 4; i++) if ((await ask(greedy)) === 'granted') counts.greedy++
    if (second % 4 === 0 && second > 4) {
      assert.equal(await ask(modest), 'granted', `in second ${second}`)
      counts.modest++
    }
    clock.advance(1000)
  }
  assert.ok(counts.greedy + counts.modest >= seconds, JSON.stringify(counts))
})

test('a call that goes on with another waits for its turn beyond the share, and is owed', async () => {
  const clock = manualClock()
  const reserve = createReserveFairSlot(createReserveSlot({ db, clock }))
  const name = newId()
  const [long, other] = [newId(), newId()]
  const go = (tenantId: string, goesOn: boolean) =>
    reserve(name, 1000, { tenantId, maxWaitMs: 3000, goesOn })
  assert.equal(waitOf(await go(long, false)), 0)
  for (let page = 1; page < 12; page++) {
    assert.equal(waitOf(await go(long, true)), 1000)
    clock.advance(1000)
  }
  // What it took beyond its share keeps its next read from standing in the queue before others.
  assert.equal((await go(long, false)).kind, 'refused')
  assert.equal(waitOf(await go(other, false)), 1000)
})
