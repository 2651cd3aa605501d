// An installation that trades: two api and two worker processes, each at its place, and a merchant whose
// users buy, sell and withdraw while programs of it follow what happens.
import { join } from 'node:path'
import type { Db } from '../../apps/server/src/infra/database/db.ts'
import { findFreePort } from '../../apps/server/src/infra/process/ports.ts'
import {
  PROMPT_HABITS,
  startTraffic,
  type Traffic,
  untilAcknowledged,
} from '../endurance/actors/traffic.ts'
import { openUsers } from '../endurance/actors/users.ts'
import { diceOf } from '../endurance/dice.ts'
import { ROOT } from '../support/child.ts'
import { createClient } from '../support/client.ts'
import { type Cluster, startCluster } from '../support/cluster.ts'
import { SMALL_DATASET } from '../support/sandbox.ts'
import type { Server } from '../support/server.ts'
import { untilStocked } from '../support/stack.ts'
import { startWebhooks, type Webhooks } from '../support/webhooks.ts'
import { startHaProxy } from './balancer.ts'
import type { Release } from './release.ts'
import { type Followers, startFollowers } from './sockets.ts'
import {
  CHAIN,
  fillCustody,
  startBackend,
  startSigner,
  startWithdrawals,
  type Withdrawals,
} from './withdrawals.ts'

export interface Trading {
  readonly cluster: Cluster
  readonly places: readonly Place[]
  readonly traffic: Traffic
  readonly withdrawals: Withdrawals
  readonly followers: Followers
  readonly webhooks: Webhooks
  /** Resolves when so many more trades are acknowledged. */
  untilTraded(count: number): Promise<void>
}

export interface Place {
  readonly role: 'api' | 'worker'
  /** What runs there now. */
  running(): Server
  /** Starts the release in `root` there. */
  start(root?: string): Promise<void>
}

export interface Wanted {
  readonly folder: string
  /** What is to be ended, the latest first. */
  readonly cleanups: (() => unknown)[]
  readonly database: { readonly url: string; readonly db: Db }
  /** Of this checkout by default. */
  readonly release?: Release
  /** The program that requests go through; null: they go to the processes themselves. */
  readonly haproxy: string | null
  readonly seed: number
}

/** Of the users, the first ones are followed by sockets. */
const FOLLOWED = 3
const USERS = 12
const TRADED_DEADLINE_MS = 180_000

export async function startTrading(wanted: Wanted): Promise<Trading> {
  const { folder, cleanups, database, release, haproxy } = wanted
  let secret: string | null = ''
  const webhooks = await startWebhooks(() => secret ?? '')
  cleanups.push(webhooks.close)
  const backend = await startBackend()
  cleanups.push(backend.close)
  const signer = await startSigner(release?.root ?? ROOT)
  cleanups.push(signer.close)
  const cluster = await startCluster({
    ...{ database, apis: 0, workers: 0 },
    ...{ webhookUrl: webhooks.url, payoutCallbackUrl: backend.url },
    ...(release && { seed: release.seed }),
    dataset: {
      ...SMALL_DATASET,
      SANDBOX_LISTINGS: '5000',
      SANDBOX_CHANGES_PER_SECOND: '2',
      SANDBOX_CHAINS: CHAIN,
      SANDBOX_DATA_DIR: join(folder, 'sandbox'),
    },
    settings: {
      SIGNER_SOCKET: signer.socketPath,
      DEPOSIT_XPUB: await signer.depositXpub(),
      // Where the balancer asks from.
      TRUSTED_PROXIES: '127.0.0.1',
      RECONCILE_INTERVAL_MS: '5000',
    },
  })
  cleanups.push(cluster.close)
  secret = cluster.demo.merchant.webhookSecret
  const ports = [await findFreePort(), await findFreePort()] as const
  const places = [
    placeOf('worker', cluster.startWorker),
    placeOf('worker', cluster.startWorker),
    ...ports.map((port) =>
      placeOf('api', (_, root) => cluster.startApi({ PORT: `${port}` }, root)),
    ),
  ]
  await Promise.all(places.map(({ start }) => start(release?.root)))
  const baseUrls = ports.map((port) => `http://127.0.0.1:${port}`)
  if (haproxy !== null) {
    const balancer = await startHaProxy(haproxy, { folder, apis: ports })
    cleanups.push(balancer.stop)
    baseUrls.splice(0, baseUrls.length, balancer.url)
  }
  const { apiKey } = cluster.demo.merchant
  const merchant = createClient({ baseUrl: baseUrls[0] ?? '', apiKey })
  await untilStocked(merchant, cluster.sandbox.control)
  await fillCustody(merchant, cluster.sandbox.control)
  const users = await openUsers({ merchant, sandbox: cluster.sandbox }, USERS)
  const followed = users.slice(0, FOLLOWED).map(({ name }) => name)
  const followers = await startFollowers(merchant, followed)
  cleanups.push(followers.stop)
  const traffic = startTraffic(
    { merchant, db: database.db, apis: { baseUrls: () => baseUrls } },
    users,
    { throwDice: diceOf(wanted.seed), habits: PROMPT_HABITS },
  )
  return {
    ...{ cluster, places, traffic, followers, webhooks },
    withdrawals: startWithdrawals(merchant),
    untilTraded: (count) => untilAcknowledged(traffic, count, TRADED_DEADLINE_MS),
  }
}

function placeOf(role: Place['role'], startOne: Cluster['startApi']): Place {
  let server: Server | null = null
  return {
    role,
    running: () => {
      if (server === null) throw new Error(`no ${role} was started`)
      return server
    },
    start: async (root) => {
      server = await startOne({}, root)
    },
  }
}
