// Signs and sends what is queued on one chain. One process at a time; the rows themselves bear the order,
// so that two that overlap for a moment change nothing.
import type { Job } from '#infra/jobs/jobs'
import { createSending, type SendingDeps, TRANSACTIONS_DUE } from '#outbound'

export function createSendOutbound(deps: SendingDeps): Job {
  const send = createSending(deps)
  return {
    name: `send-outbound-${deps.chain}`,
    everyMs: 1_000,
    due: { question: TRANSACTIONS_DUE, key: deps.chain },
    wakeOn: ['outbound_work'],
    singleton: true,
    work: ({ signal }) => send(signal),
  }
}
