import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Db } from './db.ts'
import { BusyError, createHeavyReads } from './heavy-reads.ts'

const db = {} as Db

/** A read that the test ends. */
function held() {
  let end = (): void => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  return { read: () => ended, end }
}

test('a tenant has a few reads at once, a few that wait, and is refused beyond', async () => {
  const reads = createHeavyReads({ db, perTenant: 2, waitingPerTenant: 1 })
  const [one, two, three] = [held(), held(), held()]
  const first = reads.run('a', one.read)
  const second = reads.run('a', two.read)
  let hasBegun = false
  const third = reads.run('a', () => {
    hasBegun = true
    return three.read()
  })
  await assert.rejects(
    reads.run('a', async () => {}),
    BusyError,
  )
  assert.equal(hasBegun, false)
  one.end()
  await first
  three.end()
  await third
  assert.equal(hasBegun, true)
  two.end()
  await second
})

test('one tenant’s reads do not wait for another’s', async () => {
  const reads = createHeavyReads({ db, perTenant: 1, waitingPerTenant: 0 })
  const slow = held()
  const first = reads.run('a', slow.read)
  assert.equal(await reads.run('b', async () => 7), 7)
  slow.end()
  await first
})

test('a read that fails gives its turn back', async () => {
  const reads = createHeavyReads({ db, perTenant: 1, waitingPerTenant: 5 })
  const answers = await Promise.allSettled(
    Array.from({ length: 5 }, (_, i) =>
      reads.run('a', async () => {
        if (i % 2 === 0) throw new Error('no such table')
        return i
      }),
    ),
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    ['rejected', 'fulfilled', 'rejected', 'fulfilled', 'rejected'],
  )
  assert.equal(await reads.run('a', async () => 'again'), 'again')
})
