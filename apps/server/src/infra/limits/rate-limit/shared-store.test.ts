// Limits of several processes on a real Valkey. Each "process" here has a connection, a limiter and a
// clock of its own; windows are short, so that many of them pass.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { silentLog } from '#infra/process/log'
import { until } from '../../testing/until.ts'
import { noValkey, startValkey, type ValkeyServer } from '../../testing/valkey-server.ts'
import { openValkey, type Valkey } from '../valkey.ts'
import type { Claim, Level, Verdict } from './claim.ts'
import { createLimiter, type Limiter } from './limiter.ts'
import { createSharedStore, type SharedStore } from './shared-store.ts'
import { heaviestWindow } from './testing/heaviest-window.ts'

interface Process {
  readonly limiter: Limiter
  readonly shared: SharedStore
  readonly valkey: Valkey
  alone: number
  stop(): void
}

let server: ValkeyServer
const opened: Process[] = []
let prefixes = 0

before(async () => {
  if (!noValkey) server = await startValkey()
})
after(async () => {
  for (const process of opened) process.stop()
  if (!noValkey) await server.stop()
})

async function openProcess({
  windowMs = 300,
  prefix = `test${prefixes}:`,
  aheadMs = 0,
  speed = 1,
  // A busy machine is no lost store: who tries that says so.
  deadlineMs = 20_000,
  nowMs = () => performance.now() * speed + aheadMs,
}: {
  windowMs?: number
  prefix?: string
  aheadMs?: number
  speed?: number
  deadlineMs?: number
  nowMs?: () => number
} = {}): Promise<Process> {
  const valkey = await openValkey({ url: server.url, log: silentLog })
  const { runScript, connection } = valkey
  const shared = createSharedStore({ runScript, connection, windowMs, nowMs, prefix, deadlineMs })
  await shared.beat()
  const process: Process = {
    limiter: createLimiter({ windowMs, nowMs, shared, onAlone: () => process.alone++ }),
    shared,
    valkey,
    alone: 0,
    stop: () => {
      shared.stop()
      valkey.close()
    },
  }
  opened.push(process)
  return process
}

const claim = (key: string, limit: number, cost = 1): Claim => ({ key, limit, cost })
const take = async ({ limiter }: Process, ...claims: Claim[]): Promise<Verdict> =>
  limiter.take(claims)

