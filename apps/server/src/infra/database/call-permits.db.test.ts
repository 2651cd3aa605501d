import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '#kernel/id'
import { manualClock } from '../testing/clock.ts'
import { type TestDatabase, testDatabase } from '../testing/database.ts'
import { createTakePermit, type Permit } from './call-permits.ts'

const RULES = { most: 5, lingerMs: 1000, holdMs: 31_000 }
let database: TestDatabase
before(async () => {
  database = await testDatabase({ poolSize: 8 })
})
after(() => database.close())

function budget() {
  const clock = manualClock()
  const take = createTakePermit({ db: database.db, clock })
  const name = newId()
  const takeAll = async (): Promise<Permit[]> => {
    const taken: Permit[] = []
    for (let next = await take(name, RULES); next !== null; next = await take(name, RULES)) {
      taken.push(next)
    }
    return taken
  }
  return { clock, take: () => take(name, RULES), takeAll }
}

test('no more permits are out than there are, however many ask at once', async () => {
  const { take, takeAll } = budget()
  const asked = await Promise.all(Array.from({ length: 40 }, take))
  const taken = asked.filter((permit) => permit !== null).length + (await takeAll()).length
  assert.equal(taken, RULES.most)
})

test('the permit of a call that ended is free a while after its end', async () => {
  const { clock, take, takeAll } = budget()
  const [first] = await takeAll()
  clock.advance(10_000)
  await first?.end()
  clock.advance(RULES.lingerMs - 1)
  assert.equal(await take(), null)
  clock.advance(1)
  assert.ok(await take())
  assert.equal(await take(), null)
})

test('a permit without a call is free at once', async () => {
  const { take, takeAll } = budget()
  const [first] = await takeAll()
  await first?.giveBack()
  assert.ok(await take())
  assert.equal(await take(), null)
})

test('permits of a process that died are free when no call can be out any more', async () => {
  const { clock, take, takeAll } = budget()
  const [late] = await takeAll()
  clock.advance(RULES.holdMs - 1)
  assert.equal(await take(), null)
  clock.advance(1)
  assert.equal((await takeAll()).length, RULES.most)
  // Another process holds it now: the late one frees nothing.
  await late?.end()
  clock.advance(RULES.lingerMs)
  assert.equal(await take(), null)
})

test('permits of one name are no concern of another', async () => {
  const [one, other] = [budget(), budget()]
  assert.equal((await one.takeAll()).length, RULES.most)
  assert.equal((await other.takeAll()).length, RULES.most)
})
