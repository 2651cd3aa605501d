import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { type Queryable, sql } from '#infra/database/db'
import { tenantServed } from '#infra/database/tenant-context'
import { manualClock } from '../../../infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import { createFetchPictures, createPictures } from './pictures.ts'
import type { PictureFiles } from './ports.ts'

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())
beforeEach(() => database.db.script('truncate catalog.picture'))

const NEVER = new AbortController().signal
const DAY_MS = 86_400_000
const nameOf = (number: number): string => number.toString(16).padStart(16, '0')
const bytesOf = (name: string, kilobytes = 1): PictureFiles => ({
  small: Buffer.from(name),
  large: Buffer.alloc(kilobytes * 1024, name),
})

function given({ maxBytes = 1_000_000 } = {}) {
  const { db } = database
  const clock = manualClock()
  const fetched: string[] = []
  let answer: (source: string) => PictureFiles | null = (source) => bytesOf(source)
  const fetchPictures = createFetchPictures({
    ...{ db, clock, maxBytes, onFailed: () => {} },
    source: {
      fetch: async (source) => {
        fetched.push(source)
        return answer(source)
      },
    },
  })
  return {
    clock,
    fetched,
    answers: (next: typeof answer) => {
      answer = next
    },
    /** A process of its own, which remembers nothing. */
    find: (name: string, size: keyof PictureFiles = 'small') =>
      createPictures({
        ...{ db, clock },
        sourceOf: async (asked) => (asked === nameOf(404) ? null : `of ${asked}`),
      }).find(name, size),
    work: () => fetchPictures(NEVER),
  }
}

const countRows = async (): Promise<number> => {
  const [row] = await database.db.query<{ count: number }>(
    sql('', 'select count(*)::integer count from catalog.picture'),
  )
  return row?.count ?? 0
}

test('a picture that several pages ask for is fetched once, and is then there in both sizes', async () => {
  const { find, work, fetched } = given()
  const name = nameOf(1)
  assert.deepEqual(await Promise.all([find(name), find(name), find(name, 'large')]), [
    null,
    null,
    null,
  ])
  await work()
  await work()
  assert.deepEqual(fetched, [`of ${name}`])
  assert.equal(String(await find(name)), `of ${name}`)
  assert.equal((await find(name, 'large'))?.length, 1024)
})

test('a name that no item has is never fetched', async () => {
  const { find, work, fetched } = given()
  assert.equal(await find(nameOf(404)), null)
  await work()
  assert.deepEqual([fetched, await countRows()], [[], 0])
})

test('anonymous callers take one connection, and none for names of no item or for what is known', async () => {
  const { db } = database
  const callers: (string | null)[] = []
  let atOnce = 0
  let most = 0
  const query: Queryable['query'] = async (...asked) => {
    callers.push(tenantServed())
    most = Math.max(most, ++atOnce)
    try {
      return await db.query(...asked)
    } finally {
      atOnce--
    }
  }
  const nowhere = nameOf(1000)
  const { find } = createPictures({
    ...{ db: { ...db, query }, clock: manualClock() },
    sourceOf: async (name) => (name < nowhere ? `of ${name}` : null),
  })
  const names = Array.from({ length: 50 }, (_, at) => nameOf(at))
  const strange = names.map((_, at) => nameOf(1000 + at))
  const look = () =>
    Promise.all([...names, ...strange, ...names].map((name) => find(name, 'small')))
  const asked = look()
  await new Promise(setImmediate)
  await Promise.all([asked, look()])
  assert.deepEqual([most, await countRows()], [1, 50])
  assert.deepEqual(new Set(callers), new Set(['anonymous callers of pictures']))
  callers.length = 0
  await Promise.all(strange.map((name) => find(name, 'small')))
  assert.equal(callers.length, 0)
  await Promise.all(names.map((name) => find(name, 'small')))
  // A read, and no write: they are asked for.
  assert.equal(callers.length, 1)
})

test('two workers fetch each picture once', async () => {
  const { find, work, fetched } = given()
  for (let each = 1; each <= 8; each++) await find(nameOf(each))
  await Promise.all([work(), work()])
  assert.equal(fetched.length, 8)
  assert.equal(new Set(fetched).size, 8)
})

test('what fails is fetched again, a little later each time, then given up for a day', async () => {
  const { find, work, fetched, clock, answers } = given()
  answers(() => {
    throw new Error('away')
  })
  await find(nameOf(1))
  for (let second = 0; second < 3600; second += 5) {
    await work()
    clock.advance(5000)
  }
  assert.equal(fetched.length, 5)
  await find(nameOf(1))
  await work()
  assert.equal(fetched.length, 5)
  clock.advance(DAY_MS)
  answers((source) => bytesOf(source))
  await find(nameOf(1))
  await work()
  assert.notEqual(await find(nameOf(1)), null)
})

test('what is no picture is not fetched again that day, and a worker that died leaves its claim to another', async () => {
  const { find, work, fetched, clock, answers } = given()
  answers(() => null)
  await find(nameOf(1))
  await work()
  clock.advance(3_600_000)
  await find(nameOf(1))
  await work()
  assert.equal(fetched.length, 1)

  await find(nameOf(2))
  await database.db.query(
    sql(
      '',
      `update catalog.picture set due_at = $1::timestamptz + interval '1 minute', attempts = 1 where name = $2`,
    ),
    [clock.now(), nameOf(2)],
  )
  await work()
  assert.equal(fetched.length, 1)
  clock.advance(60_000)
  await work()
  assert.equal(fetched.length, 2)
})

test('a picture that ends each worker that fetches it is given up too', async () => {
  const { find, work, fetched, clock } = given()
  const name = nameOf(1)
  await find(name)
  // Each claim of a worker that ended then.
  await database.db.query(sql('', 'update catalog.picture set attempts = 4 where name = $1'), [
    name,
  ])
  await work()
  assert.equal(fetched.length, 1)
  await database.db.query(
    sql(
      '',
      `update catalog.picture set attempts = 5, due_at = $1, fetched_at = null, small = null,
         large = null where name = $2`,
    ),
    [clock.now(), name],
  )
  for (let minute = 0; minute < 10; minute++) {
    await work()
    clock.advance(60_000)
  }
  assert.equal(fetched.length, 1)
  clock.advance(DAY_MS)
  await find(name)
  await work()
  assert.equal(fetched.length, 2)
})

test('what was given up a day ago goes when another picture is fetched', async () => {
  const { find, work, clock, answers } = given()
  answers(() => null)
  await find(nameOf(1))
  await work()
  clock.advance(DAY_MS + 1)
  await find(nameOf(2))
  await work()
  assert.equal(await countRows(), 1)
})

test('the oldest pictures go when there are too many bytes, and are fetched again when a page asks', async () => {
  const { find, work, fetched, clock } = given({ maxBytes: 3500 })
  for (let each = 1; each <= 5; each++) {
    await find(nameOf(each))
    await work()
    clock.advance(1000)
  }
  const there = await Promise.all(
    [1, 2, 3, 4, 5].map(async (each) => (await find(nameOf(each))) !== null),
  )
  assert.deepEqual(there, [false, false, true, true, true])
  await work()
  assert.equal(fetched.length, 7)
})
