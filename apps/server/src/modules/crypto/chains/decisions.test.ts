import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Address, Hex } from '#kernel/chain'
import { cents } from '#kernel/money'
import { manualClock } from '../../../infra/testing/clock.ts'
import { confirmationsAt, finalityFor, isFinal, PRODUCTION_RULES, sandboxRules } from './policy.ts'
import type { TransferLog } from './ports.ts'
import { createPriceReader, decidePrice } from './price.ts'
import {
  incomingOf,
  ownPaymentsOf,
  readMovements,
  readTransferLogs,
  TRANSFER_TOPIC,
} from './read-transfers.ts'
import { centsOf } from './value.ts'

const rulesOf = (chain: string) => {
  const rules = PRODUCTION_RULES.find((one) => one.chain === chain)
  assert.ok(rules)
  return rules
}
const at = (head: bigint, tags: { safe?: bigint; finalized?: bigint } = {}) => ({
  head,
  safe: tags.safe ?? null,
  finalized: tags.finalized ?? null,
})

describe('a transfer is final', () => {
  test('after exactly as many blocks as its chain asks for, its own included', () => {
    const { finality } = rulesOf('ethereum')
    assert.equal(confirmationsAt(111n, 100n), 12n)
    assert.equal(isFinal(finality, 100n, at(110n)), false)
    assert.equal(isFinal(finality, 100n, at(111n)), true)
    assert.equal(isFinal(finality, 100n, at(99n)), false)
  })

  test('on a roll-up when its block is at or below the safe one, and by depth without that tag', () => {
    const { finality } = rulesOf('base')
    assert.equal(isFinal(finality, 100n, at(500n, { safe: 99n })), false)
    assert.equal(isFinal(finality, 100n, at(101n, { safe: 100n })), true)
    assert.equal(isFinal(finality, 100n, at(278n)), false)
    assert.equal(isFinal(finality, 100n, at(279n)), true)
  })

  test('from a thousand dollars on, or with no known value, by the finalized tag', () => {
    const rules = rulesOf('bsc')
    assert.deepEqual(finalityFor(rules, cents(99_999n)), { mode: 'depth', blocks: 15n })
    assert.equal(finalityFor(rules, cents(100_000n)).mode, 'finalized')
    assert.equal(finalityFor(rules, null).mode, 'finalized')
    assert.equal(isFinal(rules.largeFinality, 100n, at(120n, { finalized: 99n })), false)
    assert.equal(isFinal(rules.largeFinality, 100n, at(120n, { finalized: 100n })), true)
  })

  test('never by a tag above what was scanned', () => {
    assert.equal(isFinal(rulesOf('base').finality, 100n, at(99n, { safe: 200n })), false)
  })

  test('after three blocks with the sandbox', () => {
    for (const { finality, largeFinality } of sandboxRules(3n)) {
      assert.equal(isFinal(finality, 10n, at(11n)), false)
      assert.equal(isFinal(largeFinality, 10n, at(12n)), true)
    }
  })
})

describe('base units', () => {
  test('become cents once, rounded down, with the decimals of their chain', () => {
    const dollar = 100_000_000n
    assert.equal(centsOf(1_239_999n, 6, dollar), 123n)
    assert.equal(centsOf(1_239_999_999_999_999_999n, 18, dollar), 123n)
    assert.equal(centsOf(9_999n, 6, dollar), 0n)
    assert.equal(centsOf(10n ** 18n, 18, 345_678_999_999n), 345_678n)
    assert.equal(centsOf(10n ** 77n, 18, dollar), 10n ** 61n)
  })
})

describe('the price', () => {
  const quotes = (...prices: bigint[]) =>
    prices.map((usdE8, i) => ({ source: `source ${i}`, usdE8 }))

  test('of a stable coin is one dollar while every source is less than 1 % away', () => {
    const near = decidePrice('USDT', quotes(99_000_001n, 100_999_999n))
    assert.deepEqual(near, {
      kind: 'price',
      usdE8: 100_000_000n,
      sources: ['source 0', 'source 1'],
    })
    for (const off of [99_000_000n, 101_000_000n]) {
      assert.deepEqual(decidePrice('USDC', quotes(100_000_000n, off)), {
        kind: 'none',
        reason: 'off_parity',
      })
    }
    assert.deepEqual(decidePrice('USDC', []), { kind: 'none', reason: 'too_few' })
  })

  test('of a native coin is the median of at least two sources that are less than 1 % apart', () => {
    const price = (...prices: bigint[]) => decidePrice('ETH', quotes(...prices))
    assert.deepEqual(price(350_000_000_000n), { kind: 'none', reason: 'too_few' })
    assert.deepEqual(price(350_000_000_000n, 353_500_000_000n), {
      kind: 'none',
      reason: 'divergent',
    })
    const two = price(350_000_000_001n, 351_000_000_000n)
    assert.equal(two.kind === 'price' && two.usdE8, 350_500_000_000n)
    const three = price(351_000_000_000n, 350_000_000_000n, 350_100_000_000n)
    assert.equal(three.kind === 'price' && three.usdE8, 350_100_000_000n)
  })

  test('takes no price that is stale, ahead of the clock or not positive, nor a source that fails', async () => {
    const clock = manualClock()
    const unused: string[] = []
    const source = (id: string, usdE8: bigint, ageMs: number, maxAgeMs?: number) => ({
      id,
      ...(maxAgeMs === undefined ? {} : { maxAgeMs }),
      read: async () => ({ usdE8, at: new Date(clock.now().getTime() - ageMs) }),
    })
    const read = createPriceReader({
      clock,
      sources: [
        source('fresh', 350_000_000_000n, 60_000),
        source('stale', 350_000_000_000n, 60_001),
        source('slow by its nature', 350_000_000_000n, 3_000_000, 3_600_000),
        source('ahead', 350_000_000_000n, -5001),
        source('zero', 0n, 0),
        { id: 'without a price', read: async () => null },
        { id: 'away', read: () => Promise.reject(new Error('no answer')) },
      ],
      onUnused: (id, _asset, why) => unused.push(`${id}: ${why}`),
    })
    assert.deepEqual(await read('ETH'), {
      kind: 'price',
      usdE8: 350_000_000_000n,
      sources: ['fresh', 'slow by its nature'],
    })
    assert.deepEqual(unused.sort(), [
      'ahead: stale',
      'away: no answer',
      'stale: stale',
      'zero: not_positive',
    ])
  })
})

