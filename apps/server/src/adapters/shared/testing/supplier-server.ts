// A market of which a test writes the answers, and what an adapter needs to call it.
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { createHttpClient } from '#infra/http/http-client'
import { systemClock } from '#infra/process/clock'
import { type Log, silentLog } from '#infra/process/log'
import { createMetrics } from '#infra/process/metrics'
import { openGuard } from '#infra/testing/open-guard'
import { mills } from '#kernel/money'
import { wholePages } from './whole-pages.ts'

export const CONTEXT = { requestId: 'request', guard: openGuard }

export const PURCHASE = {
  customId: 'c-1',
  rawListingId: '5',
  marketHashName: 'AK-47 | Redline (Field-Tested)',
  ceilingMills: mills(1000n),
  partner: 1,
  token: 'accept00',
}

/** Serves until the test is over. */
export async function startSupplier(context: TestContext, answer: RequestListener) {
  const alarms: object[] = []
  const server = createServer(answer).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const metrics = createMetrics()
  const http = createHttpClient({ log: silentLog, metrics })
  context.after(async () => {
    await http.close()
    server.closeAllConnections()
    server.close()
  })
  const log: Log = { ...silentLog, error: (fields) => void alarms.push(fields) }
  return {
    alarms,
    adapter: {
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      apiKey: 'k',
      http,
      clock: systemClock,
      rng: Math.random,
      log,
      metrics,
      balanceMaxAgeMs: 0,
      keepPages: wholePages,
      reserveSlot: async () => ({ kind: 'granted', waitMs: 0, giveBack: async () => {} }) as const,
    },
  }
}