describe('several processes on one Valkey', { skip: noValkey }, () => {
  it('take of one budget, and each sees what the others took', async () => {
    prefixes++
    const processes = [
      await openProcess({ windowMs: 60_000 }),
      await openProcess({ windowMs: 60_000 }),
    ]
    const answers: boolean[] = []
    for (let i = 0; i < 30; i++) {
      const { admitted } = await take(processes[i % 2] as Process, claim('m', 20))
      answers.push(admitted)
    }
    assert.deepEqual(answers, [...Array(20).fill(true), ...Array(10).fill(false)])
    const refused = await take(processes[1] as Process, claim('m', 20))
    assert.equal(refused.levels[0]?.used, 20)
    const [wait = 0] = refused.waitsMs
    assert.ok(wait > 50_000 && wait <= 60_000, `${wait}`)
    const [level] = await (processes[0] as Process).limiter.read([claim('m', 20, 5)])
    assert.equal(level?.used, 20)
  })

  it('take budget and cap together or not at all', async () => {
    prefixes++
    const process = await openProcess({ windowMs: 60_000 })
    const both = () => take(process, claim('budget', 100, 5), claim('cap', 3))
    for (let i = 0; i < 3; i++) assert.ok((await both()).admitted)
    const over = await both()
    assert.equal(over.admitted, false)
    assert.deepEqual(
      over.levels.map(({ used }) => used),
      [15, 3],
    )
    assert.equal(over.waitsMs[0], 0)
    assert.ok((over.waitsMs[1] ?? 0) > 0)
    await take(process, claim('budget', 100, 84))
    const dear = await take(process, claim('budget', 100, 5), claim('other cap', 3))
    assert.deepEqual(
      dear.levels.map(({ used }) => used),
      [99, 0],
    )
  })

  it('never fill a window with more than the budget, whatever their clocks say', async () => {
    const request = fc.record({
      process: fc.integer({ min: 0, max: 2 }),
      pauseMs: fc.constantFrom(0, 0, 0, 0, 1, 7, 40),
      cost: fc.constantFrom(1, 1, 5),
      capped: fc.boolean(),
    })
    const windowMs = 150
    prefixes++
    // One clock runs a third faster, one slower and an hour ahead: only the store's own counts.
    const processes = await Promise.all([
      openProcess({ windowMs, speed: 1.3 }),
      openProcess({ windowMs, aheadMs: 3_600_000, speed: 0.7 }),
      openProcess({ windowMs }),
    ])
    let run = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(request, { minLength: 60, maxLength: 200 }),
        fc.integer({ min: 5, max: 40 }),
        async (requests, budget) => {
          run++
          const cap = Math.ceil(budget / 3)
          const admitted: { at: number; until: number; cost: number }[] = []
          const capped: typeof admitted = []
          let waiting: Promise<void>[] = []
          for (const { process, pauseMs, cost, capped: isCapped } of requests) {
            const claims = [claim(`budget ${run}`, budget, cost)]
            if (isCapped) claims.push(claim(`cap ${run}`, cap))
            const at = performance.now()
            waiting.push(
              take(processes[process] as Process, ...claims).then((verdict) => {
                if (!verdict.admitted) return
                admitted.push({ at, until: performance.now(), cost })
                if (isCapped) capped.push({ at, until: performance.now(), cost: 1 })
              }),
            )
            if (pauseMs > 0) {
              await Promise.all(waiting)
              waiting = []
              await new Promise((resolve) => setTimeout(resolve, pauseMs))
            }
          }
          await Promise.all(waiting)
          assert.ok(fullestWindow(admitted, windowMs) <= budget)
          assert.ok(fullestWindow(capped, windowMs) <= cap)
        },
      ),
      { numRuns: 12 },
    )
    assert.equal(
      processes.reduce((sum, { alone }) => sum + alone, 0),
      0,
    )
  })

  it('hold a limit of millions with a bounded list', async () => {
    prefixes++
    const process = await openProcess({ windowMs: 60_000 })
    const limit = 3_600_000
    for (let i = 0; i < 3000; i++) await take(process, claim('m', limit))
    const [level] = await process.limiter.read([claim('m', limit)])
    assert.equal(level?.used, 3000)
    const length = await process.valkey.client.lLen(`test${prefixes}:m`)
    assert.ok(length < 3000, `${length} entries`)
  })

  it('leave nothing behind of a caller that is gone', async () => {
    prefixes++
    const process = await openProcess({ windowMs: 100 })
    await take(process, claim('gone', 10))
    const leftMs = await process.valkey.client.pTTL(`test${prefixes}:gone`)
    assert.ok(leftMs > 0 && leftMs <= 1100, `${leftMs}`)
  })
})

