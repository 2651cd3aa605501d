import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { HeldOrder } from '#buying'
import { mills } from '#kernel/money'
import { compare } from './compare.ts'
import type { StatementLine } from './ports.ts'

const NOW = new Date('2026-11-21T12:00:00.000Z')
const ago = (minutes: number): Date => new Date(NOW.getTime() - minutes * 60_000)
const SETTLE_MINUTES = 15

const order = (overrides: Partial<HeldOrder> = {}): HeldOrder => ({
  itemId: 'i-1',
  customId: 'c-1',
  state: 'placed',
  sentAt: ago(60),
  orderId: '17',
  paidMills: mills(1000n),
  ceilingMills: mills(1000n),
  status: 'hold',
  statusAt: ago(50),
  revertedBy: null,
  isDecided: false,
  ...overrides,
})
const line = (overrides: Partial<StatementLine> = {}): StatementLine => ({
  orderId: '17',
  customId: 'c-1',
  placedAt: ago(60),
  paidMills: mills(1000n),
  state: 'held',
  returnedMills: null,
  detail: '',
  ...overrides,
})
const against = (
  lines: readonly StatementLine[],
  orders: readonly HeldOrder[],
  isWhole = true,
  keptOnUserReversalBps: number | null = 3000,
) =>
  compare(
    {
      market: 'market_a',
      lines,
      isWhole,
      from: ago(120),
      askedAt: NOW,
      traits: { settleMs: SETTLE_MINUTES * 60_000, keptOnUserReversalBps },
    },
    orders,
  )
const kinds = (...args: Parameters<typeof against>): string[] =>
  against(...args).findings.map(({ kind }) => kind)

it('an item in its hold whose order has ended is to be looked up at once, and is no finding yet', () => {
  const { endedInHold, findings } = against([line({ state: 'ended' })], [order()])
  assert.deepEqual([endedInHold, findings], [['i-1'], []])
  assert.deepEqual(against([line()], [order()]).endedInHold, [])
  assert.deepEqual(
    against([line({ state: 'ended' })], [order({ status: 'reverted' })]).endedInHold,
    [],
  )
})

it('an order that no item stood behind before is cleared once one does', () => {
  const [unmatched] = against([line()], []).findings
  assert.equal(unmatched?.kind, 'orphan_purchase')
  const { findings, examined } = against([line()], [order()])
  assert.deepEqual(findings, [])
  assert.ok(examined.includes(unmatched.subject.name))
})

describe('a statement that agrees', () => {
  for (const [status, state] of [
    ['pending', 'open'],
    ['active', 'open'],
    ['hold', 'held'],
    ['hold', 'completed'],
    ['completed', 'held'],
    ['completed', 'completed'],
    // The follower will see these at its next look; nothing has ended on our side yet.
    ['pending', 'held'],
    ['hold', 'ended'],
  ] as const) {
    it(`${status} and ${state} open no case`, () => {
      assert.deepEqual(kinds([line({ state })], [order({ status })]), [])
    })
  }

  for (const status of ['failed', 'declined', 'canceled'] as const) {
    it(`${status}, ended and paid back opens no case`, () => {
      const ended = line({ state: 'ended', returnedMills: mills(1000n) })
      assert.deepEqual(kinds([ended], [order({ status })]), [])
    })
  }

  it('that does not know the price says nothing of it', () => {
    assert.deepEqual(kinds([line({ paidMills: null })], [order()]), [])
  })

  it('of what is in flight says nothing: the answer of the purchase may be on its way', () => {
    for (const state of ['placing', 'unknown'] as const) {
      assert.deepEqual(kinds([line()], [order({ state, orderId: null, status: 'initiated' })]), [])
      assert.deepEqual(against([], [order({ state, orderId: null })]).unlisted, [])
    }
  })
})

describe('an unmatched purchase', () => {
  it('is a line that no order of ours stands behind', () => {
    const { findings } = against([line({ customId: 'foreign' })], [])
    assert.deepEqual(
      findings.map(({ kind, subject }) => [kind, subject.name]),
      [['orphan_purchase', 'order:market_a:17']],
    )
    assert.deepEqual(kinds([line({ customId: null })], []), ['orphan_purchase'])
  })

  it('is a second line under the id of an order', () => {
    const { findings } = against([line(), line({ orderId: '18' })], [order()])
    assert.deepEqual(
      findings.map(({ subject }) => subject.name),
      ['order:market_a:18'],
    )
  })

  for (const state of ['refused', 'not_sent', 'absent', 'orphan'] as const) {
    it(`is a living line of an order that we hold as ${state}`, () => {
      const held = order({ state, orderId: null, status: 'failed' })
      assert.deepEqual(kinds([line()], [held]), ['orphan_purchase'])
    })
  }

  it('is none once it has ended: nothing was paid', () => {
    const ended = line({ state: 'ended', returnedMills: mills(1000n) })
    assert.deepEqual(kinds([ended], []), [])
    assert.deepEqual(kinds([ended], [order({ state: 'refused', orderId: null })]), [])
  })
})

