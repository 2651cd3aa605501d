import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupedBySteps, stepOf } from './steps.ts'

type Line = readonly [minute: number, kind: string, what: string, status?: string]

const grouped = (lines: readonly Line[]) =>
  groupedBySteps(
    lines.map(([minute, kind, what, status = null]) => ({
      at: `2026-11-20T12:${String(minute).padStart(2, '0')}:00.000Z`,
      step: stepOf(kind, what, status),
      what,
    })),
  )

const PLAIN_BUY: readonly Line[] = [
  [0, 'request', 'buy'],
  [0, 'money', 'trade_payment'],
  [0, 'event', 'trade.initiated'],
  [0, 'webhook', 'trade.initiated'],
  [1, 'item', 'moved', 'pending'],
  [1, 'event', 'trade.pending'],
  [1, 'webhook', 'trade.pending'],
  [2, 'item', 'moved', 'active'],
  [2, 'offer', 'known'],
  [2, 'event', 'trade.active'],
  [2, 'webhook', 'trade.active'],
  [5, 'item', 'moved', 'hold'],
  [5, 'event', 'trade.hold'],
  [5, 'webhook', 'trade.hold'],
  [9, 'item', 'moved', 'completed'],
  [9, 'event', 'trade.completed'],
  [9, 'event', 'trade.settled'],
]

test('the seventeen entries of a plain buy are six steps, and no entry is lost', () => {
  const steps = grouped(PLAIN_BUY)
  assert.deepEqual(
    steps.map(({ step }) => step),
    ['requested', 'paid', 'placed', 'offered', 'held', 'settled'],
  )
  assert.equal(steps.flatMap(({ lines }) => lines).length, PLAIN_BUY.length)
})

test('what is of no step belongs to the one that the trade was in', () => {
  const steps = grouped([
    [0, 'request', 'buy'],
    [1, 'item', 'moved', 'pending'],
    [2, 'call', 'look-up: read'],
    [3, 'item', 'cancel_requested', 'pending'],
    [4, 'item', 'moved', 'canceled'],
    [5, 'money', 'trade_refund'],
    [6, 'event', 'trade.refunded'],
  ])
  assert.deepEqual(
    steps.map(({ step, lines }) => [step, lines.map(({ what }) => what)]),
    [
      ['requested', ['buy']],
      ['placed', ['moved', 'look-up: read', 'cancel_requested']],
      ['ended', ['moved', 'trade_refund', 'trade.refunded']],
    ],
  )
})

test('a webhook that is sent again late is with its event, and sets nothing back', () => {
  const steps = grouped([
    [0, 'request', 'buy'],
    [1, 'item', 'moved', 'pending'],
    [5, 'webhook', 'trade.initiated'],
    [6, 'call', 'look-up: read'],
  ])
  assert.deepEqual(
    steps.map(({ step, lines }) => [step, lines.length]),
    [
      ['requested', 2],
      ['placed', 2],
    ],
  )
})

test('of two items one ends early: the end stands where it began, and the other item goes on', () => {
  const steps = grouped([
    [0, 'request', 'buy'],
    [1, 'item', 'moved', 'pending'],
    [2, 'item', 'moved', 'failed'],
    [3, 'call', 'look-up: read'],
    [4, 'item', 'moved', 'active'],
    [6, 'item', 'moved', 'completed'],
  ])
  assert.deepEqual(
    steps.map(({ step, lines }) => [step, lines.map(({ what }) => what)]),
    [
      ['requested', ['buy']],
      ['placed', ['moved', 'look-up: read']],
      ['ended', ['moved']],
      ['offered', ['moved']],
      ['settled', ['moved']],
    ],
  )
})
