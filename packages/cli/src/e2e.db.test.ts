// The program against the real service, as `npm start` runs it, each command a process of its own.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, it } from 'node:test'
import { type Child, startChild } from '../../../tests/support/child.ts'
import { type TestDatabase, testDatabase } from '../../../tests/support/database.ts'
import { SMALL_DATASET } from '../../../tests/support/sandbox.ts'
import {
  type Demo,
  newSecretsKey,
  readDemo,
  type Server,
  startServer,
} from '../../../tests/support/server.ts'
import { until } from '../../../tests/support/until.ts'
import { nodeWebhook } from '../../sdk/src/webhooks/node.ts'
import type { WebhookEvent } from './sdk.ts'
import { Tradepost } from './sdk.ts'

const PROGRAM = join(import.meta.dirname, '../bin/tradepost.mjs')
const folder = mkdtempSync(join(tmpdir(), 'tradepost-cli-e2e-'))
const SETTINGS = {
  ...SMALL_DATASET,
  DATA_DIR: join(folder, 'data'),
  SECRETS_KEY: newSecretsKey(),
  ...{ SANDBOX_PORT: '0', SANDBOX_CHAINS: 'ethereum' },
}
let database: TestDatabase
/** Approves every withdrawal while it answers 200. */
let approval = 200
const approving = createServer((_request, response) => void response.writeHead(approval).end())
let server: Server
let demo: Demo
let tradepost: Tradepost

before(async () => {
  approving.listen(0, '127.0.0.1')
  await once(approving, 'listening')
  const { port } = approving.address() as AddressInfo
  const callback = { PAYOUT_CALLBACK_URL: `http://127.0.0.1:${port}/approve` }
  database = await testDatabase({ poolSize: 1 })
  const settings = { ...SETTINGS, DATABASE_URL: database.url, ...callback }
  server = await startServer('all-in-one', settings)
  demo = readDemo(SETTINGS.DATA_DIR)
  tradepost = new Tradepost({ apiKey: demo.merchant.apiKey, baseUrl: demo.baseUrl })
  await until('the catalogue is stocked', async () => {
    const { total } = await tradepost.market.search({ inStock: true, limit: 1 })
    return total > 100
  })
  assert.equal((await run('login', '--demo', SETTINGS.DATA_DIR)).code, 0)
})

after(async () => {
  const { code } = await server.end('SIGTERM')
  approving.close()
  approving.closeAllConnections()
  await database.close()
  rmSync(folder, { recursive: true, force: true })
  assert.equal(code, 0, server.said())
})

it('what listen forwards is verified by the SDK, and a restart of the service loses nothing', async () => {
  const events: WebhookEvent[] = []
  const troubles: unknown[] = []
  let secret = ''
  await using endpoint = await anEndpoint((request, response) => {
    const receive = nodeWebhook({
      secret,
      onEvent: (event) => events.push(event),
      onRefused: (error) => troubles.push(error),
      onError: (error) => troubles.push(error),
    })
    void receive(request, response)
  })
  const listening = start('listen', '--forward-to', `127.0.0.1:${endpoint.port}/hook`, '--json')
  secret = await until('the secret is shown', () => {
    return /signed with +(whsec_[\w-]{43})/.exec(listening.stderr())?.[1]
  })
  await until('it listens', () => listening.stderr().includes('listening to'))

  const before = await run('trigger', 'trade.hold', '--json')
  assert.equal(before.code, 0, before.stderr)
  const trade = tradeOf(JSON.parse(before.stdout) as WebhookEvent)
  await until('the hold is forwarded', () => typesOf(events, trade.id).includes('hold'))

  const port = (url: string): string => new URL(url).port
  assert.equal((await server.end('SIGTERM')).code, 0)
  server = await startServer('all-in-one', {
    ...{ ...SETTINGS, DATABASE_URL: database.url },
    PORT: port(demo.baseUrl),
    SANDBOX_PORT: port(demo.sandboxUrl),
  })
  await until('the trade is settled, and its event is sent', () => {
    return typesOf(events, trade.id).includes('settled')
  })
  assert.deepEqual([...new Set(typesOf(events, trade.id))], STEPS)
  assert.deepEqual(troubles, [])
  const forwarded = await until('each is forwarded', () => {
    const lines = listening.stdout().trim().split('\n')
    return lines.length >= STEPS.length && lines.map((line) => JSON.parse(line) as Forwarded)
  })
  assert.ok(forwarded.every(({ forward }) => forward.status === 204))

  const { code } = await listening.end('SIGINT')
  assert.equal(code, 0, listening.stderr())
  const last = forwarded.at(-1)
  const resent = await run('events', 'resend', last?.id ?? '', '--json')
  assert.equal(resent.code, 0, resent.stderr)
  assert.equal(events.filter(({ id }) => id === last?.id).length, 2)
})

