import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RpcReply } from './rpc-address.ts'
import { mergeSendAnswers, sendAnswerOf } from './send-answer.ts'

const error = (message: string, code = -32000) => ({ code, message, data: undefined })
const HASH = `0x${'ab'.repeat(32)}`
const accepted: RpcReply = { kind: 'result', value: HASH }
const refused = (message: string): RpcReply => ({ kind: 'error', error: error(message) })

const TEXTS = {
  already_known: [
    'already known',
    'transaction already imported',
    'AlreadyKnown',
    'ALREADY_EXISTS: already known',
    'known transaction: 0xabc',
  ],
  nonce_too_low: [
    'nonce too low',
    'nonce too low: next nonce 5, tx nonce 3',
    'nonce too low: address 0xabc, tx: 3 state: 5',
    'OldNonce',
  ],
  underpriced: [
    'replacement transaction underpriced',
    'ReplacementNotAllowed',
    'could not replace existing tx',
  ],
  fee_too_low: [
    'max fee per gas less than block base fee: address 0xabc, maxFeePerGas: 1, baseFee: 7',
    'max fee per gas less than block base fee',
    'transaction underpriced',
    'transaction underpriced: gas tip cap 1, minimum needed 1000000000',
    'FeeTooLow, MaxFeePerGas too low',
  ],
  insufficient_funds: [
    'insufficient funds for gas * price + value: balance 0, tx cost 1, overshot 1',
    'Insufficient funds for gas * price + value',
    'InsufficientFunds, Account balance: 0',
  ],
} as const

test('the texts of the clients are known', () => {
  for (const [kind, texts] of Object.entries(TEXTS)) {
    for (const text of texts) assert.equal(sendAnswerOf(error(text)).kind, kind, text)
  }
})

test('a text that is not known has an unknown outcome', () => {
  for (const text of ['', 'internal error', 'request timed out', 'execution aborted (timeout)']) {
    assert.equal(sendAnswerOf(error(text)).kind, 'unknown', text)
  }
})

test('an acceptance by one node counts, whatever the others answer', () => {
  const others = [null, refused('nonce too low'), refused('insufficient funds')]
  for (const other of others) {
    assert.deepEqual(mergeSendAnswers([other, accepted], HASH), { kind: 'accepted' })
  }
})

test('an acceptance under another hash is no acceptance', () => {
  const other: RpcReply = { kind: 'result', value: `0x${'cd'.repeat(32)}` }
  assert.equal(mergeSendAnswers([other], HASH).kind, 'unknown')
})

test('a refusal does not count beside a node whose answer was lost', () => {
  const replies = [refused('insufficient funds'), null]
  assert.equal(mergeSendAnswers(replies, HASH).kind, 'unknown')
  assert.equal(mergeSendAnswers([refused('insufficient funds')], HASH).kind, 'insufficient_funds')
  assert.equal(mergeSendAnswers([refused('nonce too low'), null], HASH).kind, 'nonce_too_low')
})

test('without any node the outcome is unknown', () => {
  assert.equal(mergeSendAnswers([], HASH).kind, 'unknown')
})
