import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePolicy } from './policy.ts'
import { POLICY_FILE, USDC } from './testing/fixtures.ts'

const chain = POLICY_FILE.chains.ethereum
const withChain = (change: object): object => ({ chains: { ethereum: { ...chain, ...change } } })

test('a policy that could be misread stops the start and names the place', () => {
  const cases: [unknown, RegExp][] = [
    [{}, /policy\.json: \/ /],
    [withChain({ limit: 1 }), /\/chains\/ethereum\/limit is not a known field/],
    [withChain({ native: { maxPerTransaction: 100, maxPerDay: '1' } }), /maxPerTransaction/],
    [withChain({ native: { maxPerTransaction: '1.5', maxPerDay: '1' } }), /maxPerTransaction/],
    [withChain({ treasury: '0x12' }), /\/treasury/],
    [withChain({ treasury: `0x${'0'.repeat(40)}` }), /no usable address/],
    [withChain({ treasury: '0xa0B86991c6218b36c1d19D4a2e9Eb0cE3606eB48' }), /no usable address/],
    [{ chains: { ethereum: chain, base: chain } }, /same chainId/],
    [
      withChain({
        tokens: { ...chain.tokens, USDT: { ...chain.tokens.USDC, address: USDC.toLowerCase() } },
      }),
      /one contract twice/,
    ],
  ]
  for (const [content, message] of cases) assert.throws(() => parsePolicy(content), message)
})