it('a listener resumes with the event that it did not finish', async () => {
  const seen: string[] = []
  await using endpoint = await anEndpoint((request, response) => {
    seen.push(String(request.headers['webhook-id']))
    response.writeHead(500).end('{"why":"the database is away"}\n')
  })
  const first = start('listen', '--forward-to', `${endpoint.port}/x`)
  await until('it listens', () => first.stderr().includes('listening to'))
  assert.equal((await run('trigger', 'trade.pending')).code, 0)
  await until('two came', () => seen.length >= 2)
  assert.equal((await first.end('SIGINT')).code, 0)
  const stopped = seen.length
  const second = start('listen', '--forward-to', `${endpoint.port}/x`, '--since', 'last')
  await until('the others came', async () => {
    const { items } = await tradepost.events.list({ limit: 1 })
    return seen.includes(items[0]?.id ?? '') && items[0]?.type === 'trade.settled'
  })
  assert.equal((await second.end('SIGINT')).code, 0)
  const { items } = await tradepost.events.list({ limit: 6 })
  const all = items.map(({ id }) => id).reverse()
  assert.deepEqual([...new Set(seen)], all)
  // At least once: what was under way when it stopped may have been posted in both runs.
  assert.ok(seen.length - all.length <= 1, `${stopped} then ${seen.length}`)
  assert.match(second.stdout(), /→ 500 in \d+ ms\n +\{"why":"the database is away"\}\n/)
})

it('scenarios end in the requested event', async () => {
  const triggered = await Promise.all(ENDS.map((type) => run('trigger', type, '--json')))
  for (const [i, { code, stdout, stderr }] of triggered.entries()) {
    assert.equal(code, 0, stderr)
    assert.equal((JSON.parse(stdout) as WebhookEvent).type, ENDS[i])
  }
  const own = ['--external-id', 'own-1', '--item', 'case', '--max-price', '40.00', '--json']
  const bought = await run('trigger', 'trade.initiated', ...own)
  assert.equal(bought.code, 0, bought.stderr)
  const { externalId, totalPrice } = tradeOf(JSON.parse(bought.stdout) as WebhookEvent)
  assert.equal(externalId, 'own-1')
  assert.ok(totalPrice <= 40)
  const paid = await run('trigger', 'deposit.completed', '--amount', '12.50', '--json')
  assert.equal(paid.code, 0, paid.stderr)
  assert.match(paid.stdout, /12\.5\b/)
  const { code, stderr } = await run('trigger', 'trade.nonsense')
  assert.equal(code, 2)
  assert.match(stderr, /trade\.completed/)
})