describe('a price', () => {
  it('above the ceiling differs', () => {
    const dear = mills(1001n)
    assert.deepEqual(kinds([line({ paidMills: dear })], [order({ paidMills: dear })]), [
      'price_differs',
    ])
  })

  it('other than the purchase was answered with differs, even when it is lower', () => {
    assert.deepEqual(kinds([line({ paidMills: mills(900n) })], [order()]), ['price_differs'])
  })

  it('below the ceiling that both name is a bargain', () => {
    const cheap = mills(900n)
    assert.deepEqual(kinds([line({ paidMills: cheap })], [order({ paidMills: cheap })]), [])
  })
})

describe('a late contradiction', () => {
  for (const [status, state] of [
    ['failed', 'held'],
    ['failed', 'completed'],
    ['declined', 'completed'],
    ['canceled', 'held'],
    ['reverted', 'completed'],
    ['completed', 'ended'],
  ] as const) {
    it(`is ${status} here and ${state} there`, () => {
      const stated = line({ state, returnedMills: state === 'ended' ? mills(1000n) : null })
      assert.deepEqual(kinds([stated], [order({ status })]), ['late_contradiction'])
    })
  }

  it('is none where a person has decided that it was delivered all the same', () => {
    const stated = line({ state: 'ended', returnedMills: mills(700n) })
    assert.deepEqual(kinds([stated], [order({ status: 'completed', isDecided: true })]), [])
    const undone = order({ status: 'reverted', revertedBy: 'user', isDecided: true })
    assert.deepEqual(kinds([line({ state: 'completed' })], [undone]), ['late_contradiction'])
  })

  it('is none while it may be the order in which we looked', () => {
    const justNow = order({ status: 'failed', statusAt: ago(SETTLE_MINUTES - 1) })
    assert.deepEqual(kinds([line()], [justNow]), [])
  })
})

describe('a refund', () => {
  const ended = (returned: bigint) => line({ state: 'ended', returnedMills: mills(returned) })

  it('that came back in part was not received', () => {
    const { findings } = against([ended(700n)], [order({ status: 'declined' })])
    assert.deepEqual(
      findings.map(({ kind, details }) => [kind, details.shortMills]),
      [['refund_not_received', 300n]],
    )
  })

  it('is owed in full when the supplier reversed, and in part when the user did', () => {
    const bySupplier = order({ status: 'reverted', revertedBy: 'supplier' })
    const byUser = order({ status: 'reverted', revertedBy: 'user' })
    assert.deepEqual(kinds([ended(700n)], [bySupplier]), ['refund_not_received'])
    assert.deepEqual(kinds([ended(700n)], [byUser]), [])
    assert.deepEqual(kinds([ended(600n)], [byUser]), ['refund_not_received'])
  })

  it('after a user’s reversal is not judged where no document says what may be kept', () => {
    const byUser = order({ status: 'reverted', revertedBy: 'user' })
    assert.deepEqual(kinds([ended(1n)], [byUser], true, null), [])
  })
})

describe('an order that a statement does not list', () => {
  it('is to be looked up, not judged', () => {
    const { findings, unlisted } = against([], [order()])
    assert.deepEqual(findings, [])
    assert.deepEqual(
      unlisted.map(({ customId }) => customId),
      ['c-1'],
    )
  })

  it('is nothing when the statement is not whole, the order is new, or its money is back', () => {
    assert.deepEqual(against([], [order()], false).unlisted, [])
    assert.deepEqual(against([], [order({ sentAt: ago(SETTLE_MINUTES - 1) })]).unlisted, [])
    assert.deepEqual(against([], [order({ status: 'failed' })]).unlisted, [])
  })

  it('is lacking in the statement’s sum', () => {
    const lackingOf = (...given: Parameters<typeof against>) => against(...given).lacking.length
    assert.equal(lackingOf([line()], [order()]), 0)
    assert.equal(lackingOf([], [order({ sentAt: ago(1) })]), 1)
    assert.equal(lackingOf([], [order({ state: 'refused' })]), 0)
  })
})
