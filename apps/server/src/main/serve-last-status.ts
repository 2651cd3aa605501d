// What an api process serves that starts while its database is away: the status as it was last known, and the
// documentation. Everything else is refused until the database answers.
import { setTimeout as pause } from 'node:timers/promises'
import { contractFormats, openapiDocuments } from '@tradepost/contract'
import { createLimiter } from '#infra/limits/rate-limit/limiter'
import { systemClock } from '#infra/process/clock'
import type { RootLog } from '#infra/process/log'
import { refuse } from '#kernel/refusal'
import { createAuthenticator } from '../edges/http/merchant/authenticate.ts'
import type { ApiInterface } from '../edges/http/shared/api-interface.ts'
import { DATABASE_LOST } from '../edges/http/shared/failure.ts'
import { createRateLimits } from '../edges/http/shared/rate-limits.ts'
import { createServer } from '../edges/http/shared/server.ts'
import { addStatusPage } from '../edges/http/status/add-status-page.ts'
import { readKept } from '../edges/http/status/board.ts'
import { createStatusInterface } from '../edges/http/status/status-interface.ts'
import type { Config } from './config.ts'
import { statusFile } from './data-folder.ts'
import type { Lifecycle } from './lifecycle.ts'
import { listenFailure } from './listen.ts'

const LOOK_EVERY_MS = 1000
const WINDOW_MS = 60_000

/**
 * Returns once `hasDatabase` is true; the port is free again then. False at once where no status was kept.
 * `error`: why the database is not reached, for the log.
 */
export async function serveLastStatus({
  config,
  log,
  lifecycle,
  error,
  hasDatabase,
}: {
  readonly config: Config
  readonly log: RootLog
  readonly lifecycle: Pick<Lifecycle, 'proceed'>
  readonly error: Error
  readonly hasDatabase: () => Promise<boolean>
}): Promise<boolean> {
  const known = readKept(statusFile(config.dataDir), log)
  if (known === null) return false
  log.error(
    { err: error },
    'the database is away: the last known status is served until it answers',
  )
  const clock = systemClock
  const board = { known: () => known }
  const nowMs = (): number => performance.now()
  const limiter = createLimiter({ windowMs: WINDOW_MS, nowMs, shared: null })
  const keys = createAuthenticator({
    findKey: async () => refuse('SERVICE_DISABLED', AWAY),
    looksLikeKey: () => true,
    clock,
  })
  const status = createStatusInterface({
    ...{ ...keys, board, webhookAddresses: config.webhooks.addresses },
    rateLimits: createRateLimits({
      ...{ limiter, addressLimiter: limiter, nowMs },
      scale: config.rateLimitScale,
    }),
  })
  const app = await createServer({
    interfaces: [status, REFUSING],
    checkReady: async () => ({ status: 'unready', checks: { database: 'unreachable' } }),
    docs: { documents: openapiDocuments },
    addRoutes: (server, edge) => addStatusPage(server, edge, { board, clock }),
    formats: contractFormats(config.communityHost),
    ...{ log, clock, trustedProxies: config.trustedProxies },
  })
  try {
    await app.listen(config.http).catch((error) => {
      throw listenFailure(error, 'PORT', config.http)
    })
    do {
      await pause(LOOK_EVERY_MS)
      lifecycle.proceed()
    } while (!(await hasDatabase()))
  } finally {
    await app.close()
  }
  return true
}

const AWAY = { reason: 'database_away' }

/** Every address of the interfaces. Whether a request was accepted before is not known here. */
const REFUSING: ApiInterface = {
  name: 'refusing',
  operations: [],
  authenticate: () => refuse('NOT_FOUND'),
  limits: null,
  resolveCaller: () => ({ confirm: async () => {} }),
  closedRoutes: [],
  prefixes: [
    ...['/merchant', '/user', '/market', '/auth', '/payout'],
    ...['/v1', '/v2', '/dashboard', '/inbound'],
  ],
  answerUnmatched: () => DATABASE_LOST,
}