it('a purchase goes from a search to a trade, for a sub-user, and a retry does not buy twice', async () => {
  await tradepost.users.create({ externalId: 'käthe' })
  await tradepost.users.fund('käthe', { amount: '100.00' })
  const behalf = ['--on-behalf-of', 'käthe', '--json']
  const found = await json<{ items: { id: string }[] }>(
    ...['search', '--min-price', '2', '--max-price', '40', '--limit', '1', ...behalf],
  )
  const listed = await json<{ items: { id: string }[] }>(
    ...['listings', found.items[0]?.id ?? '', '--max-price', '40', ...behalf],
  )
  const buy = [
    ...['buy', listed.items[0]?.id ?? '', '--max-price', '40', '--external-id', 'k-1', '--yes'],
    ...[
      '--trade-url',
      'https://steamcommunity.com/tradeoffer/new/?partner=39734273&token=accept00',
    ],
    ...behalf,
  ]
  const bought = await json<{ id: string }>(...buy)
  assert.equal((await json<{ id: string }>(...buy)).id, bought.id)
  const listedTrades = await run('trades', 'list', '--user', 'käthe')
  assert.match(listedTrades.stdout, new RegExp(`${bought.id}.*k-1`))
  const shown = await run('trades', 'show', bought.id)
  assert.match(shown.stdout, /status +\w+/)
  assert.match(shown.stdout, /request +buy/)
  assert.match(shown.stdout, /money +trade_payment +-\d+\.\d\d USD/)
  assert.match(shown.stdout, /event +trade\.initiated/)
  assert.equal(shown.code, 0)
  const named = await json<{ trade: { id: string } }>('trades', 'show', 'k-1', '--json')
  assert.equal(named.trade.id, bought.id)
})

it('a purchase with a partner’s key goes from a search to an order, and a retry does not buy twice', async () => {
  const as = ['--profile', 'partner', '--json']
  assert.equal((await run('login', '--demo', SETTINGS.DATA_DIR, '--partner', ...as)).code, 0)
  const { account } = await json<{ account: { balance: number } }>('whoami', ...as)
  const found = await json<{ items: { id: string }[] }>(
    ...['search', '--min-price', '2', '--sort', 'priceAsc', '--limit', '1', ...as],
  )
  const item = found.items[0]?.id ?? ''
  const { listings } = await json<{ listings: { id: string; market: string; price: number }[] }>(
    ...['listings', item, ...as],
  )
  const [listing] = listings
  assert.ok(listing)
  const tradeUrl = 'https://steamcommunity.com/tradeoffer/new/?partner=39734273&token=accept00'
  const buy = ['buy', listing.id, '--market', listing.market, '--trade-url', tradeUrl, '--yes']
  const key = ['--external-id', 'p-1', ...as]
  const bought = await json<{ order: { serviceOrderId: string } }>(
    ...[...buy, '--item', item, '--max-price', '40', ...key],
  )
  const again = [...buy, '--price', listing.price.toFixed(2), ...key]
  assert.deepEqual((await json<typeof bought>(...again)).order, bought.order)
  const { orders, total } = await json<{ orders: { id: string; amount: number }[]; total: number }>(
    ...['orders', ...as],
  )
  assert.deepEqual([orders[0]?.id, total], [bought.order.serviceOrderId, 1])
  const now = await json<{ account: { balance: number } }>('whoami', ...as)
  assert.equal(now.account.balance, Number((account.balance - (orders[0]?.amount ?? 0)).toFixed(2)))
})

it('a trade of the merchant or a sub-user is canceled, and an ended one is refused', async () => {
  const { id } = JSON.parse(
    (await run('trigger', 'trade.canceled', '--json')).stdout,
  ) as WebhookEvent
  const canceled = tradeOf(await tradepost.events.get(id))
  const over = await run('trades', 'cancel', canceled.id)
  assert.equal(over.code, 3)
  assert.match(over.stderr, /TRADE_NOT_CANCELLABLE/)
  const { market } = tradepost.as('käthe')
  const [item] = (await market.search({ minPrice: '1.00', maxPrice: '20.00', inStock: true })).items
  const [listing] = (await market.listings(item?.id ?? '', { limit: 1 })).items
  const bought = await market.buy({
    tradeUrl: 'https://steamcommunity.com/tradeoffer/new/?partner=39734273&token=slowly00',
    items: [{ listingId: listing?.id ?? '', maxPrice: '40.00' }],
  })
  const outcome = await until('it is old enough', async () => {
    const { code, stdout } = await run('trades', 'cancel', bought.id, '--json')
    return code === 0 && (JSON.parse(stdout) as { status: string }[])
  })
  assert.deepEqual(
    outcome.map(({ status }) => status),
    ['cancelled'],
  )
})

