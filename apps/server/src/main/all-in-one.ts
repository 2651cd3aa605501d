// Everything in one process, with its database and the sandbox as children: `npm start`.
import { join } from 'node:path'
import { seedDemo } from '#demo'
import { migrate } from '#infra/database/migrations'
import type { JobRun } from '#infra/jobs/jobs'
import { listenTo, openApi } from './api-process.ts'
import type { Api } from './compose-api.ts'
import { createJobs } from './compose-jobs.ts'
import { readConfig } from './config.ts'
import { takeDataFolder } from './data-folder.ts'
import { writeDemoFile } from './demo-file.ts'
import { announceToSandbox, startEnvironment } from './environment.ts'
import { runProcess } from './lifecycle.ts'
import { refuseBusyPort } from './listen.ts'
import { openDatabaseUrl } from './migrate.ts'
import { allGates, openProcessIntents } from './parts/gates.ts'
import {
  logDisabled,
  newMetrics,
  openLog,
  openMarketAccounts,
  openMetrics,
  openResources,
  type ProcessContext,
  runJobs,
} from './processes.ts'
import { createProgress, welcome } from './progress.ts'
import { refuseOtherMarkets } from './refuse-other-markets.ts'
import { openSecretBox } from './sealing-key.ts'
import { openTraces } from './traces.ts'

/** How long a first start may wait for the markets' first listings before it serves without. */
/** For so long the first start waits until all is read; with a million listings that takes minutes. */
const WHOLE_CATALOGUE_MS = 15_000
/** For so long until anything is for sale: markets that are away keep no dashboard and no deposit waiting. */
const CATALOGUE_TIMEOUT_MS = 60_000

/** A job's work outside of the jobs: nothing wakes it and nothing stops it half-way. */
const ONE_RUN: JobRun = {
  signal: new AbortController().signal,
  processId: 'the start',
}

await runProcess(async (lifecycle) => {
  const config = readConfig()
  const metrics = newMetrics()
  await openTraces(config.traces, { role: 'all-in-one', metrics, lifecycle })
  const isTerminal = process.stdout.isTTY === true
  const { log, outages } = openLog(config, 'all-in-one', isTerminal ? 'warn' : 'info')
  const progress = createProgress(log, process.stdout)
  const folder = takeDataFolder(config.dataDir)
  lifecycle.onStop('data folder', () => folder.release())
  await refuseBusyPort('PORT', config.http)
  await refuseBusyPort('METRICS_PORT', config.metrics)
  const { isDemo } = config
  const secrets = openSecretBox(config, { mayMake: isDemo || config.database.url === null })

  const [url, started] = await progress('starting the database and the sandbox', (report) =>
    bothStarted(
      openDatabaseUrl(config, lifecycle, { log, onProgress: report }),
      startEnvironment(config, { log, lifecycle }),
    ),
  )
  lifecycle.proceed()
  await progress('bringing its tables up to date', (report) => migrate(url, { onProgress: report }))
  lifecycle.proceed()

  const context: ProcessContext = {
    config,
    role: 'all-in-one',
    url,
    upstreams: started.upstreams,
    log,
    outages,
    metrics,
    lifecycle,
  }
  const metricsUrl = await openMetrics(context)
  // Two pools: a burst of background work never makes a buyer wait for a connection.
  const workerResources = openResources(context, 'worker', secrets)
  const { db, clock } = workerResources
  await refuseOtherMarkets(db)
  const demo = isDemo
    ? await progress('seeding the demo', () =>
        seedDemo({
          db,
          clock,
          secrets,
          webhooks: config.webhooks,
          payoutCallbackUrl: config.payoutCallbackUrl,
        }),
      )
    : null
  lifecycle.proceed()
  const intents = await openProcessIntents(context, workerResources, allGates(workerResources))
  const accounts = await openMarketAccounts(context, workerResources, secrets)
  const composed = createJobs({ ...workerResources, secrets, intents, accounts })
  const api = await openApi(context, secrets, { jobs: composed.names, intents })
  // A market that is read before the items are known would have to be read again.
  if (!api.hasItems()) {
    await progress('reading what there is to trade', async () => {
      for (const wanted of ['refresh-catalog', 'refresh-prices']) {
        await composed.jobs.find(({ name }) => name === wanted)?.work(ONE_RUN)
      }
    })
    lifecycle.proceed()
  }
  await runJobs(context, workerResources, { ...composed, accounts })
  await progress('reading the markets', async () => {
    const startedMs = Date.now()
    const waitedMs = (): number => Date.now() - startedMs
    while (!(await isServing(api, waitedMs())) && waitedMs() < CATALOGUE_TIMEOUT_MS) {
      lifecycle.proceed()
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  })
  const baseUrl = await listenTo(api, config)
  if (started.sandboxUrl !== null) await announceToSandbox(started.sandboxUrl, baseUrl)

  // Passkeys work at a name, not at an address.
  const origin = config.publicUrl ?? baseUrl.replace('127.0.0.1', 'localhost')
  const dashboardUrl = `${origin}/dashboard`
  const addresses = { baseUrl, dashboardUrl, metricsUrl, sandboxUrl: started.sandboxUrl }
  const demoFile = demo && join(config.dataDir, 'demo.json')
  if (demo && demoFile) writeDemoFile(demoFile, addresses, demo)
  process.stdout.write(welcome({ ...addresses, demoFile }))
  logDisabled(context)
  log.info({ baseUrl, metricsUrl }, 'ready')
  return log
})

/** Enough to sell, and every job has beaten once: `/readyz` agrees from the first request on. */
async function isServing(api: Api, waitedMs: number): Promise<boolean> {
  const isEnough = waitedMs < WHOLE_CATALOGUE_MS ? await api.hasCatalogue() : api.isSelling()
  return isEnough && (await api.isReady())
}

/** Both at once; when one fails the other is waited for, so that it can be stopped. */
async function bothStarted<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([a, b])
  return Promise.all([a, b])
}
