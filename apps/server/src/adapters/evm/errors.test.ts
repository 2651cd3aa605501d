import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  isInsufficientFunds,
  isMethodMissing,
  isRevert,
  isStateGone,
  isUnknownBlock,
} from './errors.ts'

const MEANINGS = { isInsufficientFunds, isMethodMissing, isRevert, isStateGone, isUnknownBlock }

/** What each client sends, and the one thing that it stands for; none for the last group. */
const ERRORS: readonly (readonly [keyof typeof MEANINGS | null, number, string])[] = [
  ['isUnknownBlock', -32000, 'unknown block'],
  ['isUnknownBlock', -32000, 'header not found'],
  ['isUnknownBlock', -32001, 'Resource not found'],
  ['isUnknownBlock', -32000, 'block not found: hash 0xabc'],
  ['isUnknownBlock', -32000, 'block 0xabc not found'],
  ['isStateGone', -32000, 'missing trie node 0xabc (path ) state 0xdef is not available'],
  ['isStateGone', -32000, 'required historical state unavailable (reexec=128)'],
  ['isStateGone', -32002, 'No state available for block 0xabc'],
  ['isStateGone', -32602, 'BlockOutOfRangeError: block height is 97 but requested was 1'],
  ['isStateGone', -32603, 'Required data unavailable'],
  ['isMethodMissing', -32601, 'the method debug_traceBlockByHash does not exist/is not available'],
  ['isMethodMissing', -32601, 'Method not found'],
  ['isMethodMissing', -32004, 'Method not supported'],
  ['isMethodMissing', -32600, 'The method debug_traceBlockByHash is not available on this plan'],
  ['isRevert', 3, 'execution reverted: balance too low'],
  ['isRevert', -32000, 'execution reverted'],
  ['isRevert', -32015, 'VM execution error.'],
  ['isInsufficientFunds', -32000, 'insufficient funds for gas * price + value'],
  ['isInsufficientFunds', -32003, 'Insufficient funds for gas * price + value'],
  ['isInsufficientFunds', -32000, 'insufficient funds for transfer'],
  ['isInsufficientFunds', -32603, 'Upfront cost exceeds account balance'],
  ['isInsufficientFunds', -32000, 'InsufficientFunds, Account balance: 0, cumulative cost: 21000'],
  [null, -32005, 'limit exceeded'],
  [null, -32603, 'Internal error'],
  [null, -32000, 'request timed out'],
  [null, -32000, 'execution aborted (timeout = 5s)'],
  [null, -32602, 'invalid argument 0: hex string has length 2'],
  [null, 0, ''],
]

test('each error of the clients has one meaning, and all others have none', () => {
  for (const [meaning, code, message] of ERRORS) {
    const error = { code, message, data: undefined }
    const found = Object.entries(MEANINGS).filter(([, is]) => is(error))
    assert.deepEqual(
      found.map(([name]) => name),
      meaning === null ? [] : [meaning],
      `${code} ${message}`,
    )
  }
})
