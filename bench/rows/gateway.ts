// Deposits by the payment gateway from the request to the credit: created 16 at once at an API process,
// announced by the provider's notice, read again and credited by a worker process; beside a bare Fastify
// route that makes the same two calls and one SQL function. The provider is a process of its own that answers
// at once.

import { type Buyer, readBuyers } from '../installation/buyers.ts'
import { auditBooks, readRows, withClient } from '../installation/installation.ts'
import { type Helper, startHelper } from '../ipc.ts'
import type { LoadMethods } from '../load/process.ts'
import { compare, type Side } from '../rounds.ts'
import type { GatewayMethods } from '../servers/gateway.ts'
import type { GatewayPeerMethods } from '../servers/gateway-peer.ts'
import { buyersDatabase } from './buyers-database.ts'
import { loadOf, type RunRow, rateLine, requestOf, startLoad } from './row.ts'

const AT_ONCE = 16
/** A round lasts some seconds; five of them differed by half from each other, with what else ran then. */
const LEAST_ROUNDS = 9
const AIM = 0.6
const AMOUNT = '100.00'
const LOOK_EVERY_MS = 5
const CREDIT_TIMEOUT_MS = 60_000
const SERVERS = `${import.meta.dirname}/../servers`

export const runGateway: RunRow = async (bench) => {
  const { installation, isQuick, say } = bench
  const count = isQuick ? 100 : 1000
  const rounds = isQuick ? bench.rounds : Math.max(bench.rounds, LEAST_ROUNDS)
  const from = await buyersDatabase(bench)
  const url = await installation.clone(from, 'bench_gateway')
  const peerUrl = await installation.clone(from, 'bench_gateway_peer')
  const gateway: Helper<GatewayMethods> = startHelper(`${SERVERS}/gateway.ts`)
  const peer: Helper<GatewayPeerMethods> = startHelper(`${SERVERS}/gateway-peer.ts`, installation)
  const load = startLoad()
  const gatewayPort = await gateway.call('listen')
  const settings = { SANDBOX_PORT: String(gatewayPort) }
  const api = await installation.startApi(url, settings)
  const worker = await installation.startWorker(url, settings)
  try {
    const gatewayUrl = `http://127.0.0.1:${gatewayPort}`
    const peerPort = await peer.call('listen', {
      databaseUrl: peerUrl,
      gatewayUrl,
      atOnce: AT_ONCE,
    })
    const origin = `http://127.0.0.1:${api.port}`
    await gateway.call('announceTo', origin)
    const depositors = createTurns(await readBuyers(url), count)
    const peerDepositors = createTurns(await readBuyers(peerUrl), count)
    const ours: Side = {
      pid: null,
      run: async () => {
        const requests = await quoted(depositors(), { origin, apiKey: installation.apiKey })
        const seconds = await secondsToCredit(url, requests, { load, port: api.port })
        return result(requests.length, seconds)
      },
    }
    const theirs: Side = {
      pid: null,
      run: async () => {
        const requests = peerDepositors().map(({ accountId }) =>
          requestOf('POST', '/deposits', {}, JSON.stringify({ accountId, amount: AMOUNT })),
        )
        const task = { port: peerPort, connections: AT_ONCE, requests, durationMs: null }
        return result(requests.length, (await loadOf(load, task)).seconds)
      },
    }
    const compared = await compare({ ours, peer: theirs }, { rounds, say })
    await audit(url)
    const note = `${count} deposits a round, quoted before it; API and worker are processes of their own; the books audits are clean`
    const path = 'gateway deposits: create, paid notice, credit'
    return [rateLine(path, compared, { ratio: AIM }, note)]
  } finally {
    await gateway.call('announceTo', null)
    await peer.call('close')
    await Promise.all([api.stop(), worker.stop()])
    await Promise.all([gateway.stop(), peer.stop(), load.stop()])
    await installation.drop('bench_gateway')
    await installation.drop('bench_gateway_peer')
  }
}

const result = (count: number, seconds: number) => ({
  ...{ count, perSecond: count / seconds, p50Ms: Number.NaN, p99Ms: Number.NaN },
})

/** The next accounts each time, from the first one on again after the last. */
function createTurns(buyers: readonly Buyer[], count: number): () => readonly Buyer[] {
  let taken = 0
  return () => Array.from({ length: count }, () => buyers[taken++ % buyers.length] as Buyer)
}

/** A request to create a deposit for each account, on a quote of its own. */
async function quoted(
  depositors: readonly Buyer[],
  { origin, apiKey }: { readonly origin: string; readonly apiKey: string },
): Promise<string[]> {
  const requests: string[] = []
  const left = depositors.values()
  const quoter = async (): Promise<void> => {
    for (const { externalId } of left) {
      const headers = { 'api-key': apiKey, 'on-behalf-of': externalId }
      const response = await fetch(`${origin}/user/wallet/deposit/gate/quote`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ amount: AMOUNT, currency: 'USDT' }),
      })
      const text = await response.text()
      if (response.status !== 200) throw new Error(`quote: ${response.status} ${text}`)
      const { data } = JSON.parse(text) as { data: { quoteToken: string } }
      const body = JSON.stringify({ quoteToken: data.quoteToken, chain: 'TRX' })
      requests.push(requestOf('POST', '/user/wallet/deposit/gate', headers, body))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, quoter))
  return requests
}

const NEWEST = 'select id from deposits.deposit order by id desc limit 1'
/** The first from one on that is not completed: to count them all would be work of our side alone. */
const OPEN = `select id from deposits.deposit where id >= $1 and status <> 'completed' order by id limit 1`
const NONE = '00000000-0000-0000-0000-000000000000'
/** A completed order is looked at again for refunds; none of an earlier round is while a round runs. */
const FORGET = 'update deposits.provider_order set due_at = null where due_at is not null'

/** From the first request until every deposit is credited. */
function secondsToCredit(
  url: string,
  requests: readonly string[],
  { load, port }: { readonly load: Helper<LoadMethods>; readonly port: number },
): Promise<number> {
  return withClient(url, async (client) => {
    const first = async (text: string, values: string[] = []): Promise<string | undefined> =>
      (await client.query<{ id: string }>(text, values)).rows[0]?.id
    let open = (await first(NEWEST)) ?? NONE
    const begun = performance.now()
    await loadOf(load, { port, connections: AT_ONCE, requests, durationMs: null })
    for (;;) {
      const next = await first(OPEN, [open])
      if (next === undefined) break
      open = next
      if (performance.now() - begun > CREDIT_TIMEOUT_MS)
        throw new Error('deposits are not credited')
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    }
    const seconds = (performance.now() - begun) / 1000
    await client.query(FORGET)
    return seconds
  })
}

async function audit(url: string): Promise<void> {
  await auditBooks(url)
  const broken = await readRows<{ invariant: string; detail: string }>(
    url,
    'select * from deposits.audit() limit 5',
  )
  if (broken.length > 0) throw new Error(`deposits are broken: ${JSON.stringify(broken)}`)
}
