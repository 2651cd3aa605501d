// `npm run drill:failover`: the database of deploy/failover loses its primary under load, in each way that is
// asked for, and what must hold then is checked. Everything that it makes is gone when it ends.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../apps/sandbox/src/config.ts'
import { openDb } from '../../apps/server/src/infra/database/db.ts'
import { migrate } from '../../apps/server/src/infra/database/migrations.ts'
import { readOptions, refuseUse } from '../../tools/options.ts'
import { ROOT } from '../support/child.ts'
import { type Cluster, startCluster } from '../support/cluster.ts'
import { createShutdown } from '../support/long-run.ts'
import { untilStocked } from '../support/stack.ts'
import { aBuyer } from '../support/trading.ts'
import { startWebhooks } from '../support/webhooks.ts'
import { startBuys } from './buys.ts'
import { startFailover } from './database.ts'
import { BY_DEFAULT, createFailing, isMode, type Measured, MODES, type Mode } from './failing.ts'
import { inMib } from './held.ts'
import { findPrograms, type Programs, versionsOf } from './programs.ts'
import { listLost, prove } from './proofs.ts'
import { startWitness } from './witness.ts'

const { values } = readOptions({
  name: 'npm run drill:failover',
  about: 'Fails the database over under load, in several ways, and checks that nothing is lost.',
  options: {
    modes: {
      kind: 'text',
      of: 'list',
      byDefault: BY_DEFAULT.join(),
      about: `of ${MODES.join(', ')}`,
    },
    rounds: { kind: 'whole', byDefault: 1, from: 1, to: 100, about: 'times each of them' },
    rate: { kind: 'number', byDefault: 2, from: 0.1, to: 50, about: 'buys a second' },
    members: { kind: 'whole', byDefault: 3, from: 2, to: 5, about: 'of the database' },
    bin: { kind: 'text', of: 'folder', about: 'with the programs of PostgreSQL 18' },
    async: { kind: 'flag', about: 'without synchronous mode: shows what one lost machine loses' },
    unhurried: {
      kind: 'flag',
      about: 'shows what is late, and fails by nothing but what is wrong',
    },
    require: { kind: 'flag', about: 'ends with 1 where a program is missing' },
    write: { kind: 'flag', about: 'writes docs/failover.md, where nothing is broken' },
  },
})
const modes = values.modes.split(',').map((name) => (isMode(name) ? name : refuseMode(name)))
const programs = await findPrograms(values.bin)
if (typeof programs === 'string') {
  console.log(`skipped: ${programs}`)
  process.exit(values.require ? 1 : 0)
}

const folder = mkdtempSync(join(tmpdir(), 'tradepost-failover-'))
const shutdown = createShutdown({ mostMinutes: 40 * values.rounds })
const { end } = shutdown
shutdown.steps.push(() =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }),
)

