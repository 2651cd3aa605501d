import type { FastifyInstance } from 'fastify'
import { waitMs } from '../kernel/turn.ts'
import type { PartyId, Switchboard } from '../markets/switchboard.ts'
import { sendHtml } from './reply.ts'

/** A party that was switched off answers 502 everywhere, one that was slowed down answers late. */
export function guardParty(
  app: FastifyInstance,
  options: {
    readonly party: PartyId
    readonly switchboard: Switchboard
    readonly stop: AbortSignal
  },
): void {
  app.addHook('onRequest', async (_request, reply) => {
    const { online, latencyMs } = options.switchboard.party(options.party)
    await waitMs(latencyMs, options.stop)
    if (!online) return sendHtml(reply, 502, '502 Bad Gateway')
  })
}
