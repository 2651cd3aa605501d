import assert from 'node:assert/strict'
import { it } from 'node:test'
import { webhookEvents } from '@tradepost/contract'
import { tradeEventKeys } from '#trades'
import { merchantEvents } from './index.ts'
import { tradeEventEntries } from './trade.ts'

it('the registry and the contract list the same events', () => {
  assert.deepEqual(Object.keys(merchantEvents).sort(), Object.keys(webhookEvents).sort())
})

it('the keys under which a trade’s events are looked up are those of the registry', () => {
  const payload = {
    ...{ itemId: 'i', externalId: null, buyerFault: false },
    ...{ refundedUsdCents: 1, penaltyUsdCents: 0, houseFeeCents: 0, merchantFeeCents: 0 },
  }
  const registered = Object.entries(tradeEventEntries).map(([type, entry]) =>
    entry.dedupeKey(type, 't', payload),
  )
  assert.deepEqual(tradeEventKeys('t', ['i']).sort(), registered.sort())
})