const WORDS: Readonly<Record<Mode, string>> = {
  killpg: 'SIGKILL of PostgreSQL, Patroni alive',
  switchover: '`patronictl switchover`',
  kill: 'PostgreSQL and Patroni killed: a lost machine',
  stop: 'SIGSTOP of both for 60 s, then SIGCONT',
  cut: 'cut off from etcd, the proxy and the other members',
}
const measured: Measured[] = []
try {
  console.log(`starting ${values.members} members, two api and two worker processes`)
  const database = await startFailover({
    folder,
    programs,
    memberCount: values.members,
    isAsync: values.async,
    canCut: modes.includes('cut'),
  })
  shutdown.steps.push(database.end)
  await migrate(database.url)
  const db = openDb({ url: database.url, poolSize: 3, applicationName: 'tradepost drill' })
  shutdown.steps.push(() => db.close())
  let secret: string | null = ''
  const webhooks = await startWebhooks(() => secret ?? '')
  shutdown.steps.push(webhooks.close)
  const starting = startCluster({
    database: { url: database.url, db },
    apis: 2,
    webhookUrl: webhooks.url,
  })
  shutdown.steps.push(async () => (await starting.catch(() => null))?.close())
  const cluster: Cluster = await starting
  secret = cluster.demo.merchant.webhookSecret
  const { merchant, sandbox } = cluster
  await untilStocked(merchant, sandbox.control)
  const behalf = await aBuyer(merchant, 'drill', '4000.00')
  const buys = await startBuys({
    merchant,
    control: sandbox.control,
    behalf,
    perSecond: values.rate,
  })
  const fail = createFailing({ database, cluster, db, buys, isUnhurried: values.unhurried })
  if (values.async) {
    const one = await fail('kill', { isHeldBack: true })
    console.log(line(one))
    await buys.stop()
    const lost = await listLost({ db, buys })
    console.log(
      `${lost.length} of ${buys.acknowledged.size} acknowledged buys are lost: ${lost.join(', ')}`,
    )
    await end(lost.length > 0 && one.closings > 0 ? 0 : 1)
  }
  const witness = await startWitness({ db, merchant, behalf, webhooks })
  shutdown.steps.push(witness.stop)
  for (let round = 1; round <= values.rounds; round++) {
    for (const mode of modes) {
      const one = await fail(mode)
      measured.push(one)
      console.log(line(one))
    }
  }
  await buys.stop()
  const broken = [
    ...measured.flatMap(({ broken }) => broken),
    ...(await prove({ db, buys, control: sandbox.control })),
    ...(await witness.judge()),
  ]
  console.log(`${buys.acknowledged.size} buys were acknowledged, ${broken.length} promises broken`)
  for (const one of broken) console.log(`  ${one}`)
  if (values.write && broken.length === 0) write(programs, buys.acknowledged.size)
  await end(broken.length === 0 ? 0 : 1)
} catch (error) {
  await shutdown.fail(error)
}

function refuseMode(name: string): Mode {
  refuseUse(`--modes takes ${MODES.join(', ')}, not “${name}”.`)
}

function line(one: Measured): string {
  const { mode, leaderS, gapS, listenS, readyS, gatesS, closings, before, after } = one
  const seconds = (value: number): string => `${value.toFixed(1)} s`
  return [
    `${mode}: new leader after ${seconds(leaderS)}`,
    `longest gap between buys ${seconds(gapS)}`,
    `LISTEN back after ${seconds(listenS)}`,
    `ready after ${seconds(readyS)}`,
    `gates closed ${closings} times, for ${seconds(gatesS)}`,
    `memory ${inMib(before)} MiB before and ${inMib(after)} after`,
    `connections ${before.connections} and ${after.connections}`,
  ].join(', ')
}

/** The slowest of each way, as the page shows it. */
function write(programs: Programs, acknowledged: number): void {
  const rows = modes.map((mode) => {
    const all = measured.filter((one) => one.mode === mode)
    const most = (pick: (one: Measured) => number): string => Math.max(...all.map(pick)).toFixed(1)
    return `| ${WORDS[mode]} (${all.length}) | ${most((one) => one.leaderS)} | ${most((one) => one.gapS)} | ${most((one) => one.listenS)} | ${most((one) => one.readyS)} | ${most((one) => one.gatesS)} |`
  })
  const page = `# Failover, measured

Written by \`npm run drill:failover -- --write\`; the files that it runs are in [deploy/failover](../deploy/failover/README.md). Seconds, the slowest of each way. Gates stay open where every process finds what it had sent; one that closes stays so for 2 to 3 seconds at the sandbox's markets, and for up to 15 minutes at a real one.

| Failure | New leader | Longest gap between acknowledged buys | LISTEN of all processes back | All api ready | Gates closed |
|---|---|---|---|---|---|
${rows.join('\n')}

${acknowledged} buys were acknowledged at ${values.rate} a second: none missing, none doubled, each order at the sandbox's markets once, no answer outside the envelope, no lease of a job taken before its end, every event once under its id at the merchant's endpoint and with its follower, memory and connections back to where they were, the books agree. ${values.members} members with a synchronous standby, ${cpus().length} processors (${cpus()[0]?.model.trim() ?? 'unknown'}) for them and the service together, ${versionsOf(programs)}, listings of the sandbox's seed ${readConfig({}).seed}.

\`--modes cut\` cuts a primary off from etcd, the proxy and the other members, and joins it again. It is tried apart, because it needs what an installation does not have: a relay before the etcd of each member, and \`use_proxies\` in patroni.yml, without which Patroni asks etcd for its own address.
`
  writeFileSync(join(ROOT, 'docs/failover.md'), page)
}
