// A real Prometheus scrapes two api and two worker processes, with the configuration, rules and dashboards
// that operators are given: trades end well and badly, a worker is killed, a gate is closed. Every panel
// shows it.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { OBJECTIVES, RULES } from '../../tools/alerts/rules.ts'
import {
  metricsOf,
  readTargets,
  type Target,
  withWindow,
} from '../../tools/dashboards/expressions.ts'
import { UNSHOWN } from '../../tools/dashboards/unshown.ts'
import { type Installation, startOnSharedPostgres } from '../endurance/worlds/installation.ts'
import { ROOT } from '../support/child.ts'
import { payByGateway } from '../support/deposits.ts'
import { givenOnce } from '../support/given-once.ts'
import { noPrometheus, type Prometheus, startPrometheus } from '../support/prometheus.ts'
import { MARKETS } from '../support/sandbox.ts'
import type { SignerProgram } from '../support/signer.ts'
import { openReady, tokenOf, wsUrl } from '../support/sockets.ts'
import {
  aBuyer,
  buyNext,
  buyRaw,
  linkSeller,
  sellItems,
  stock,
  tradeUrl,
  untilEnded,
} from '../support/trading.ts'
import { until } from '../support/until.ts'
import { CHAIN, fillCustody, startBackend, startSigner } from '../upgrade/withdrawals.ts'

let installation: Installation
let prometheus: Prometheus
let signer: SignerProgram
let backend: Awaited<ReturnType<typeof startBackend>>

if (!noPrometheus) {
  givenOnce(
    async () => {
      signer = await startSigner(ROOT)
      backend = await startBackend()
      installation = await startOnSharedPostgres({
        sandbox: { SANDBOX_CHAINS: CHAIN, SANDBOX_LISTINGS: '2000' },
        service: {
          SANDBOX_CHAINS: CHAIN,
          SIGNER_SOCKET: signer.socketPath,
          DEPOSIT_XPUB: await signer.depositXpub(),
        },
        payoutCallbackUrl: backend.url,
      })
      prometheus = await startPrometheus({
        folder: join(installation.folder, 'prometheus'),
        apis: installation.apis.metricsUrls(),
        workers: installation.workers.metricsUrls(),
      })
      await trade()
      await withdraw()
      await openCase()
      await cutDatabase()
      await untilSeen('the lists', 'tradepost_catalog_list_good_seconds > 0')
      await closeGate()
      await killWorker()
      await untilSeen('an alert fires', 'ALERTS{alertstate="firing"}')
    },
    async () => {
      await prometheus?.stop()
      await installation?.close()
      backend?.close()
      await signer?.close()
    },
  )
}

/** A counter is seen to rise only after it was scraped once: of everything there is one before the others. */
async function trade(): Promise<void> {
  const { merchant, sandbox } = installation
  const behalf = await aBuyer(merchant, 'observed', '500.00')
  const token = await tokenOf(merchant, ['market', 'user'])
  const socket = await openReady(wsUrl(merchant.baseUrl, '/market/live', { token }))
  const bought: string[] = []
  for (const few of [1, 3]) {
    for (const market of MARKETS) {
      const supply = await stock(sandbox.control, market)
      await sandbox.control.script(market, 'reject:sold_out')
      for (let n = 0; n < few; n++) {
        const { receipt } = await buyNext(merchant, { market, supply, behalf })
        bought.push(receipt.id)
      }
    }
    await Promise.all(bought.map((id) => untilEnded(merchant, id)))
    await untilSeen(
      'what came of it',
      `sum(tradepost_webhook_attempt_seconds_count) >= ${bought.length}`,
    )
  }
  await deposit(behalf)
  await sell()
  await leaveOpen(behalf)
  await socket.end()
}

const CREDITS = 'tradepost_deposit_credit_delay_seconds_count'

/** Until a process has credited a second one: any of them may credit the next. */
async function deposit(behalf: string): Promise<void> {
  const { merchant, sandbox } = installation
  const { call: control } = sandbox.control
  for (
    let paid = 1;
    (await prometheus.valuesOf(`increase(${CREDITS}[1m]) > 0`)).length === 0;
    paid++
  ) {
    await payByGateway(merchant, { behalf, amount: '20.00', deadlineMs: 10_000, control })
    await untilSeen(`${paid} deposits are credited`, `sum(${CREDITS}) >= ${paid}`)
  }
}