describe('a Valkey that is lost', { skip: noValkey }, () => {
  /** Several processes that know of each other. */
  const openSome = async (count: number, options: Parameters<typeof openProcess>[0] = {}) => {
    prefixes++
    const processes: Process[] = []
    for (let i = 0; i < count; i++) processes.push(await openProcess(options))
    for (const { shared } of processes) await shared.beat()
    assert.equal(processes[0]?.shared.processes(), count)
    return processes
  }
  const areUsable = (processes: readonly Process[]) => () =>
    processes.every(({ shared }) => shared.isUsable())
  const spend = async (process: Process, budget: number): Promise<number> => {
    let admitted = 0
    for (let i = 0; i < 2 * budget; i++) {
      if ((await take(process, claim('m', budget))).admitted) admitted++
    }
    return admitted
  }

  it('leaves each process its share, so that together they keep the budget', async () => {
    const processes = await openSome(3, { windowMs: 60_000 })
    await server.kill()
    await until('the loss is seen', () => processes.every(({ shared }) => !shared.isUsable()))
    const shares = []
    for (const process of processes) shares.push(await spend(process, 30))
    await server.start()
    assert.deepEqual(shares, [10, 10, 10])
  })

  it('is remembered: what all had used when they last asked still counts', async () => {
    const [one, other] = (await openSome(2, { windowMs: 60_000 })) as [Process, Process]
    for (let i = 0; i < 20; i++) assert.ok((await take(one, claim('m', 30))).admitted)
    assert.ok((await take(other, claim('m', 30))).admitted)
    await server.kill()
    await until('the loss is seen', () => !one.shared.isUsable() && !other.shared.isUsable())
    const left = (await spend(one, 30)) + (await spend(other, 30))
    await server.start()
    assert.ok(left <= 10 && left >= 8, `${left} on top of 21 of 30`)
  })

  it('is noticed within the deadline when it hangs, and then not asked at all', async () => {
    const [process] = (await openSome(1, { windowMs: 60_000, deadlineMs: 25 })) as [Process]
    server.freeze()
    try {
      for (let i = 0; i < 3; i++) assert.ok((await take(process, claim('m', 10))).admitted)
      assert.equal(process.shared.isUsable(), false)
      assert.ok(!(process.limiter.take([claim('m', 10)]) instanceof Promise), 'decided at once')
      assert.equal(process.alone, 4)
    } finally {
      server.thaw()
    }
    await until('it is used again', () => process.shared.isUsable())
  })

  it('learns on its return what was admitted without it', async () => {
    const [one, other] = (await openSome(2, { windowMs: 60_000, deadlineMs: 25 })) as [
      Process,
      Process,
    ]
    server.freeze()
    try {
      for (let i = 0; i < 3; i++) await take(one, claim('m', 30, 5))
    } finally {
      server.thaw()
    }
    await until('it is used again', areUsable([one, other]))
    await take(one, claim('m', 30))
    const [level] = await other.limiter.read([claim('m', 30)])
    // The three requests that came too late may have been processed all the same: then they count twice.
    assert.ok((level?.used ?? 0) >= 16, `${level?.used}`)
  })

  it('leaves what was admitted last, although an older entry was noted late', async () => {
    let now = 0
    const windowMs = 300
    const [one, other] = (await openSome(2, { windowMs, nowMs: () => now })) as [Process, Process]
    const slow = take(one, claim('m', 2))
    // The answer to the first is read a good while after it was decided.
    now = 200
    assert.ok((await slow).admitted)
    await until('the store lets go of it', async () => {
      const [level] = await other.limiter.read([claim('m', 2)])
      return level?.used === 0
    })
    now = 450
    assert.ok((await take(one, claim('m', 2))).admitted)
    await server.kill()
    await until('the loss is seen', () => !one.shared.isUsable())
    now = 550
    const [level] = one.limiter.read([claim('m', 2)]) as readonly Level[]
    await server.start()
    assert.equal(level?.used, 1)
  })

  it('and comes back empty is not believed until a window has passed', async () => {
    const [process] = (await openSome(1, { windowMs: 3000 })) as [Process]
    assert.equal(await spend(process, 20), 20)
    await server.kill()
    await until('the loss is seen', () => !process.shared.isUsable())
    await server.start()
    const before = process.valkey.connection()
    await until('the connection is back', () => process.valkey.connection() !== null)
    await process.shared.beat()
    assert.equal(process.shared.isUsable(), false, `connection ${before}`)
    assert.equal((await take(process, claim('m', 20))).admitted, false, 'nothing is forgotten')
    await until('it is believed', () => process.shared.isUsable())
    assert.ok((await take(process, claim('m', 20))).admitted)
  })

  it('in the middle of the traffic of one process never lets a window hold more than the budget', async () => {
    const windowMs = 400
    const [process] = (await openSome(1, { windowMs })) as [Process]
    assert.ok((await traffic([process], windowMs, 20)) <= 20)
  })

  it('in the middle of the traffic of three never lets a window hold more than twice the budget', async () => {
    const windowMs = 400
    const processes = await openSome(3, { windowMs })
    const heaviest = await traffic(processes, windowMs, 30)
    assert.ok(heaviest <= 60, `${heaviest} of 30`)
  })

  /** Requests all the time while the store goes and comes back; answers what the fullest window held. */
  async function traffic(
    processes: readonly Process[],
    windowMs: number,
    budget: number,
  ): Promise<number> {
    const admitted: { at: number; until: number; cost: number }[] = []
    let isOver = false
    const ask = async (process: Process): Promise<void> => {
      while (!isOver) {
        const at = performance.now()
        const { admitted: isIn } = await take(process, claim('m', budget))
        if (isIn) admitted.push({ at, until: performance.now(), cost: 1 })
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
    }
    const asking = processes.map(ask)
    const asMany = async (count: number): Promise<void> => {
      const from = admitted.length
      await until(`${count} more are admitted`, () => admitted.length >= from + count)
    }
    await asMany(2 * budget)
    await server.kill()
    await asMany(2 * budget)
    await server.start()
    await until('the store is used again', areUsable(processes))
    await asMany(2 * budget)
    isOver = true
    await Promise.all(asking)
    return fullestWindow(admitted, windowMs)
  }
})

/**
 * What the fullest window held for certain. Each was decided between question and answer, so that entries
 * whose requests fall within a window less the longest answer were decided within a window.
 */
function fullestWindow(
  entries: readonly { at: number; until: number; cost: number }[],
  windowMs: number,
): number {
  const slackMs = Math.max(0, ...entries.map(({ at, until: answered }) => answered - at))
  return windowMs > slackMs ? heaviestWindow(entries, windowMs - slackMs) : 0
}
