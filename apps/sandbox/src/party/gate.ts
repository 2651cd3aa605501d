import type { FastifyInstance } from 'fastify'
import { sendHtml } from '../http/reply.ts'
import { waitMs } from '../kernel/turn.ts'
import type { Switches } from './switches.ts'

/** An offline protocol answers 502 to every call, a slowed one answers late. */
export function guardProtocol(
  app: FastifyInstance,
  options: {
    readonly switchId: string
    readonly switches: Switches
    readonly stop: AbortSignal
  },
): void {
  app.addHook('onRequest', async (_request, reply) => {
    const { online, latencyMs } = options.switches.of(options.switchId)
    await waitMs(latencyMs, options.stop)
    if (!online) return sendHtml(reply, 502, '502 Bad Gateway')
  })
}