const hex = (digit: string, length: number): Hex => `0x${digit.repeat(length)}`
const wordOf = (address: Address): Hex => `0x${'0'.repeat(24)}${address.slice(2)}`
const [sender, user, token] = ['1', '2', '3'].map((digit) => hex(digit, 40)) as [
  Address,
  Address,
  Address,
]
const TX = hex('a', 64)

const log = (logIndex: number, more: Partial<TransferLog> = {}): TransferLog => ({
  txHash: TX,
  blockHash: hex('b', 64),
  logIndex,
  contract: token,
  topics: [TRANSFER_TOPIC, wordOf(sender), wordOf(user)],
  data: `0x${5n.toString(16).padStart(64, '0')}`,
  ...more,
})

describe('the logs of a block', () => {
  test('are numbered within their transaction, whatever comes before it in the block', () => {
    const other = hex('c', 64)
    const first = readTransferLogs([log(7), log(9), log(8, { txHash: other })])
    const moved = readTransferLogs([log(1), log(4), log(2, { txHash: other })])
    const places = (movements: ReturnType<typeof readTransferLogs>) =>
      movements.map(({ txHash, ordinal }) => `${txHash.slice(2, 3)}${ordinal}`).sort()
    assert.deepEqual(places(first), ['a0', 'a1', 'c0'])
    assert.deepEqual(places(moved), places(first))
  })

  test('count once when a node lists them twice, in any order', () => {
    assert.deepEqual(readTransferLogs([log(3), log(2), log(3)]), readTransferLogs([log(2), log(3)]))
  })

  test('of NFTs, of nothing and of other forms are not transfers, and keep their number', () => {
    const nft = log(0, { topics: [...log(0).topics, hex('0', 64)], data: '0x' })
    const nothing = log(1, { data: hex('0', 64) })
    const long = log(2, { data: hex('1', 128) })
    const dirty = log(3, { topics: [TRANSFER_TOPIC, wordOf(sender), hex('f', 64)] })
    const other = log(4, { topics: [hex('d', 64), wordOf(sender), wordOf(user)] })
    const kept = readTransferLogs([nft, nothing, long, dirty, other, log(5)])
    assert.deepEqual(
      kept.map(({ ordinal, units, to }) => ({ ordinal, units, to })),
      [{ ordinal: '5', units: 5n, to: user }],
    )
  })
})

test('what we send ourselves, and what goes to others, is not incoming', () => {
  const ours = (lookup: Address) =>
    ({ id: lookup, ownerId: lookup, purpose: 'deposit', address: lookup, lookup }) as const
  const gas = hex('9', 40)
  const second = hex('8', 40)
  const sends = [sender, gas, second].map((from) => ({ txHash: TX, from, to: user, units: 1n }))
  const block = {
    number: 1n,
    hash: hex('b', 64),
    parentHash: hex('c', 64),
    at: new Date(),
    nativeSends: [...sends, { txHash: TX, from: sender, to: sender, units: 1n }],
  }
  const internals = [
    { txHash: TX, path: '0.1', from: sender, to: user, units: 2n },
    { txHash: TX, path: '0.2', from: sender, to: user, units: 0n },
  ]
  const movements = readMovements(block, [log(0)], internals)
  const own = {
    addresses: new Map([user, second].map((address) => [address, ours(address)])),
    ownSenders: new Set([gas]),
    tokens: new Map(),
  }
  const incoming = incomingOf(movements, own)
  assert.deepEqual(
    incoming.map(({ kind, ordinal }) => `${kind} ${ordinal}`),
    ['erc20 0', 'native 0', 'internal 0.1'],
  )
  assert.deepEqual(
    ownPaymentsOf(movements, own).map(({ from }) => from),
    [gas, second],
  )
})