it('a deposit is created, shown, listed and cancelled', async () => {
  const created = await run('deposits', 'create', '25.00', '--json')
  assert.equal(created.code, 0, created.stderr)
  const { fundingId } = JSON.parse(created.stdout) as { fundingId: string }
  assert.match((await run('deposits', 'show', fundingId)).stdout, /status +initiated/)
  assert.match((await run('deposits', 'list')).stdout, new RegExp(fundingId))
  assert.equal((await run('deposits', 'cancel', fundingId)).stdout.trim(), 'cancelled')
  assert.equal((await run('deposits', 'cancel', fundingId)).code, 3)
})

it('payouts are caused, submitted, listed and shown', async () => {
  const types = ['payout.crypto.withdraw.confirmed', 'payout.crypto.withdraw.refunded']
  const caused = await Promise.all(types.map((type) => run('trigger', type, '--json')))
  for (const [i, { code, stdout, stderr }] of caused.entries()) {
    assert.equal(code, 0, stderr)
    assert.equal((JSON.parse(stdout) as WebhookEvent).type, types[i])
  }
  const to = ['--to', '0x000000000000000000000000000000000000dEaD', '--chain', 'ethereum']
  const submit = ['payouts', 'submit', '2.50', ...to, '--external-id', 'p-1']
  assert.match((await run(...submit)).stderr, /Pass --yes/)
  const { id } = await json<{ id: string }>(...submit, '--yes', '--json')
  assert.equal((await json<{ id: string }>(...submit, '--yes', '--json')).id, id)
  assert.match((await run('payouts', 'status', id)).stdout, /amount +2\.50 USD in USDC on ethereum/)
  assert.match((await run('payouts', 'status', 'p-1')).stdout, new RegExp(`withdrawal +${id}`))
  const unknown = await run('payouts', 'status', 'p-2')
  assert.equal(unknown.code, 3)
  assert.match(unknown.stderr, /no withdrawal with the id or external id p-2\./)
  const listed = await run('payouts', 'list', '--limit', '1')
  assert.match(listed.stdout, new RegExp(`${id}.*p-1`))
  assert.match((await run('payouts', 'balances')).stdout, /ethereum +USDC/)
  assert.match((await run('payouts', 'address')).stdout, /^0x[0-9a-fA-F]{40}\nethereum\n/)
})

it('a batch of payouts is read from a file, refused by its line, withdrawn and followed', async () => {
  const to = '0x000000000000000000000000000000000000dEaD'
  const write = (name: string, text: string): string => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }
  const head = 'externalId,chain,token,destination,amount\n'
  const good = write(
    'good.csv',
    `${head}"c, 1",ethereum,USDC,${to},1.50\r\nc-2,ethereum,USDC,${to},2\n`,
  )
  const bad = write('bad.csv', `${head}d-1,ethereum,USDC,${to},1\nd-2,ethereum,USDC,0x1,1\n`)
  const list = write('list.json', JSON.stringify([{ externalId: 'e', amountCents: 'x' }]))
  const refused = await run('payouts', 'batch', '--file', bad, '--yes')
  assert.equal(refused.code, 3, refused.stderr)
  assert.match(refused.stderr, /Withdrawal 2 \(d-2\): .*Nothing was withdrawn/)
  for (const file of [list, write('empty.csv', 'externalId\n'), '/none.csv']) {
    assert.equal((await run('payouts', 'batch', '--file', file, '--yes')).code, 2, file)
  }
  const batch = ['payouts', 'batch', '--file', good, '--external-id', 'payday']
  assert.match((await run(...batch)).stderr, /2 withdrawals, 3\.50 USD.*\n.*Pass --yes/)
  const { id, total } = await json<{ id: string; total: number }>(...batch, '--yes', '--json')
  assert.equal(total, 2)
  assert.equal((await json<{ id: string }>(...batch, '--yes', '--json')).id, id)
  assert.match((await run('payouts', 'progress', id)).stdout, /external id +payday/)
  const byOwnId = await run('payouts', 'progress', 'payday')
  assert.equal(byOwnId.code, 2)
  assert.match(byOwnId.stderr, /payouts batch --file <path> --external-id payday$/m)
  assert.match((await run('payouts', 'status', 'c, 1')).stdout, /amount +1\.50 USD/)
  const { stdout } = await run('payouts', 'quote', '2.50', '--chain', 'ethereum')
  assert.match(stdout, /receives +2\.50 USDC on ethereum/)
})

