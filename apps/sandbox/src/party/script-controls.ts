import type { FastifyInstance } from 'fastify'
import { ControlFault, readBody } from '../control/body.ts'
import type { FaultScript } from './fault-script.ts'

/**
 * POST appends entries to a fault script, DELETE empties it. `accept` returns the entries to queue after
 * it has applied those that act at once; it throws, before any effect, when it does not know an entry.
 */
export function serveFaultScript(
  app: FastifyInstance,
  path: string,
  {
    script,
    accept,
  }: {
    readonly script: FaultScript
    readonly accept: (entries: readonly unknown[]) => readonly string[]
  },
): void {
  app.post(path, (request) => {
    const { next } = readBody(request.body, ['next'])
    if (!Array.isArray(next)) throw new ControlFault(400, 'next must be a list of script words.')
    script.append(accept(next as unknown[]))
    return { next: script.list() }
  })
  app.delete(path, () => {
    script.clear()
    return { next: [] }
  })
}