/** To bots whose offer the seller leaves alone. */
async function sell(): Promise<void> {
  const { merchant } = installation
  const behalf = 'seller'
  await merchant.get('createSubUser', { body: { externalId: behalf } })
  const [item] = await linkSeller(merchant, behalf, tradeUrl('manual00', 50_000_001))
  assert.ok(item)
  await sellItems(merchant, behalf, [item])
  await untilSeen('the sell', 'tradepost_sell_items_open > 0')
}

/** Payments that the merchant approves and the signer signs, until they are seen on their way. */
async function withdraw(): Promise<void> {
  const { merchant, sandbox } = installation
  await fillCustody(merchant, sandbox.control)
  let count = 0
  const ask = () =>
    merchant.get('createWithdrawal', {
      body: {
        ...{ externalId: `observed-${++count}`, chain: CHAIN, token: 'USDC' },
        ...{ destination: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', amountCents: 250 },
      },
    })
  await untilAllSeen('payments', ask, [
    'sum(rate(tradepost_payout_approval_seconds_count[10s])) > 0',
    'tradepost_payout_withdrawals > 0',
    'tradepost_outbound_transactions > 0',
  ])
}

const OPEN_CASE = sql(
  'test_open_case',
  `insert into reconciliation.case_file (kind, subject, market, source, facts, first_seen_at, last_seen_at)
   values ('orphan_purchase', 'order:market_b:1', 'market_b', 'statement', '{}', now(), now())`,
)
/** As a statement does that lists an order that is unknown here. */
async function openCase(): Promise<void> {
  await installation.db.query(OPEN_CASE)
  await untilSeen('the open case', 'tradepost_reconciliation_cases_open > 0')
}

const CUT = sql(
  'test_cut',
  `select pg_terminate_backend(pid) from pg_stat_activity
   where datname = current_database() and application_name like 'tradepost%' and pid <> pg_backend_pid()`,
)
/** Until processes have lost statements, and connections that listen, more than once. */
const cutDatabase = (): Promise<unknown> =>
  untilAllSeen('losses', () => installation.db.query(CUT), [
    'sum(rate(tradepost_db_losses_total[10s])) > 0',
    'sum(increase(tradepost_db_listen_reconnects_total[10s])) > 0',
    'sum(rate(tradepost_job_errors_total[10s])) > 0',
  ])

/** A buy whose user does not answer. */
async function leaveOpen(behalf: string): Promise<void> {
  const { merchant, sandbox } = installation
  const supply = await stock(sandbox.control, 'market_b')
  await buyNext(merchant, { market: 'market_b', supply, behalf, token: 'manual00' })
  await untilSeen('the open item', 'tradepost_items_open{status="active"} > 0')
}

const CLOSE = sql(
  'test_close_gate',
  `update reconciliation.placing_gate set closed_at = now() where market = 'market_a'`,
)

/** As after a restore. While its market is away the gate cannot be opened. */
async function closeGate(): Promise<void> {
  const { merchant, sandbox } = installation
  await sandbox.control.setMarket('market_a', { online: false })
  await untilSeen('the market is away', 'tradepost_market_online{market="market_a"} == 0')
  for (let i = 1; i <= 2; i++) {
    const supply = await stock(sandbox.control, 'market_a')
    await buyRaw(merchant, { raw: [`market_a:${supply.take().id}`] })
    await untilSeen('a refusal', `sum(tradepost_http_request_seconds_count{status="503"}) >= ${i}`)
  }
  await installation.db.query(CLOSE)
  await untilSeen('the gate is closed', 'tradepost_placing_gate_closed{market="market_a"} == 1')
}

async function killWorker(): Promise<void> {
  const [pid = 0] = installation.workers.pids()
  process.kill(pid, 'SIGKILL')
  await untilSeen('a worker is gone', 'up{job="tradepost-worker"} == 0')
}

const untilSeen = (what: string, expr: string): Promise<boolean> =>
  until(what, async () => (await prometheus.valuesOf(expr)).length > 0, { everyMs: 500 })

/** Acts again and again until each of these has had a value. */
const untilAllSeen = (
  what: string,
  act: () => Promise<unknown>,
  exprs: readonly string[],
): Promise<boolean> =>
  until(
    `${what} are seen`,
    async () => {
      await act()
      const seen = await Promise.all(exprs.map((expr) => prometheus.valuesOf(expr)))
      return seen.every(({ length }) => length > 0)
    },
    { everyMs: 1000, deadlineMs: 120_000 },
  )

const NOTHING = 'counts what did not happen here; tests of what it counts are beside the code'
/** Panels that this installation cannot fill, each with its reason. */
const NO_REPLICA = 'the installation has no replica: tests/endurance/replica.test.ts does'
const WITHOUT_DATA: Readonly<Record<string, string>> = {
  'api: Refused by a limit': 'limits are wide, so that tests are not refused',
  'api: Store of the limits': 'the installation has no Valkey: tests/cluster/cluster.test.ts does',
  'api: Sockets that we closed': NOTHING,
  'chains: Replaced blocks': NOTHING,
  'chains: Incidents': NOTHING,
  'chains: Prices that were not used': NOTHING,
  'chains: What an operator has to look at': NOTHING,
  'database: Reads by side': NO_REPLICA,
  'database: Age of the replica': NO_REPLICA,
  'database: Room on the disk': 'the installation has no node_exporter',
  'house: Mail that was not sent': NOTHING,
  'markets: Fills of market orders': NOTHING,
  'markets: Put back': NOTHING,
  'markets: Refused for the queue': NOTHING,
  'markets: Interrupted feeds': NOTHING,
  'markets: Not for sale': NOTHING,
  'markets: Days that the balance lasts': 'the pace of orders is known after an hour',
  'markets: Closed accounts': NOTHING,
  'markets: Refused calls': NOTHING,
  'money: Time of an audit': 'the second of a process comes after the test',
  'money: Cases opened': NOTHING,
  'money: Calls that brought nothing': NOTHING,
}

it('every panel has data, or is listed with its reason', { skip: noPrometheus }, async () => {
  const targets = readTargets()
  const empty: Target[] = []
  for (const target of targets) {
    if (Object.hasOwn(WITHOUT_DATA, target.panel)) continue
    if ((await prometheus.valuesOf(measured(target))).length === 0) empty.push(target)
  }
  assert.deepEqual(empty, [])
  const panels = new Set(targets.map(({ panel }) => panel))
  assert.deepEqual(
    Object.keys(WITHOUT_DATA).filter((panel) => !panels.has(panel)),
    [],
    'the list has no panel that is gone',
  )
})

/** Without the line at 0 that stands where nothing was measured. */
const measured = ({ expr }: Target): string =>
  withWindow(expr).replace(/ or (on \(\) label_replace\()?vector\(0\).*$/, '')

it('what is scraped is shown by a panel, used by a rule, or listed with its reason', {
  skip: noPrometheus,
}, async () => {
  const rules = [RULES, OBJECTIVES].map((path) => readFileSync(path, 'utf8'))
  const used = new Set([...readTargets().map(({ expr }) => expr), ...rules].flatMap(metricsOf))
  const scraped = new Set((await prometheus.names()).flatMap(metricsOf))
  assert.ok(scraped.size > 80, `${scraped.size} metrics`)
  assert.deepEqual(
    [...scraped].filter((name) => !used.has(name) && !Object.hasOwn(UNSHOWN, name)),
    [],
  )
})

it('every line of the logs has an event of docs/log-events.md', { skip: noPrometheus }, () => {
  const page = readFileSync(join(ROOT, 'docs/log-events.md'), 'utf8')
  const listed = new Set([...page.matchAll(/^\| `(\w+)`/gm)].map(([, event = '']) => event))
  const lines = [installation.apis, installation.workers].flatMap((processes) => processes.log())
  const events = new Set(lines.filter((line) => line !== '').map((line) => JSON.parse(line).event))
  assert.ok(events.size > 5, [...events].join())
  assert.deepEqual(
    [...events].filter((event) => !listed.has(event)),
    [],
  )
})

it('alerts fire for the killed worker and the closed gate', { skip: noPrometheus }, async () => {
  await untilSeen('a pending alert', 'ALERTS{alertname="TargetMissing",job="tradepost-worker"}')
  await untilSeen('a firing alert', 'ALERTS{alertname="PlacingHeldBack",alertstate="firing"}')
})
