import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RpcReply } from './rpc-address.ts'
import { mergeSendAnswers, sendAnswerOf } from './send-answer.ts'

const error = (message: string, code = -32000) => ({ code, message, data: undefined })
const HASH = `0x${'ab'.repeat(32)}`
const accepted: RpcReply = { kind: 'result', value: HASH }
const refused = (message: string): RpcReply => ({ kind: 'error', error: error(message) })

type Kind = ReturnType<typeof sendAnswerOf>['kind']

/** What each client sends; BSC, the OP stack and Nitro have the texts of geth unless they are named. */
const TEXTS: readonly (readonly [client: string, kind: Kind, text: string])[] = [
  ['geth', 'already_known', 'already known'],
  ['older geth', 'already_known', 'known transaction: 0xabc'],
  ['reth', 'already_known', 'already known'],
  ['erigon', 'already_known', 'ALREADY_EXISTS: already known'],
  ['erigon', 'already_known', 'INTERNAL_ERROR: existing tx with same hash'],
  ['nethermind', 'already_known', 'AlreadyKnown'],
  ['nethermind', 'already_known', 'already known'],
  ['besu', 'already_known', 'Known transaction'],
  ['anvil', 'already_known', 'transaction already imported'],

  ['geth', 'nonce_too_low', 'nonce too low: next nonce 5, tx nonce 3'],
  ['older geth', 'nonce_too_low', 'nonce too low'],
  ['Nitro', 'nonce_too_low', 'nonce too low: address 0xabc, tx: 3 state: 5'],
  ['reth', 'nonce_too_low', 'nonce too low: next nonce 5, tx nonce 3'],
  ['erigon', 'nonce_too_low', 'INTERNAL_ERROR: nonce too low'],
  ['nethermind', 'nonce_too_low', 'OldNonce, Current nonce: 5, nonce of rejected tx: 3'],
  ['nethermind', 'nonce_too_low', 'nonce too low: Current nonce: 5, nonce of rejected tx: 3'],
  ['besu', 'nonce_too_low', 'Nonce too low'],

  ['geth', 'underpriced', 'replacement transaction underpriced'],
  ['geth', 'underpriced', 'replacement transaction underpriced: new tx gas fee cap 1 <= 1 queued'],
  ['reth', 'underpriced', 'replacement transaction underpriced'],
  ['erigon', 'underpriced', 'replacement transaction underpriced'],
  ['erigon', 'underpriced', 'INTERNAL_ERROR: could not replace existing tx'],
  ['nethermind', 'underpriced', 'ReplacementNotAllowed'],
  ['nethermind', 'underpriced', 'OwnNonceAlreadyUsed'],
  ['besu', 'underpriced', 'Replacement transaction underpriced'],

  ['geth', 'fee_too_low', 'max fee per gas less than block base fee: address 0xabc, baseFee: 7'],
  ['geth', 'fee_too_low', 'transaction underpriced: gas tip cap 1, minimum needed 1000000000'],
  ['Nitro', 'fee_too_low', 'max fee per gas less than block base fee: maxFeePerGas: 1 baseFee: 7'],
  ['reth', 'fee_too_low', 'transaction underpriced'],
  ['erigon', 'fee_too_low', 'INTERNAL_ERROR: underpriced'],
  ['erigon', 'fee_too_low', 'fee too low'],
  ['nethermind', 'fee_too_low', 'FeeTooLow, MaxFeePerGas too low. MaxFeePerGas: 1, BaseFee: 7'],
  ['nethermind', 'fee_too_low', 'FeeTooLowToCompete'],
  ['besu', 'fee_too_low', 'Gas price below configured minimum gas price'],
  ['besu', 'fee_too_low', 'Gas price below current base fee'],
  ['anvil', 'fee_too_low', 'max fee per gas less than block base fee'],

  [
    'geth',
    'insufficient_funds',
    'insufficient funds for gas * price + value: balance 0, tx cost 1',
  ],
  ['Nitro', 'insufficient_funds', 'not enough funds for gas'],
  ['reth', 'insufficient_funds', 'insufficient funds for gas * price + value: have 0 want 1'],
  ['erigon', 'insufficient_funds', 'INTERNAL_ERROR: insufficient funds'],
  ['nethermind', 'insufficient_funds', 'InsufficientFunds, Account balance: 0, cumulative cost: 1'],
  ['besu', 'insufficient_funds', 'Upfront cost exceeds account balance'],
  ['anvil', 'insufficient_funds', 'Insufficient funds for gas * price + value'],

  // Not taken, and nothing is concluded from it: the same bytes are sent again.
  ['geth', 'unknown', 'txpool is full'],
  ['geth', 'unknown', 'future transaction tries to replace pending'],
  ['geth', 'unknown', 'nonce too high: next nonce 3, tx nonce 5'],
  ['geth', 'unknown', 'tx fee (1.10 ether) exceeds the configured cap (1.00 ether)'],
  ['erigon', 'unknown', 'pending sub-pool is full'],
  ['nethermind', 'unknown', 'NonceGap, Future nonce. Expected nonce: 3'],
  ['Nitro', 'unknown', 'sequencer pending tx pool full, please try again'],
  ['a provider', 'unknown', 'unknown transaction type'],
]

test('the texts of the clients are known, and what is not known has an unknown outcome', () => {
  for (const [client, kind, text] of TEXTS) {
    assert.equal(sendAnswerOf(error(text)).kind, kind, `${client}: ${text}`)
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
