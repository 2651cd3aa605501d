// Chains through the whole service: an address over HTTP, a payment on a real node, the credit in the wallet
// and its events on every channel; and payments of ours whose blocks are replaced.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { NETWORKS } from '../../apps/sandbox/src/chains/networks.ts'
import { rpcOf } from '../../apps/sandbox/src/chains/rpc.ts'
import { createEvmChain } from '../../apps/server/src/adapters/evm/index.ts'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { createHttpClient } from '../../apps/server/src/infra/http/http-client.ts'
import { systemClock } from '../../apps/server/src/infra/process/clock.ts'
import { silentLog } from '../../apps/server/src/infra/process/log.ts'
import { createMetrics } from '../../apps/server/src/infra/process/metrics.ts'
import { testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { reconcileChain } from '../../apps/server/src/modules/crypto/chains/index.ts'
import { newDestination } from '../chains/payouts/environment.ts'
import { openReady, type Socket, tokenOf, wsUrl } from '../support/sockets.ts'
import { type Stack, startStack } from '../support/stack.ts'
import { aBuyer, balanceOf, centsOf } from '../support/trading.ts'
import { until } from '../support/until.ts'

let stack: Stack

before(async () => {
  const database = await testDatabase({ poolSize: 2 })
  stack = await startStack(database, {
    SANDBOX_CHAINS: 'ethereum',
    // Blocks come by `mine` alone.
    SANDBOX_BLOCK_MS: '0',
  })
})
after(() => stack.close())

/** The newest block after it. */
const chain = async (path: string, body: object): Promise<number> => {
  const response = await fetch(`${stack.demo.sandboxUrl}/control/chains/ethereum/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  assert.equal(response.status, 200, text)
  return JSON.parse(text).head
}

const pay = (address: string, amount: string, token = 'USDC'): Promise<number> =>
  chain('faucet', { address, token, amount })

/** What every channel shows of one deposit or withdrawal. */
interface Channels {
  readonly socket: Socket
  /** The newest event before. */
  readonly since: string
}

async function openChannels(behalf?: string): Promise<Channels> {
  const [newest] = (await stack.merchant.get('listMerchantEvents', { query: { limit: 1 } })).items
  const token = await tokenOf(stack.merchant, ['user'], behalf)
  const socket = await openReady(wsUrl(stack.merchant.baseUrl, '/user/live', { token }))
  return { socket, since: newest?.id ?? 'start' }
}

const subjectOf = (data: Readonly<Record<string, unknown>>): unknown =>
  ((data.deposit ?? data.withdrawal) as { id?: string } | undefined)?.id

/** Waits for webhooks, socket and feed: exactly these in this order, and the last with the same data. */
async function shown({ socket, since }: Channels, id: string, types: readonly string[]) {
  await until('its webhooks', () => webhooksOf(id).length >= types.length)
  await until('its frames', () => framesOf(socket, id).length >= types.length)
  const webhooks = webhooksOf(id)
  const frames = framesOf(socket, id)
  const feed = await stack.merchant.get('listMerchantEvents', {
    query: { after: since, limit: 100 },
  })
  const fed = feed.items.filter(({ data }) => subjectOf({ ...data }) === id)
  for (const [what, shownTypes] of [
    ['webhooks', webhooks.map(({ type }) => type)],
    ['frames', frames.map(({ event }) => event)],
    ['feed', fed.map(({ type }) => type)],
  ] as const) {
    assert.deepEqual(shownTypes, types, what)
  }
  assert.deepEqual(frames.at(-1)?.data, webhooks.at(-1)?.data)
  assert.deepEqual(fed.at(-1)?.data, webhooks.at(-1)?.data)
}

/** The approval of a withdrawal is asked for at the same address; it is no event. */
const webhooksOf = (id: string) =>
  stack.webhooks.of(id).filter(({ type }) => !type.endsWith('.approval'))
const framesOf = ({ frames }: Socket, id: string) =>
  frames.filter(({ data }) => subjectOf(data) === id)

const CAPITAL = sql(
  'test_capital',
  `select min(custody.balance_of('capital', null, 'ethereum', token)) units
   from unnest(array['NATIVE', 'USDT', 'USDC']) token`,
)

it('the demo’s wallets get capital in every token before they pay anything', async () => {
  await untilMined('it is booked', async () => {
    const [row] = await stack.database.db.query<{ units: string }>(CAPITAL)
    return BigInt(row?.units ?? 0) > 0n
  })
})

it('a payment to an account’s address is credited after three blocks, with its events in order on every channel', async () => {
  const behalf = await aBuyer(stack.merchant, 'chain-depositor')
  const [given, again] = await Promise.all([
    stack.merchant.get('getCryptoAddress', { behalf }),
    stack.merchant.get('getCryptoAddress', { behalf }),
  ])
  assert.equal(given.address, again.address)
  // Of a chain without a node no payment would be seen.
  assert.deepEqual(given.chains, ['ethereum'])
  const before = centsOf(await balanceOf(stack.merchant, behalf))
  // Swept while the next tests run.
  await pay((await stack.merchant.get('getPayoutAddress')).address, '1', 'NATIVE')
  const channels = await openChannels(behalf)
  await pay(given.address, '25.509999')
  await chain('mine', { blocks: 3 })
  await until('the deposit is credited', async () => {
    const balance = centsOf(await balanceOf(stack.merchant, behalf))
    return balance - before === 2550
  })
  const { items: deposits } = await stack.merchant.get('listDeposits', { behalf, query: {} })
  assert.deepEqual(
    deposits.map(({ method, status, chain, token, creditedAmount, address, confirmations }) => ({
      ...{ method, status, chain, token, creditedAmount, address },
      isFinal: (confirmations ?? 0) >= 3,
    })),
    [
      {
        ...{ method: 'crypto', status: 'completed', chain: 'ethereum', token: 'USDC' },
        ...{ creditedAmount: 25.5, address: given.address, isFinal: true },
      },
    ],
  )
  const [deposit] = deposits
  await shown(channels, deposit?.id ?? '', [
    ...['deposit.initiated', 'deposit.pending', 'deposit.completed'],
  ])
  await channels.socket.end()
})

const CLEARING = sql(
  'test_clearing',
  `select custody.balance_of('ledger_clearing', null, 'ethereum', 'USDC') units`,
)
/** What users were credited for, base units of USDC. */
async function clearing(): Promise<bigint> {
  const [row] = await stack.database.db.query<{ units: string }>(CLEARING)
  return BigInt(row?.units ?? 0)
}

it('small payments fail with their events, and are credited as one as soon as they are worth it', async () => {
  const behalf = await aBuyer(stack.merchant, 'small-depositor')
  const { address } = await stack.merchant.get('getCryptoAddress', { behalf })
  const channels = await openChannels(behalf)
  const start = centsOf(await balanceOf(stack.merchant, behalf))
  const before = await clearing()
  const listed = async (status: string, count: number) => {
    const read = async () =>
      (await stack.merchant.get('listDeposits', { behalf, query: {} })).items.filter(
        (one) => one.status === status,
      )
    return until(`${count} are ${status}`, async () => {
      const found = await read()
      return found.length === count ? found : null
    })
  }
  for (const [i, amount] of ['2.004999', '2.50'].entries()) {
    await pay(address, amount)
    await chain('mine', { blocks: 3 })
    const failed = await listed('failed', i + 1)
    assert.deepEqual(new Set(failed.map(({ reason }) => reason)), new Set(['below_minimum']))
  }
  assert.equal(centsOf(await balanceOf(stack.merchant, behalf)), start)
  await pay(address, '0.499')
  await chain('mine', { blocks: 3 })
  const [whole] = await listed('completed', 1)
  assert.equal(whole?.creditedAmount, 5)
  assert.equal(centsOf(await balanceOf(stack.merchant, behalf)) - start, 500)
  assert.equal((await clearing()) - before, 5_003_999n)
  const types = ['deposit.initiated', 'deposit.pending']
  for (const { id } of await listed('failed', 3)) {
    await shown(channels, id, [...types, 'deposit.failed'])
  }
  await shown(channels, whole?.id ?? '', [...types, 'deposit.completed'])
  await channels.socket.end()
})

// ---------------------------------------------------------------- payments of ours in replaced blocks

const USDC = NETWORKS.ethereum.tokens.find(({ symbol }) => symbol === 'USDC')?.address
const rpc = <Result>(method: string, params: unknown[]): Promise<Result> =>
  rpcOf(`${stack.demo.sandboxUrl}/chains/ethereum/second`)<Result>(method, params)
/** Base units. */
const held = async (address: string): Promise<bigint> => {
  const data = `0x70a08231${address.slice(2).padStart(64, '0')}`
  return BigInt(await rpc<string>('eth_call', [{ to: USDC, data }, 'latest']))
}
const blockOf = async (txHash: string): Promise<number | null> => {
  const receipt = await rpc<{ blockNumber: string } | null>('eth_getTransactionReceipt', [txHash])
  return receipt && Number(receipt.blockNumber)
}
const read = (id: string) => stack.merchant.get('getWithdrawal', { params: { id } })

/** A block at each look, as nothing else makes one; few, so that a re-organisation reaches what comes. */
const untilMined = <Found>(what: string, look: () => Promise<Found | null | false>) =>
  until(
    what,
    async () => {
      await chain('mine', { blocks: 1 })
      return look()
    },
    { everyMs: 500 },
  )

async function withdraw(destination: string): Promise<string> {
  const body = { chain: 'ethereum', token: 'USDC', destination, amountCents: 2_500 }
  const externalId = `replaced-${destination}`
  return (await stack.merchant.get('createWithdrawal', { body: { ...body, externalId } })).id
}
/** Few blocks after its own, so that a re-organisation can reach it. */
async function untilConfirmed(id: string): Promise<string> {
  const { txHash } = await untilMined('it is sent', async () => {
    const now = await read(id)
    return now.txHash === null ? null : now
  })
  assert.ok(txHash)
  await untilMined('it is in a block', () => blockOf(txHash))
  await chain('mine', { blocks: 3 })
  await until('it is confirmed', async () => (await read(id)).status === 'confirmed')
  return txHash
}

/** The blocks from that of the transaction on are replaced by others, in which it alone is missing. */
async function replace(txHash: string, mode: 'drop' | 'double_spend'): Promise<void> {
  const head = Number(await rpc<string>('eth_blockNumber', []))
  const block = await blockOf(txHash)
  assert.ok(block)
  await chain('reorg', { depth: head - block + 1, mode, txHash })
  assert.equal(await blockOf(txHash), null)
}

it('a payment that was final and whose block is replaced is sent again with the same bytes, and paid once', async () => {
  const { address } = await stack.merchant.get('getPayoutAddress')
  await pay(address, '1000')
  await untilMined('custody is filled', async () => {
    const { balances } = await stack.merchant.get('getPayoutBalances')
    return balances.some(({ token, amountCents }) => token === 'USDC' && amountCents >= 100_000)
  })
  const channels = await openChannels()
  const destination = newDestination()
  const id = await withdraw(destination)
  const txHash = await untilConfirmed(id)
  await replace(txHash, 'drop')
  assert.equal(await held(destination), 0n)
  await untilMined('it is paid again', async () => (await held(destination)) > 0n)
  await chain('mine', { blocks: 5 })
  assert.equal(await held(destination), 25_000_000n)
  assert.ok(await blockOf(txHash))
  const after = await read(id)
  assert.deepEqual([after.status, after.txHash], ['confirmed', txHash])
  // The wallet pays on.
  const next = newDestination()
  await untilConfirmed(await withdraw(next))
  assert.deepEqual([await held(destination), await held(next)], [25_000_000n, 25_000_000n])
  const types = ['broadcast', 'confirmed'].map((type) => `payout.crypto.withdraw.${type}`)
  await shown(channels, id, types)
  await channels.socket.end()
})

const HOT_WALLET = sql('test_hot_wallet', `select state from outbound.wallet where key_ref = 'hot'`)

it('a payment whose nonce a foreign transaction has after a re-organisation halts the wallet, and is not refunded', async () => {
  const destination = newDestination()
  const id = await withdraw(destination)
  // No block is made meanwhile: it must not be final.
  const { txHash } = await until('it is sent', async () => {
    const now = await read(id)
    return now.status === 'broadcast' ? now : null
  })
  assert.ok(txHash)
  await chain('mine', { blocks: 1 })
  const { totalCents } = await stack.merchant.get('getPayoutBalances')
  await replace(txHash, 'double_spend')
  await untilMined('the wallet is halted', async () => {
    const [wallet] = await stack.database.db.query<{ state: string }>(HOT_WALLET)
    return wallet?.state === 'halted'
  })
  await chain('mine', { blocks: 20 })
  assert.equal((await read(id)).status, 'broadcast')
  assert.equal((await stack.merchant.get('getPayoutBalances')).totalCents, totalCents)
  assert.equal(await held(destination), 0n)
})

// ---------------------------------------------------------------- what merchants have in kind is covered

const SWEPT = sql(
  'test_swept',
  `select from chains.sweep where token = 'NATIVE' and state = 'swept'`,
)
it('native coin in payout custody stays covered when it is swept', async () => {
  const { db } = stack.database
  await untilMined('it is swept', async () => (await db.query(SWEPT)).length > 0)
  const http = createHttpClient({ log: silentLog, metrics: createMetrics() })
  try {
    const { node, broadcast } = createEvmChain({
      ...{ chain: 'ethereum', http, clock: systemClock, log: silentLog },
      rpcUrls: [`${stack.demo.sandboxUrl}/chains/ethereum/second`],
      secondRpcUrls: [],
    })
    const compared = await reconcileChain({ db, node, broadcast, treasury: null })
    assert.ok(compared.kind === 'compared', compared.kind)
    assert.deepEqual(compared.shortfalls, [])
  } finally {
    await http.close()
  }
})
