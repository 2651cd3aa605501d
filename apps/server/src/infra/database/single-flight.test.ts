import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSingleFlight } from './single-flight.ts'

/** Reads that end when they are let, and how many have begun. */
function givenReads() {
  const ends: ((text: string) => void)[] = []
  const shared = createSingleFlight<string>()
  const ask = (key = 'one'): Promise<string> =>
    shared(key, () => new Promise((resolve) => ends.push(resolve)))
  return { shared, ask, ends }
}
const turn = () => new Promise(setImmediate)

test('those who ask in one turn of the event loop share a read, which begins after them', async () => {
  const { ask, ends } = givenReads()
  const first = ask()
  const second = ask()
  assert.equal(ends.length, 0)
  await turn()
  assert.equal(ends.length, 1)
  ends[0]?.('both')
  assert.deepEqual(await Promise.all([first, second]), ['both', 'both'])
})

test('who asks while a read runs shares the next one, which begins when the first has ended', async () => {
  const { ask, ends } = givenReads()
  const first = ask()
  await turn()
  const late = [ask(), ask()]
  await turn()
  assert.equal(ends.length, 1)
  ends[0]?.('old')
  assert.equal(await first, 'old')
  await turn()
  await turn()
  assert.equal(ends.length, 2)
  ends[1]?.('new')
  assert.deepEqual(await Promise.all(late), ['new', 'new'])
})

test('reads of different keys share nothing', async () => {
  const { ask, ends } = givenReads()
  const both = [ask('one'), ask('two')]
  await turn()
  assert.equal(ends.length, 2)
  ends[0]?.('of one')
  ends[1]?.('of two')
  assert.deepEqual(await Promise.all(both), ['of one', 'of two'])
})

test('an error reaches those who share the read, and no later one', async () => {
  const shared = createSingleFlight<string>()
  const failing = () => Promise.reject(new Error('away'))
  const both = await Promise.allSettled([shared('one', failing), shared('one', failing)])
  assert.deepEqual(
    both.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.equal(await shared('one', async () => 'here again'), 'here again')
})
