import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { until } from '#infra/testing/until'
import { createClaimLoop } from './claim-loop.ts'
import type { Capacity, PermitBounds } from './permits.ts'

const BOUNDS: PermitBounds = {
  ...{ total: 16, perKey: 4, perOwner: 4, perUnhealthyKey: 2, unhealthy: 8 },
  ...{ reserved: 4, perClaim: 4 },
}

interface Post {
  readonly key: string
  answer(): void
}

/** A queue of keys in the order in which they are due, and a destination for each that answers by hand. */
function startLoop({
  due,
  bounds = BOUNDS,
  record = async () => {},
}: {
  readonly due: string[]
  readonly bounds?: PermitBounds
  readonly record?: (key: string) => Promise<void>
}) {
  const underWay: Post[] = []
  const stopping = new AbortController()
  let nowMs = 0
  let claims = 0
  const claim = async ({ limit, perKey, perUnhealthyKey, slowKeys, busyKeys }: Capacity) => {
    claims++
    const taken: string[] = []
    const isTaken = (key: string): boolean => {
      const most = slowKeys.includes(key) ? perUnhealthyKey : perKey
      const isWithin = taken.filter((one) => one === key).length < most
      if (taken.length === limit || !isWithin || busyKeys.includes(key)) return false
      taken.push(key)
      return true
    }
    due.splice(0, due.length, ...due.filter((key) => !isTaken(key)))
    return taken
  }
  const run = createClaimLoop({
    ...{ bounds, refillMs: 1, claim, record, now: () => nowMs },
    destinationOf: (key: string) => ({ key, owner: key, isUnproven: false }),
    outcomeOf: () => 'answered',
    post: (key) =>
      new Promise<string>((resolve) => {
        const answer = () => {
          underWay.splice(underWay.indexOf(post), 1)
          resolve(key)
        }
        const post = { key, answer }
        underWay.push(post)
      }),
  })
  const ended = run(stopping.signal)
  const of = (key: string): Post[] => underWay.filter((post) => post.key === key)
  return {
    ...{ ended, underWay, of },
    stop: () => stopping.abort(),
    advance: (milliseconds: number) => {
      nowMs += milliseconds
    },
    /** Everything that there is capacity for has been posted. */
    settled: async () => {
      const seen = claims
      await until('two more looks at what is due', async () => claims >= seen + 2)
    },
    /** Answers what is under way, and what comes after it, until nothing is due. */
    finish: async () => {
      const whole = ended.finally(() => clearInterval(answering))
      const answering = setInterval(() => {
        for (const { answer } of [...underWay]) answer()
      }, 1)
      return whole
    },
  }
}

const times = (count: number, ...keys: string[]): string[] =>
  keys.flatMap((key) => Array<string>(count).fill(key))

describe('a claim loop', () => {
  it('asks a key that answers at once, however long others are silent', async () => {
    const loop = startLoop({ due: times(9, 'a', 'b', 'c', 'd', 'e', 'f').concat('good') })
    await until('it is asked', async () => loop.of('good').length === 1)
    const silent = ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => loop.of(key).length)
    assert.deepEqual(silent, [4, 4, 4, 1, 1, 1])
    assert.equal(await loop.finish(), false)
  })

  it('gives a slow key few permits and none of the last ones', async () => {
    const due = ['slow']
    const loop = startLoop({ due })
    await until('it is asked', async () => loop.of('slow').length === 1)
    due.push(...times(4, 'a', 'b', 'c'), 'good', ...times(9, 'slow'))
    await until('only the last permits are free', async () => loop.of('good').length === 1)
    loop.advance(10_000)
    loop.of('slow')[0]?.answer()
    await loop.settled()
    assert.equal(loop.of('slow').length, 0)
    for (const { answer } of loop.of('a')) answer()
    await until('it is asked again', async () => loop.of('slow').length > 0)
    await loop.settled()
    assert.equal(loop.of('slow').length, 2)
    assert.equal(await loop.finish(), false)
  })

  it('records answers without a permit, and fails when one cannot be recorded', async () => {
    const failures: ((error: Error) => void)[] = []
    const loop = startLoop({
      due: times(2, 'a'),
      bounds: { ...BOUNDS, total: 1, perKey: 1, reserved: 0, perClaim: 1 },
      record: () => new Promise((_, reject) => failures.push(reject)),
    })
    for (const count of [1, 2]) {
      await until('one is asked', async () => loop.underWay.length === 1)
      loop.underWay[0]?.answer()
      await until('its answer is being recorded', async () => failures.length === count)
    }
    const failed = assert.rejects(loop.ended, /not recorded/)
    for (const fail of failures) fail(new Error('not recorded'))
    await failed
  })

  it('ends after five minutes although more is due, or when stopped, with what is under way', async () => {
    for (const end of ['time', 'stop'] as const) {
      const due = times(20, 'a')
      const loop = startLoop({ due })
      await until('some are asked', async () => loop.underWay.length > 0)
      if (end === 'time') loop.advance(300_000)
      else loop.stop()
      assert.equal(await loop.finish(), end === 'time')
      assert.ok(due.length > 0, `${due.length} of 20 are left`)
    }
  })
})
