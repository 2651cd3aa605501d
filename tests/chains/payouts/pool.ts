// Nodes whose pool does not behave, and what comes of it.
import type { Hex } from '../../../apps/server/src/kernel/chain.ts'
import type { BroadcastNode } from '../../../apps/server/src/modules/crypto/outbound/ports.ts'

/** A pool that takes the first `count` transactions, and lets none of them into a block. */
export function keeping(node: BroadcastNode, count = Number.MAX_SAFE_INTEGER) {
  const kept: Hex[] = []
  const send: BroadcastNode['send'] = async (raw) => {
    if (!kept.includes(raw) && kept.length >= count) return node.send(raw)
    if (!kept.includes(raw)) kept.push(raw)
    return { kind: 'accepted' }
  }
  return { kept, parts: { node: { ...node, send } } }
}

/** As if its newest attempt had been the twentieth. */
export const MANY_ATTEMPTS = `insert into outbound.attempt (transaction_id, number, kind, hash, raw, max_fee_per_gas,
    max_priority_fee_per_gas, gas, signed_at)
  select a.transaction_id, 20, a.kind, '0x' || repeat('ab', 32), '0xab', a.max_fee_per_gas, a.max_priority_fee_per_gas,
    a.gas, a.signed_at
  from outbound.attempt a join outbound.transaction t on t.id = a.transaction_id where t.ref_id = $1 and a.number = 2`
