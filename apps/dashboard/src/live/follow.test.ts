// The locks and channels are Node's own, which are those of browsers; time and the document are the test's.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, it, mock } from 'node:test'
import { followChanges, type LiveChanges, withoutFeed } from './follow.ts'

/** What a page knows of being seen. */
class TestDocument extends EventTarget {
  hidden = false
  show(isShown: boolean): void {
    this.hidden = !isShown
    this.dispatchEvent(new Event('visibilitychange'))
  }
}

let page: TestDocument
const stops: (() => void)[] = []

beforeEach(() => {
  page = new TestDocument()
  Object.assign(globalThis, { document: page })
  mock.timers.enable({ apis: ['setTimeout'] })
})
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
  mock.timers.reset()
})

/** A question of a tab, until the test answers it. */
interface Asked {
  readonly position: string | null
  readonly signal: AbortSignal
  answer(changes?: Partial<LiveChanges> & { readonly position?: string }): void
  fail(error: Error): void
}

const QUIET = { topics: [], subjects: [], isMore: false }
const ENDED = new Error('the session has ended')

/** A tab that follows an account: what it asks, and what its pages are given. */
function openTab(accountId: string) {
  const asked: Asked[] = []
  const seen: LiveChanges[] = []
  const stop = followChanges(accountId, {
    ask: (position, signal) =>
      new Promise((resolve, reject) => {
        asked.push({
          ...{ position, signal },
          answer: (changes) => resolve({ ...QUIET, position: 'p', ...changes }),
          fail: reject,
        })
        signal.addEventListener('abort', () => reject(new Error('aborted')))
      }),
    mayRetry: (error) => error !== ENDED,
    onChanges: (changes) => seen.push(changes),
  })
  stops.push(stop)
  return { asked, seen, stop }
}

/** Locks and messages arrive in turns of the event loop, which timers of the test do not move. */
async function until(what: string, isSo: () => boolean): Promise<void> {
  for (let turn = 0; turn < 10_000; turn++) {
    if (isSo()) return
    await new Promise((resolve) => setImmediate(resolve))
  }
  assert.fail(`not so: ${what}`)
}

const nth = async (asked: readonly Asked[], count: number): Promise<Asked> => {
  await until(`question ${count}`, () => asked.length >= count)
  const question = asked[count - 1]
  assert.ok(question)
  return question
}

it('one tab asks, goes on from each answer after a pause, and passes changes on to the others', async () => {
  const [leader, other] = [openTab('a'), openTab('a')]
  const first = await nth(leader.asked, 1)
  assert.equal(first.position, null)
  assert.equal(withoutFeed(5_000)(), 5_000)
  first.answer({ position: 'one' })
  const second = await nth(leader.asked, 2)
  assert.equal(second.position, 'one')
  assert.equal(withoutFeed(5_000)(), 30_000)
  const changes = { topics: ['trade.completed'], subjects: ['t'], isMore: false }
  second.answer({ ...changes, position: 'two' })
  await until('both have it', () => leader.seen.length === 1 && other.seen.length === 1)
  assert.deepEqual([leader.seen, other.seen], [[changes], [changes]])
  assert.equal(leader.asked.length, 2)
  mock.timers.tick(5_000)
  assert.equal((await nth(leader.asked, 3)).position, 'two')
  assert.equal(other.asked.length, 0)
})

it('a tab that is closed is followed by another one; tabs of other accounts ask for themselves', async () => {
  const [leader, other, unrelated] = [openTab('b'), openTab('b'), openTab('c')]
  await nth(unrelated.asked, 1)
  const { signal } = await nth(leader.asked, 1)
  leader.stop()
  assert.equal(signal.aborted, true)
  await nth(other.asked, 1)
})

it('a hidden tab asks nothing; shown again it begins where the changes are now', async () => {
  const tab = openTab('d')
  ;(await nth(tab.asked, 1)).answer({ position: 'one' })
  const { signal } = await nth(tab.asked, 2)
  page.show(false)
  assert.equal(signal.aborted, true)
  mock.timers.tick(120_000)
  page.show(true)
  assert.equal((await nth(tab.asked, 3)).position, null)
})

it('an error is met by asking again from the same position, later each time, up to a minute', async () => {
  const tab = openTab('e')
  ;(await nth(tab.asked, 1)).answer({ position: 'one' })
  for (const [i, waitMs] of [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000].entries()) {
    const question = await nth(tab.asked, i + 2)
    assert.equal(question.position, 'one')
    question.fail(new Error('offline'))
    await pausing()
    mock.timers.tick(waitMs - 1)
    await pausing()
    assert.equal(tab.asked.length, i + 2, `before ${waitMs} ms`)
    mock.timers.tick(1)
  }
  // An answer makes the next pause the first one again.
  ;(await nth(tab.asked, 9)).answer({ position: 'two' })
  await pausing()
  mock.timers.tick(5_000)
  ;(await nth(tab.asked, 10)).fail(new Error('offline'))
  await pausing()
  mock.timers.tick(2_000)
  assert.equal((await nth(tab.asked, 11)).position, 'two')
})

/** What an answer or an error causes has happened: the loop waits for time. */
const pausing = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('after the end of the session nothing is asked again', async () => {
  const tab = openTab('f')
  ;(await nth(tab.asked, 1)).fail(ENDED)
  await pausing()
  mock.timers.tick(120_000)
  await pausing()
  assert.equal(tab.asked.length, 1)
})

it('what is more than one answer holds is passed on without topics', async () => {
  const tab = openTab('g')
  ;(await nth(tab.asked, 1)).answer({ position: 'one' })
  ;(await nth(tab.asked, 2)).answer({ isMore: true })
  await until('it is passed on', () => tab.seen.length === 1)
  assert.deepEqual(tab.seen, [{ ...QUIET, isMore: true }])
})
