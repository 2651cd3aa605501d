import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AccountReading } from '#catalog'
import { type Mills, mills } from '#kernel/money'
import {
  type AccountFigures,
  close,
  coverDaysOf,
  coverOf,
  judgeCover,
  judgeQuestion,
  judgeReading,
  type MarketAccount,
  question,
  withBalance,
} from './account.ts'

const START = new Date('2026-11-28T12:00:00.000Z')
const later = (seconds: number): Date => new Date(START.getTime() + seconds * 1000)

const account = (overrides: Partial<MarketAccount> = {}): MarketAccount => ({
  ...{ market: 'market_b', name: 'main', state: 'enabled', currency: 'USD' },
  ...{ use: 'both', keyVersion: 1, pace: null },
  ...{ reserveMills: mills(0n), balanceMills: mills(100_000n), balanceAt: START },
  ...{ closedAt: null, closedBecause: null, closedDetail: null, opensAtMills: null },
  ...{ refusals: 0, spentWeekMills: null },
  ...overrides,
})
const figures = (
  spendable: bigint | null,
  waiting = 0n,
  overrides: Partial<AccountFigures> = {},
) => ({
  ...{ spendableMills: spendable, settledMills: spendable, waitingMills: waiting },
  ...{ waiting: waiting > 0n ? 1 : 0, others: [] },
  ...overrides,
})
const served = (balance: bigint, askedAt: Date): AccountReading => ({
  askedAt,
  said: { kind: 'served', balanceMills: mills(balance), currency: 'USD' },
})
const refused = { ceilingMills: mills(10_000n), detail: 'noFunds', at: later(10) }
/** Read after the refusal, with nothing else under way. */
const read = (known: MarketAccount, balance: bigint, askedAt = later(11)): MarketAccount =>
  judgeReading(
    withBalance(known, served(balance, askedAt)),
    served(balance, askedAt),
    figures(balance),
  )

describe('an account whose order was refused for lack of money', () => {
  it('is in question until its balance is read, and stays in the shop meanwhile', () => {
    const questioned = question(account(), refused)
    assert.deepEqual(
      [questioned.closedBecause, questioned.opensAtMills, questioned.closedAt],
      ['in_question', 10_000n, later(10)],
    )
    assert.equal(coverOf(questioned, figures(100_000n)), 100_000n)
  })

  it('is closed when the balance is below the price, until a reading shows more', () => {
    const closed = read(question(account(), refused), 9_999n)
    assert.deepEqual([closed.closedBecause, closed.opensAtMills], ['no_funds', 10_000n])
    assert.equal(coverOf(closed, figures(9_999n)), 0n)
    const less = read(closed, 500n, later(60))
    assert.deepEqual([less.closedBecause, less.opensAtMills], ['no_funds', 501n])
    assert.equal(read(less, 500n, later(120)).closedBecause, 'no_funds')
    assert.equal(read(less, 501n, later(120)).closedBecause, null)
  })

  it('is open again when the balance covers the price, but for the fifth refusal in a row', () => {
    let known = account()
    for (let refusals = 1; refusals < 5; refusals++) {
      known = read(question(known, { ...refused, at: later(refusals * 20) }), 100_000n, later(199))
      assert.deepEqual([known.closedBecause, known.refusals], [null, refusals])
      known = { ...known, balanceAt: START }
    }
    const closed = read(question(known, refused), 100_000n)
    assert.deepEqual([closed.closedBecause, closed.opensAtMills], ['no_funds', 100_001n])
    const opened = read(closed, 100_001n, later(60))
    assert.deepEqual([opened.closedBecause, opened.refusals], [null, 0])
  })

  it('is not judged by a reading that began before the refusal', () => {
    const questioned = question(account(), refused)
    assert.equal(read(questioned, 0n, later(9)).closedBecause, 'in_question')
  })

  it('is closed by the refusal when nothing was read for half a minute', () => {
    const questioned = question(account(), refused)
    assert.equal(judgeQuestion(questioned, later(39)).closedBecause, 'in_question')
    assert.equal(judgeQuestion(questioned, later(40)).closedBecause, 'no_funds')
  })
})

describe('an account that its market does not serve', () => {
  for (const because of ['forbidden', 'currency'] as const) {
    it(`(${because}) is closed until it is served, and no balance opens it before`, () => {
      const closed = close(account(), { because, detail: 'no', at: later(10) })
      assert.deepEqual([closed.closedBecause, closed.closedAt], [because, later(10)])
      assert.equal(coverOf(closed, figures(100_000n)), 0n)
      assert.equal(read(closed, 100_000n, later(9)).closedBecause, because)
      assert.equal(read(closed, 1n).closedBecause, null)
    })
  }

  it('is closed by a reading that says so', () => {
    const said = { kind: 'refused', because: 'forbidden', detail: 'Bad KEY' } as const
    const closed = judgeReading(account(), { askedAt: later(5), said }, figures(1n))
    assert.deepEqual([closed.closedBecause, closed.closedDetail], ['forbidden', 'Bad KEY'])
  })
})

describe('an account that is low', () => {
  const judged = (spendable: bigint | null, waiting = 0n, known = account()) =>
    judgeCover(known, figures(spendable, waiting), later(1)).closedBecause

  it('is closed when what can be spent does not cover what waits, or is nothing', () => {
    assert.equal(judged(10_000n, 10_000n), null)
    assert.equal(judged(9_999n, 10_000n), 'low')
    assert.equal(judged(0n), 'low')
    assert.equal(judged(-1n), 'low')
    assert.equal(judged(null, 10_000n), null)
  })

  it('opens when what can be spent covers it again, and nothing else closes it', () => {
    const low = judgeCover(account(), figures(0n), later(1))
    assert.equal(judged(1n, 0n, low), null)
    const forbidden = close(low, { because: 'forbidden', detail: '', at: later(2) })
    assert.equal(judged(100_000n, 0n, forbidden), 'forbidden')
  })
})

describe('what a buyer may spend', () => {
  it('is what can be spent less what waits, nothing at a closed account, unbounded while unknown', () => {
    assert.equal(coverOf(account(), figures(10_000n, 4_000n)), 6_000n)
    assert.equal(coverOf(account(), figures(4_000n, 6_000n)), 0n)
    assert.equal(coverOf(account(), figures(null, 4_000n)), null)
    assert.equal(coverOf(account({ state: 'disabled' }), figures(10_000n)), 0n)
  })
})

it('a reading that is older than the known balance changes no balance', () => {
  const known = account({ balanceAt: later(10) })
  assert.equal(withBalance(known, served(5n, later(10))), known)
  assert.equal(withBalance(known, served(5n, later(11))).balanceMills, 5n)
})

it('cover is the balance less the reserve in days of the last seven’s spending', () => {
  const cover = (balance: bigint | null, reserve: bigint, spent: bigint | null) =>
    coverDaysOf(
      account({
        balanceMills: balance as Mills | null,
        reserveMills: mills(reserve),
        spentWeekMills: spent as Mills | null,
      }),
    )
  assert.equal(cover(1_000_000n, 400_000n, 2_100_000n), 2)
  assert.equal(cover(400_000n, 500_000n, 2_100_000n), 0)
  assert.deepEqual(
    [cover(1n, 0n, 0n), cover(null, 0n, 1n), cover(1n, 0n, null)],
    [null, null, null],
  )
})
