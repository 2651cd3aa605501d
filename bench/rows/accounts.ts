// Orders placed a minute with four accounts at each market, beside one: the sandbox keeps the limits that the
// markets document, and workers keep the paces that fit them.

import { spawn } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readBuyers, readListings, seedBuyers } from '../installation/buyers.ts'
import { auditBooks, ORIGINAL, readRows } from '../installation/installation.ts'
import { startMarkets } from '../servers/markets.ts'
import { requestForBuy } from './buy.ts'
import { type Bench, type Line, type RunRow, startLoad } from './row.ts'

const MARKETS = ['market_a', 'market_b'] as const
type Market = (typeof MARKETS)[number]
const KEYS = ['sandbox-market', 'second', 'third', 'fourth']
const AIM = 3.8
/** Until every account has had its first turns, and then for how long orders are counted. */
const WARM_UP_MS = 20_000
const WINDOW_MS = { quick: 30_000, full: 180_000 }
/** More than one account takes in the whole time. */
const BUYS_A_MINUTE = 120
const READY_TIMEOUT_MS = 120_000

export const runAccounts: RunRow = async (bench) => {
  const one = await placedAMinute(bench, 1)
  const four = await placedAMinute(bench, KEYS.length)
  return MARKETS.map((market): Line => {
    const times = four[market] / one[market]
    return {
      path: `orders placed a minute at ${market} with ${KEYS.length} accounts`,
      ours: four[market].toFixed(1),
      peer: `one account: ${one[market].toFixed(1)}`,
      ratio: `× ${times.toFixed(2)}`,
      aim: `≥ ${AIM} times`,
      reached: times >= AIM,
      scatter: null,
      note: 'the limits of the markets as they are documented',
      rounds: null,
    }
  })
}

async function placedAMinute(bench: Bench, accounts: number): Promise<Record<Market, number>> {
  const { installation, isQuick, say } = bench
  const windowMs = isQuick ? WINDOW_MS.quick : WINDOW_MS.full
  const name = 'bench_accounts'
  const dataDir = join(installation.folder, 'sandbox-of-accounts')
  cpSync(join(installation.dataFolder, 'sandbox'), dataDir, { recursive: true })
  const url = await installation.clone(ORIGINAL, name)
  await seedBuyers(url, { copies: 0, say })
  const keys = Object.fromEntries(
    MARKETS.map((market) => [
      `SANDBOX_${market.toUpperCase()}_KEY`,
      KEYS.map((key, i) => keyOf(market, key, i)).join(),
    ]),
  )
  const limits = { SANDBOX_LISTINGS: '50000', SANDBOX_CHAINS: 'off', ...keys }
  const markets = await startMarkets(dataDir, limits)
  const settings = { ...limits, SANDBOX_PORT: String(markets.port) }
  const load = startLoad()
  const api = await installation.startApi(url, settings)
  try {
    const ops = { DATABASE_URL: url, DATA_DIR: installation.dataFolder, ...settings }
    for (const market of MARKETS) {
      for (const [i, key] of KEYS.slice(0, accounts).entries()) {
        if (i > 0) await addAccount(ops, { market, name: key, key: keyOf(market, key, i) })
      }
    }
    const worker = await installation.startWorker(url, settings)
    try {
      await untilOpen(url, accounts)
      const buyers = await readBuyers(url)
      const wanted = Math.ceil((accounts * BUYS_A_MINUTE * (WARM_UP_MS + windowMs)) / 60_000)
      const requests = (await readListings(url, 2 * wanted)).flatMap((listing, i) => {
        const buyer = buyers[i % buyers.length]
        return buyer === undefined ? [] : requestForBuy({ listing, buyer }, installation.apiKey)
      })
      // Some are refused: their listing went meanwhile, or as much waits as may.
      const bought = await load.call('run', {
        ...{ port: api.port, connections: 16, requests, durationMs: null },
      })
      say(`${accounts} accounts: buys were answered ${JSON.stringify(bought.statuses)}`)
      await pause(WARM_UP_MS)
      const from = new Date()
      await pause(windowMs)
      const placed = await placedSince(url, from)
      say(`${accounts} accounts: ${JSON.stringify(placed)} placed in ${windowMs / 1000} s`)
      const perMinute = (market: Market): number => (placed[market] * 60_000) / windowMs
      return { market_a: perMinute('market_a'), market_b: perMinute('market_b') }
    } finally {
      await worker.stop()
    }
  } finally {
    await Promise.all([api.stop(), load.stop()])
    await markets.stop()
    await auditBooks(url)
    await installation.drop(name)
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** The first is the one that is there already. */
const keyOf = (market: Market, key: string, at: number): string =>
  at === 0 ? `${key}-${market.slice(-1)}` : `${key}-${market}`

const OPS = join(import.meta.dirname, '../../apps/server/src/main/ops.ts')

async function addAccount(
  env: Readonly<Record<string, string>>,
  { market, name, key }: { readonly market: Market; readonly name: string; readonly key: string },
): Promise<void> {
  const words = ['market:account', 'add', market, '--name', name, '--reason', 'a bench']
  const child = spawn(process.execPath, [OPS, ...words], {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH ?? '', ...env },
  })
  let complaint = ''
  child.stderr.on('data', (chunk) => {
    complaint += chunk
  })
  child.stdin.end(key)
  const code = await new Promise((resolve) => child.once('exit', resolve))
  if (code !== 0) throw new Error(`the account ${name} was not added: ${complaint}`)
}

async function untilOpen(url: string, accounts: number): Promise<void> {
  const startedAt = performance.now()
  while (performance.now() - startedAt < READY_TIMEOUT_MS) {
    const [row] = await readRows<{ markets: string; accounts: string }>(
      url,
      `select (select count(*) from catalog.market where online and snapshot_at > now() - interval '1 minute')
           markets,
         (select count(*) from buying.market_account where balance_at > now() - interval '1 minute') accounts`,
    )
    if (row?.markets === '2' && Number(row.accounts) >= 2 * accounts) return
    await pause(250)
  }
  throw new Error('the markets did not open for all accounts')
}

async function placedSince(url: string, from: Date): Promise<Record<Market, number>> {
  const rows = await readRows<{ market: Market; count: string }>(
    url,
    `select market, count(*) from buying.supplier_order where state = 'placed' and sent_at >= $1
     group by market`,
    [from],
  )
  const countOf = (market: Market): number =>
    Number(rows.find((row) => row.market === market)?.count ?? 0)
  return { market_a: countOf('market_a'), market_b: countOf('market_b') }
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))
