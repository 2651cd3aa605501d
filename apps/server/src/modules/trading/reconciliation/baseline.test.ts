import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { mills } from '#kernel/money'
import { type Baseline, costOf, judgeBaseline } from './baseline.ts'
import type { StatementLine } from './ports.ts'

const START = new Date('2026-11-21T12:00:00.000Z')
const later = (seconds: number): Date => new Date(START.getTime() + seconds * 1000)
const SETTLE = { settleMs: 60_000 }
const known: Baseline = { since: START, mills: 10_000n, candidate: null }

describe('the baseline of an account', () => {
  it('that stays is the same', () => {
    assert.equal(judgeBaseline(known, 10_000n, { at: later(5), ...SETTLE }).verdict.kind, 'same')
  })

  it('has fallen only when it stays down for the settle time', () => {
    const first = judgeBaseline(known, 9000n, { at: later(0), ...SETTLE })
    assert.equal(first.verdict.kind, 'waits')
    const second = judgeBaseline(first.baseline, 9000n, { at: later(59), ...SETTLE })
    assert.equal(second.verdict.kind, 'waits')
    const third = judgeBaseline(second.baseline, 9000n, { at: later(60), ...SETTLE })
    assert.deepEqual(third.verdict, { kind: 'fell', byMills: 1000n })
    assert.equal(
      judgeBaseline(third.baseline, 9000n, { at: later(61), ...SETTLE }).verdict.kind,
      'same',
    )
  })

  it('that comes back in time has not fallen', () => {
    const first = judgeBaseline(known, 9000n, { at: later(0), ...SETTLE })
    const back = judgeBaseline(first.baseline, 10_000n, { at: later(30), ...SETTLE })
    assert.deepEqual(back, { baseline: known, verdict: { kind: 'same' } })
  })

  it('that moves on waits anew', () => {
    const first = judgeBaseline(known, 9000n, { at: later(0), ...SETTLE })
    const second = judgeBaseline(first.baseline, 8000n, { at: later(60), ...SETTLE })
    assert.equal(second.verdict.kind, 'waits')
    const third = judgeBaseline(second.baseline, 8000n, { at: later(120), ...SETTLE })
    assert.deepEqual(third.verdict, { kind: 'fell', byMills: 2000n })
  })

  it('that rises is money paid in', () => {
    const first = judgeBaseline(known, 90_000n, { at: later(0), ...SETTLE })
    const second = judgeBaseline(first.baseline, 90_000n, { at: later(60), ...SETTLE })
    assert.deepEqual(second.verdict, { kind: 'rose', byMills: 80_000n })
  })
})

describe('the cost of orders', () => {
  const line = (facts: Partial<StatementLine>): StatementLine => ({
    orderId: '1',
    customId: null,
    placedAt: later(0),
    paidMills: mills(1000n),
    state: 'open',
    returnedMills: null,
    detail: '',
    ...facts,
  })

  it('is what was paid less what came back, of those since the moment', () => {
    const lines = [
      line({}),
      line({ state: 'ended', returnedMills: mills(700n) }),
      line({ placedAt: later(-1) }),
    ]
    assert.equal(costOf(lines, START), 1300n)
  })

  it('is not known when one price is not', () => {
    assert.equal(costOf([line({}), line({ paidMills: null })], START), null)
    assert.equal(costOf([line({ paidMills: null, placedAt: later(-1) })], START), 0n)
  })

  it('and a balance add up to one baseline, however orders come, end and are paid back', () => {
    const step = fc.record({ paid: fc.bigInt(1n, 9999n), returnsBps: fc.option(fc.nat(10_000)) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (orders) => {
        const lines = orders.map(({ paid, returnsBps }) =>
          line({
            paidMills: mills(paid),
            state: returnsBps === null ? 'held' : 'ended',
            returnedMills:
              returnsBps === null ? null : mills((paid * BigInt(returnsBps)) / 10_000n),
          }),
        )
        const balance = lines.reduce(
          (left, { paidMills, returnedMills }) => left - (paidMills ?? 0n) + (returnedMills ?? 0n),
          1_000_000n,
        )
        assert.equal(balance + (costOf(lines, START) ?? 0n), 1_000_000n)
      }),
    )
  })
})
