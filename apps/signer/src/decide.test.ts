import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decide } from './decide.ts'
import { parsePolicy } from './policy.ts'
import {
  KEYS,
  POLICY,
  POLICY_FILE,
  request,
  TREASURY,
  transfer,
  UNKNOWN_TOKEN,
  USDC,
  USER,
} from './testing/fixtures.ts'
import type { SigningRequest } from './transaction.ts'

const FEE = 21_000n * 1_000_000_000n
const HOT = KEYS.address('hot')
const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000'

function decision(of: SigningRequest, policy = POLICY): string | object {
  const result = decide(policy, KEYS, of)
  if (result.kind === 'rejected') return result.reason
  const charges = result.charges.map(({ budget, amount }) => [budget, amount])
  return { purpose: result.purpose, charges: Object.fromEntries(charges) }
}

const token = (to: string, amount: bigint, of: Partial<SigningRequest['transaction']> = {}) =>
  request({ to: USDC, value: 0n, data: transfer(to, amount), ...of })

test('the hot wallet pays native coin and tokens of the policy to any address', () => {
  assert.deepEqual(decision(request()), {
    purpose: 'payout',
    charges: { 'ethereum:NATIVE': 100n, 'ethereum:fees': FEE },
  })
  assert.deepEqual(decision(token(USER, 1000n)), {
    purpose: 'payout',
    charges: { 'ethereum:USDC': 1000n, 'ethereum:fees': FEE },
  })
})

test('a chain, token or call outside the policy is refused', () => {
  assert.equal(decision(request({ chainId: 56 })), 'CHAIN_NOT_ALLOWED')
  const foreign = request({ to: UNKNOWN_TOKEN, value: 0n, data: transfer(USER, 1n) })
  assert.equal(decision(foreign), 'TOKEN_NOT_ALLOWED')
  for (const data of [
    '0x095ea7b3', // approve
    `${transfer(USER, 1n)}00`,
    transfer(USER, 1n).slice(0, -2),
    // Dirty padding before the recipient: some contracts read it, others cut it off.
    transfer(USER, 1n).replace('a9059cbb00', 'a9059cbb01'),
  ]) {
    const call = request({ to: USDC, value: 0n, data: data as `0x${string}` })
    assert.equal(decision(call), 'CALL_NOT_ALLOWED', data)
  }
  assert.equal(decision(token(USER, 1n, { value: 1n })), 'CALL_NOT_ALLOWED')
})

test('a payout never goes to the zero address or to a token contract', () => {
  assert.equal(decision(token(ZERO_ADDRESS, 1n)), 'DESTINATION_NOT_ALLOWED')
  assert.equal(decision(request({ to: ZERO_ADDRESS })), 'DESTINATION_NOT_ALLOWED')
  assert.equal(decision(token(USDC, 1n)), 'DESTINATION_NOT_ALLOWED')
  assert.equal(decision(request({ to: USDC })), 'DESTINATION_NOT_ALLOWED')
})

test('amounts and fees are limited by transaction, and zero is refused', () => {
  assert.equal(decision(request({ value: 101n })), 'AMOUNT_OVER_TRANSACTION_LIMIT')
  assert.equal(decision(token(USER, 1001n)), 'AMOUNT_OVER_TRANSACTION_LIMIT')
  assert.equal(decision(request({ value: 0n })), 'AMOUNT_ZERO')
  assert.equal(decision(token(USER, 0n)), 'AMOUNT_ZERO')
  assert.equal(decision(request({ gas: 1_000_001n })), 'FEE_OVER_TRANSACTION_LIMIT')
})

test('with a list of destinations, every other address is refused', () => {
  const listed = parsePolicy({
    chains: { ethereum: { ...POLICY_FILE.chains.ethereum, destinations: [USER] } },
  })
  assert.equal(decision(request({ to: TREASURY }), listed), 'DESTINATION_NOT_ALLOWED')
  assert.equal(decision(token(TREASURY, 1n), listed), 'DESTINATION_NOT_ALLOWED')
  assert.notEqual(decision(request(), listed), 'DESTINATION_NOT_ALLOWED')
})

test('native coin is paid out only where the policy has a limit for it', () => {
  const { native: _native, ...withoutNative } = POLICY_FILE.chains.ethereum
  const policy = parsePolicy({ chains: { ethereum: withoutNative } })
  assert.equal(decision(request(), policy), 'TOKEN_NOT_ALLOWED')
})

test('a deposit key sweeps any amount, to the treasury or the hot wallet only', () => {
  const key = { key: 'deposit/3' } as const
  for (const to of [TREASURY, HOT] as const) {
    assert.deepEqual(decision(request({ to, value: 10n ** 30n }, key)), {
      purpose: 'sweep',
      charges: { 'ethereum:fees': FEE },
    })
    const sweep = { ...token(to, 10n ** 30n), ...key }
    assert.deepEqual(decision(sweep), { purpose: 'sweep', charges: { 'ethereum:fees': FEE } })
  }
  assert.equal(decision(request({ to: USER }, key)), 'DESTINATION_NOT_ALLOWED')
  assert.equal(decision({ ...token(USER, 1n), ...key }), 'DESTINATION_NOT_ALLOWED')
})

test('the gas station funds deposit addresses of this seed only, and within its own limit', () => {
  const to = KEYS.address('deposit/9')
  const key = { key: 'gas', depositIndex: 9 } as const
  assert.deepEqual(decision(request({ to, value: 500n }, key)), {
    purpose: 'funding',
    charges: { 'ethereum:gas-funding': 500n, 'ethereum:fees': FEE },
  })
  assert.equal(decision(request({ to, value: 501n }, key)), 'AMOUNT_OVER_TRANSACTION_LIMIT')
  assert.equal(decision(request({ to: USER }, key)), 'DESTINATION_NOT_ALLOWED')
  assert.equal(decision(request({ to }, { ...key, depositIndex: 8 })), 'DESTINATION_NOT_ALLOWED')
  assert.equal(decision(request({ to }, { ...key, depositIndex: null })), 'DESTINATION_NOT_ALLOWED')
  assert.equal(decision({ ...token(to, 1n), ...key }), 'CALL_NOT_ALLOWED')
})

test('every key may use up its own nonce with an empty transaction to itself', () => {
  for (const key of ['hot', 'gas', 'deposit/1'] as const) {
    const filler = request({ to: KEYS.address(key), value: 0n }, { key })
    assert.deepEqual(decision(filler), { purpose: 'filler', charges: { 'ethereum:fees': FEE } })
  }
})
