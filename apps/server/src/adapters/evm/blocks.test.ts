import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { InvalidAnswer } from './answers.ts'
import {
  readBlock,
  readBlockLogs,
  readCallTraces,
  readFlatTraces,
  readHeader,
  readOutcomes,
  readReceipt,
  TRANSFER_TOPIC,
} from './blocks.ts'

const word = (digit: string): `0x${string}` => `0x${digit.repeat(64)}`
const place = (digit: string): `0x${string}` => `0x${digit.repeat(40)}`
const BLOCK = word('b')
const TX = word('7')

const header = { number: '0x10', hash: BLOCK, parentHash: word('a'), timestamp: '0x5' }
const log = {
  transactionHash: TX,
  blockHash: BLOCK,
  logIndex: '0x2',
  address: place('c'),
  topics: [TRANSFER_TOPIC],
  data: word('1'),
}
const receipt = {
  transactionHash: TX,
  blockHash: BLOCK,
  blockNumber: '0x10',
  status: '0x1',
  from: place('1'),
  to: place('2'),
  logs: [log],
}

test('hashes and addresses are in lower case, whatever a node sends', () => {
  const upperCase = { ...header, hash: `0x${'B'.repeat(64)}` }
  assert.equal(readHeader(upperCase).hash, BLOCK)
  const [read] = readBlockLogs([{ ...log, address: `0x${'C'.repeat(40)}` }], BLOCK)
  assert.equal(read?.contract, place('c'))
})

test('of a block the sends of native coin are kept, calls and creations are not', () => {
  const send = { hash: TX, from: place('1'), to: place('2'), value: '0x5' }
  const transactions = [
    send,
    { ...send, value: '0x0' },
    { ...send, value: '0x00' },
    { ...send, to: null },
  ]
  const { nativeSends } = readBlock({ ...header, transactions })
  assert.deepEqual(nativeSends, [{ txHash: TX, from: place('1'), to: place('2'), units: 5n }])
})

test('logs are in the order of the block, each once, and removed ones are left out', () => {
  const logs = [log, { ...log, logIndex: '0x0' }, log, { ...log, logIndex: '0x9', removed: true }]
  assert.deepEqual(
    readBlockLogs(logs, BLOCK).map(({ logIndex }) => logIndex),
    [0, 2],
  )
})

test('logs that contradict each other or the question are refused', () => {
  const refused = (logs: unknown[]): void => {
    assert.throws(() => readBlockLogs(logs, BLOCK), InvalidAnswer)
  }
  refused([log, { ...log, data: word('2') }])
  refused([log, { ...log, transactionHash: word('8') }])
  refused([{ ...log, blockHash: word('e') }])
  refused([{ ...log, topics: null }])
  refused([{ ...log, data: '0x123' }])
  refused([{ ...log, logIndex: '0xffffffffffffffff' }])
})

test('a receipt must be of the transaction, and say whether it succeeded', () => {
  assert.equal(readReceipt(receipt, TX)?.succeeded, true)
  assert.equal(readReceipt({ ...receipt, status: '0x0' }, TX)?.succeeded, false)
  assert.equal(readReceipt({ ...receipt, blockHash: null }, TX), null)
  for (const change of [{ transactionHash: word('8') }, { status: undefined }, { status: '0x2' }]) {
    assert.throws(() => readReceipt({ ...receipt, ...change }, TX), InvalidAnswer)
  }
})

test('the outcomes of a block are those of its receipts, each of this block and with one outcome', () => {
  const failed = { ...receipt, transactionHash: word('8'), status: '0x0' }
  const read = readOutcomes([receipt, failed, receipt], BLOCK)
  assert.deepEqual(
    [...read],
    [
      [TX, true],
      [word('8'), false],
    ],
  )
  for (const change of [{ blockHash: word('e') }, { blockHash: null }, { status: '0x0' }]) {
    assert.throws(() => readOutcomes([receipt, { ...receipt, ...change }], BLOCK), InvalidAnswer)
  }
})

