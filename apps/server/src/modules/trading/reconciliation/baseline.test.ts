import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { mills } from '#kernel/money'
import { type Baseline, type Bounds, costBetween, judgeBaseline } from './baseline.ts'
import type { StatementLine } from './ports.ts'

const START = new Date('2026-11-21T12:00:00.000Z')
const later = (seconds: number): Date => new Date(START.getTime() + seconds * 1000)
const SETTLE = { settleMs: 60_000 }
const exactly = (amount: bigint): Bounds => ({ low: amount, high: amount })
const known: Baseline = { since: START, mills: exactly(10_000n), candidate: null }
const judge = (before: Baseline, read: Bounds, seconds: number) =>
  judgeBaseline(before, read, { at: later(seconds), ...SETTLE })

describe('the baseline of an account', () => {
  it('that stays is the same', () => {
    assert.equal(judge(known, exactly(10_000n), 5).verdict.kind, 'same')
  })

  it('has fallen only when it stays down for the settle time', () => {
    const first = judge(known, exactly(9000n), 0)
    assert.equal(first.verdict.kind, 'waits')
    const second = judge(first.baseline, exactly(9000n), 59)
    assert.equal(second.verdict.kind, 'waits')
    const third = judge(second.baseline, exactly(9000n), 60)
    assert.deepEqual(third.verdict, { kind: 'fell', by: exactly(1000n) })
    assert.equal(judge(third.baseline, exactly(9000n), 61).verdict.kind, 'same')
  })

  it('that comes back in time has not fallen', () => {
    const first = judge(known, exactly(9000n), 0)
    const back = judge(first.baseline, exactly(10_000n), 30)
    assert.deepEqual(back, { baseline: known, verdict: { kind: 'same' } })
  })

  it('that moves on waits anew', () => {
    const first = judge(known, exactly(9000n), 0)
    const second = judge(first.baseline, exactly(8000n), 60)
    assert.equal(second.verdict.kind, 'waits')
    const third = judge(second.baseline, exactly(8000n), 120)
    assert.deepEqual(third.verdict, { kind: 'fell', by: exactly(2000n) })
  })

  it('that rises is money paid in', () => {
    const first = judge(known, exactly(90_000n), 0)
    const second = judge(first.baseline, exactly(90_000n), 60)
    assert.deepEqual(second.verdict, { kind: 'rose', by: exactly(80_000n) })
  })

  it('has not fallen while the largest cost explains the balance', () => {
    const first = judge(known, { low: 8000n, high: 10_000n }, 0)
    const second = judge(first.baseline, { low: 8000n, high: 10_500n }, 60)
    assert.deepEqual([first.verdict.kind, second.verdict.kind], ['same', 'same'])
  })

  it('has fallen when no cost explains the balance, by what is missing at least and at most', () => {
    const first = judge(known, { low: 8000n, high: 9600n }, 0)
    const second = judge(first.baseline, { low: 8500n, high: 9900n }, 60)
    assert.deepEqual(second.verdict, { kind: 'fell', by: { low: 400n, high: 1500n } })
  })

  it('is known more closely by readings that agree for the settle time, and by none that passes', () => {
    const wide: Baseline = { ...known, mills: { low: 9000n, high: 11_000n } }
    const first = judge(wide, { low: 9500n, high: 12_000n }, 0)
    assert.deepEqual(first.baseline.mills, wide.mills)
    const passing = judge(first.baseline, exactly(9_200n), 30)
    assert.deepEqual([passing.baseline.mills, passing.verdict.kind], [wide.mills, 'same'])
    const again = judge(passing.baseline, { low: 9500n, high: 10_500n }, 60)
    const last = judge(again.baseline, { low: 9800n, high: 10_600n }, 120)
    assert.deepEqual(last.baseline, {
      ...{ since: START, mills: { low: 9800n, high: 10_500n }, candidate: null },
    })
  })
})

const line = (overrides: Partial<StatementLine>): StatementLine => ({
  orderId: '1',
  customId: null,
  placedAt: later(0),
  paidMills: mills(1000n),
  state: 'open',
  returnedMills: null,
  detail: '',
  ...overrides,
})
const ended = (orderId: string, returned: bigint) =>
  line({ orderId, state: 'ended', returnedMills: mills(returned) })

describe('the cost of orders', () => {
  const cost = (lines: readonly StatementLine[]) => costBetween(lines, lines, START)

  it('is what was paid less what came back, of those since the moment', () => {
    const lines = [
      ...[line({ orderId: '1' }), ended('2', 700n)],
      line({ orderId: '3', placedAt: later(-1) }),
    ]
    assert.deepEqual(cost(lines), exactly(1300n))
  })

  it('is not known when one price is not', () => {
    assert.equal(cost([line({}), line({ orderId: '2', paidMills: null })]), null)
    assert.deepEqual(cost([line({ paidMills: null, placedAt: later(-1) })]), exactly(0n))
  })

  it('between two statements may include what was paid between them, and lack what came back', () => {
    const first = [line({ orderId: '1' }), line({ orderId: '2' })]
    const second = [ended('1', 900n), line({ orderId: '2' }), ended('3', 1000n)]
    assert.deepEqual(costBetween(first, second, START), { low: 100n, high: 3000n })
  })

  it('and a balance explain one baseline, wherever between two statements the balance is read', () => {
    const step = fc.record({ paid: fc.bigInt(1n, 9999n), returnsBps: fc.option(fc.nat(10_000)) })
    const steps = fc.array(step, { maxLength: 20 })
    const movesOf = (orders: readonly { paid: bigint; returnsBps: number | null }[]) =>
      orders.flatMap(({ paid, returnsBps }, index) => {
        const bought = line({ orderId: String(index), paidMills: mills(paid), state: 'held' })
        if (returnsBps === null) return [bought]
        const back = (paid * BigInt(returnsBps)) / 10_000n
        return [bought, { ...bought, state: 'ended' as const, returnedMills: mills(back) }]
      })
    const statementOf = (moves: readonly StatementLine[]): StatementLine[] => [
      ...new Map(moves.map((one) => [one.orderId, one])).values(),
    ]
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(steps, share, share, share, (orders, ...shares) => {
        const moves = movesOf(orders)
        const [first = 0, read = 0, second = 0] = shares
          .map((one) => Math.floor(one * moves.length))
          .sort((a, b) => a - b)
        const spent = statementOf(moves.slice(0, read)).reduce(
          (sum, { paidMills, returnedMills }) => sum + (paidMills ?? 0n) - (returnedMills ?? 0n),
          0n,
        )
        const [one, two] = [statementOf(moves.slice(0, first)), statementOf(moves.slice(0, second))]
        const bounds = costBetween(one, two, START)
        assert.ok(bounds !== null && bounds.low <= spent && spent <= bounds.high)
        if (first === second) assert.equal(bounds.low, bounds.high)
      }),
    )
  })
})
