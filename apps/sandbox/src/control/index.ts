import type { FastifyInstance, FastifyRequest } from 'fastify'
import { requireLocalCaller } from '../http/local-only.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Party } from '../party/party.ts'
import { ControlFault } from './body.ts'

export interface ControlDeps {
  readonly clock: Clock
  readonly seed: number
  readonly holdMs: number
  readonly parties: readonly Party[]
}

/** The interface through which people and tests change the parties' state. For this machine only. */
export function serveControl(app: FastifyInstance, deps: ControlDeps): void {
  requireLocalCaller(app)
  answerFaults(app)
  acceptEmptyBodies(app)
  /** An overview of all systems */
  app.get('/state', () => viewState(deps))
  for (const party of deps.parties) party.controls?.(app)
  app.setNotFoundHandler((request, reply) =>
    reply.code(404).send({ error: `There is no ${request.method} ${request.url}.` }),
  )
}

/** Calls without a body are often sent with the content type of JSON; an empty body is then none. */
function acceptEmptyBodies(app: FastifyInstance): void {
  app.removeContentTypeParser('application/json')
  const parse = async (_request: FastifyRequest, text: string): Promise<unknown> => {
    if (text.trim() === '') return undefined
    try {
      return JSON.parse(text)
    } catch {
      throw new ControlFault(400, 'The body is not JSON.')
    }
  }
  app.addContentTypeParser('application/json', { parseAs: 'string' }, parse)
}

function answerFaults(app: FastifyInstance): void {
  app.setErrorHandler((error, _request, reply) => {
    if (error instanceof ControlFault)
      return reply.code(error.status).send({ error: error.message })
    const { statusCode, message } = error as { statusCode?: number; message: string }
    return reply.code(statusCode ?? 500).send({ error: message })
  })
}

function viewState({ clock, seed, holdMs, parties }: ControlDeps): Record<string, unknown> {
  return {
    now: new Date(clock.nowMs()).toISOString(),
    seed,
    holdSeconds: holdMs / 1000,
    ...Object.assign({}, ...parties.map((party) => party.state?.())),
  }
}
