// Trade URLs as a request asks about them and a worker answers, in processes of their own. An installation
// without a bot asks market B: production-profile.test.ts.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { systemClock } from '../../apps/server/src/infra/process/clock.ts'
import { createSecretBox } from '../../apps/server/src/infra/process/secrets.ts'
import { testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { seedDemo } from '../../apps/server/src/main/demo/seed.ts'
import { createClient } from '../support/client.ts'
import { SMALL_DATASET, startSandbox } from '../support/sandbox.ts'
import {
  answerOps,
  newSecretsKey,
  ops,
  type Server,
  type Settings,
  startServer,
} from '../support/server.ts'
import { tradeUrl } from '../support/trading.ts'
import { until } from '../support/until.ts'

/** An api process alone, with what workers beside it need. */
async function startApi() {
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-trade-urls-'))
  const secretsKey = newSecretsKey()
  const shared = await testDatabase({ poolSize: 2 })
  const sandbox = await startSandbox()
  const { merchant } = await seedDemo({
    db: shared.db,
    clock: systemClock,
    secrets: createSecretBox([Buffer.from(secretsKey, 'hex')]),
    webhooks: { demoUrl: null, allowPrivate: true },
  })
  const settings: Settings = {
    ...SMALL_DATASET,
    DATABASE_URL: shared.url,
    DATA_DIR: folder,
    SECRETS_KEY: secretsKey,
    SANDBOX_PORT: String(sandbox.port),
  }
  const api = await startServer('api', settings)
  const client = createClient({ baseUrl: api.baseUrl, apiKey: merchant.apiKey })
  await client.get('createSubUser', { body: { externalId: 'buyer' } })
  const workers: Server[] = []
  return {
    settings,
    client,
    /** It ends with the test. */
    startWorker: async (t: TestContext) => {
      const worker = await startServer('worker', settings)
      workers.push(worker)
      t.after(() => worker.end())
      return worker
    },
    add: (url: string) => client.get('createTradeUrl', { behalf: 'buyer', body: { url } }),
    refuse: (key: string, url: string) =>
      client.refused(key, 'createTradeUrl', { behalf: 'buyer', body: { url } }),
    whoIsAsked: async () => {
      const { data } = (await (await fetch(`${api.baseUrl}/readyz`)).json()) as {
        data?: { readonly checks: Record<string, string> }
      }
      return data?.checks.tradeUrls
    },
    close: async () => {
      await Promise.all([api, ...workers].map((server) => server.end()))
      await sandbox.child.end()
      await shared.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

describe('a trade URL that is not known', () => {
  let api: Awaited<ReturnType<typeof startApi>>
  before(async () => {
    api = await startApi()
  })
  after(() => api.close())

  it('is unavailable while no worker runs, and good at the first repeat after a start', async (t) => {
    const { settings, add, refuse, startWorker, whoIsAsked } = api
    const url = tradeUrl('accept00', 4_711)
    const [, unanswered] = await Promise.all([
      refuse('PLATFORM_UNAVAILABLE', url),
      answerOps(settings, ['trade-url', url]),
    ])
    assert.equal(unanswered.code, 1)
    assert.match(unanswered.stderr, /no worker answered in time/)

    await startWorker(t)
    const added = await add(url)
    assert.notEqual(added.personaName, added.platformId)
    await until('bots are asked', async () => (await whoIsAsked()) === 'bots')
    assert.match(await ops(settings, 'trade-url', url), /resolved, by bots, in \d+ ms/)
    await refuse('TRADEURL_INVALID_TOKEN', tradeUrl('privat00', 4_712))
  })

  it('is good at the first repeat after the return of a worker that was stopped', async (t) => {
    const { add, refuse, startWorker } = api
    const worker = await startWorker(t)
    await add(tradeUrl('accept00', 4_714))
    const url = tradeUrl('accept00', 4_713)
    worker.signal('SIGSTOP')
    try {
      await refuse('PLATFORM_UNAVAILABLE', url)
    } finally {
      worker.signal('SIGCONT')
    }
    await add(url)
  })
})