it('a withdrawal that is not approved ends its trigger', async () => {
  approval = 403
  try {
    const { code, stderr } = await run('trigger', 'payout.crypto.withdraw.confirmed')
    assert.equal(code, 1, stderr)
    assert.match(stderr, /The withdrawal was refunded: approval_rejected\./)
    assert.match(stderr, /approval endpoint must be running/)
  } finally {
    approval = 200
  }
})

it('the key is shown with what it may do', async () => {
  const { stdout, code } = await run('key')
  assert.equal(code, 0)
  assert.match(stdout, /^scopes {4}read, live, buy, sell, deposit, users, funds, payout$/m)
  assert.match(stdout, /^spent {5}no limit$/m)
})

it('the limits are shown with their use', async () => {
  const { stdout, code } = await run('limits')
  assert.equal(code, 0)
  assert.match(stdout, /^tier enterprise\n/)
  assert.match(stdout, /^budget +\d+ +\d+ +\d+ +60 s/m)
})

it('a closed pipe does not make it fail', async () => {
  const child = spawn(process.execPath, [PROGRAM, 'search', '--limit', '100', '--json'], {
    env: { PATH: process.env.PATH, ...environment() },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.destroy()
  const said = text(child.stderr)
  const [code] = (await once(child, 'exit')) as [number | null]
  assert.deepEqual([code, await said], [0, ''])
})

const ENDS = [
  'trade.failed',
  'trade.declined',
  'trade.refunded',
  'trade.reverted',
  'trade.canceled',
  'deposit.partial',
  'deposit.refunded',
  'deposit.cancelled',
  'deposit.failed',
]
const STEPS = ['initiated', 'pending', 'active', 'hold', 'completed', 'settled']

interface Forwarded {
  readonly id: string
  readonly forward: { readonly status: number }
}

const tradeOf = ({ data }: Pick<WebhookEvent, 'data'>) =>
  'trade' in data ? data.trade : assert.fail('no event of a trade')

const typesOf = (events: readonly WebhookEvent[], tradeId: string): string[] =>
  events
    .filter(({ data }) => 'trade' in data && data.trade.id === tradeId)
    .map(({ type }) => type.replace('trade.', ''))

const environment = (): Record<string, string> => ({
  XDG_CONFIG_HOME: join(folder, 'config'),
  NO_COLOR: '1',
})

const start = (...args: string[]): Child => startChild(PROGRAM, args, environment())

async function run(
  ...args: string[]
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = start(...args)
  const { code } = await child.exited
  return { code, stdout: child.stdout(), stderr: child.stderr() }
}

async function json<Value>(...args: string[]): Promise<Value> {
  const { code, stdout, stderr } = await run(...args)
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout) as Value
}

async function anEndpoint(handle: Parameters<typeof createServer>[1] & object) {
  const http = createServer(handle)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return {
    port: (http.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}