const call = (to: string, value: string, more: object = {}): object => ({
  type: 'CALL',
  from: place('1'),
  to: place(to),
  value,
  ...more,
})

test('of call traces every inner movement is kept, with its path, and no undone one', () => {
  const inner = [
    call('2', '0x1', { calls: [call('3', '0x2')] }),
    call('4', '0x5', { error: 'execution reverted', calls: [call('5', '0x6')] }),
    call('6', '0x7', { type: 'DELEGATECALL' }),
    call('7', '0x8', { type: 'CREATE2' }),
    call('8', '0x9', { type: 'SELFDESTRUCT' }),
    { type: 'STATICCALL', from: place('1'), to: place('9') },
  ]
  const traces = [
    { txHash: TX, result: call('1', '0xff', { calls: inner }) },
    { txHash: word('8'), result: call('1', '0xff', { error: 'out of gas', calls: inner }) },
  ]
  const found = readCallTraces(traces)
  assert.ok(Array.isArray(found))
  assert.deepEqual(
    found.map(({ path, units }) => [path, units]),
    [
      ['0', 1n],
      ['0.0', 2n],
      ['3', 8n],
      ['4', 9n],
    ],
  )
})

test('traces of which one could not be made are not taken for an empty block', () => {
  const traces = [{ txHash: TX, error: 'required state is not available' }]
  assert.equal(readCallTraces(traces), 'untraceable')
})

test('flat traces give the same; below a failed call nothing counts', () => {
  const entry = (traceAddress: number[], value: string, more: object = {}): object => ({
    type: 'call',
    transactionHash: TX,
    blockHash: BLOCK,
    traceAddress,
    action: { callType: 'call', from: place('1'), to: place('2'), value },
    ...more,
  })
  const entries = [
    entry([], '0xff'),
    entry([1], '0x1', { error: 'Reverted' }),
    entry([1, 0], '0x2'),
    entry([10], '0x3'),
    entry([2], '0x4', {
      action: { callType: 'delegatecall', from: place('1'), to: place('2'), value: '0x4' },
    }),
    entry([3], '0x5', {
      type: 'create',
      action: { from: place('1'), value: '0x5' },
      result: { address: place('3') },
    }),
    entry([4], '0x6', {
      type: 'suicide',
      action: { address: place('1'), refundAddress: place('4'), balance: '0x6' },
    }),
    { type: 'reward', transactionHash: null, blockHash: BLOCK, traceAddress: [], action: {} },
  ]
  assert.deepEqual(
    readFlatTraces(entries, BLOCK).map(({ path, to, units }) => [path, to, units]),
    [
      ['10', place('2'), 3n],
      ['3', place('3'), 5n],
      ['4', place('4'), 6n],
    ],
  )
  assert.throws(() => readFlatTraces([entry([0], '0x1')], word('e')), InvalidAnswer)
})

test('whatever a node sends is read or refused, and breaks nothing', () => {
  const readers: ((value: unknown) => unknown)[] = [
    readHeader,
    readBlock,
    (value) => readBlockLogs(value, BLOCK),
    (value) => readReceipt(value, TX),
    (value) => readOutcomes(value, BLOCK),
    readCallTraces,
    (value) => readFlatTraces(value, BLOCK),
  ]
  const samples = [header, { ...header, transactions: [receipt] }, [log], receipt]
  const mangled = fc
    .tuple(fc.constantFrom(...samples), fc.string(), fc.anything())
    .map(([sample, key, value]): unknown => {
      if (Array.isArray(sample)) return [...sample, value]
      const keys = Object.keys(sample)
      return { ...sample, [keys[key.length % keys.length] ?? key]: value }
    })
  fc.assert(
    fc.property(fc.oneof(fc.anything(), mangled), (value) => {
      for (const read of readers) {
        try {
          read(value)
        } catch (error) {
          assert.ok(error instanceof InvalidAnswer, String(error))
        }
      }
    }),
  )
})
