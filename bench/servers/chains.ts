// The scanner of a chain as a worker runs it, on a real node, beside a loop that fetches the same blocks and
// logs with viem; and addresses, made as requests make them.
import { createPublicClient, http, parseAbiItem } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { createEvmChain } from '../../apps/server/src/adapters/evm/index.ts'
import { createAddressDeriver } from '../../apps/server/src/adapters/hd-addresses/index.ts'
import { HANDLERS } from '../../apps/server/src/edges/jobs/chain-handlers.ts'
import { type Db, openDb, sql } from '../../apps/server/src/infra/database/db.ts'
import { createHttpClient } from '../../apps/server/src/infra/http/http-client.ts'
import { systemClock } from '../../apps/server/src/infra/process/clock.ts'
import { silentLog } from '../../apps/server/src/infra/process/log.ts'
import { createMetrics } from '../../apps/server/src/infra/process/metrics.ts'
import { newId } from '../../apps/server/src/kernel/id.ts'
import {
  aMerchant,
  aSubUser,
} from '../../apps/server/src/modules/accounts/identity/testing/accounts.ts'
import {
  type AddressFor,
  createAddressFor,
  type ScanDeps,
  sandboxRules,
  scanChain,
} from '../../apps/server/src/modules/crypto/chains/index.ts'
import { callData, startChain, type TestChain } from '../../tests/support/chains/index.ts'
import { answerWith } from '../ipc.ts'

const KNOWN_ADDRESSES = 100_000
const RECEIVERS = 200
const TRANSFERS_A_BLOCK = 200
/** Of each block's transfers: the others go to other addresses, as on a real chain. */
const OURS_A_BLOCK = 20
const AT_ONCE = 16
/** Not account 0, which pays. */
const XPUB = mnemonicToAccount('test test test test test test test test test test test junk', {
  path: "m/44'/60'/7'",
}).getHdKey().publicExtendedKey

interface Opened {
  readonly db: Db
  readonly chain: TestChain
  readonly scan: ScanDeps
  readonly addressFor: AddressFor
  readonly first: bigint
  readonly blocks: number
}
let opened: Opened | null = null
const now = (): Opened => {
  if (opened === null) throw new Error('not open')
  return opened
}

const FILL = sql(
  'bench_fill_addresses',
  `insert into chains.address (owner_id, purpose, hd_index, address, created_at)
   select uuidv7(), 'deposit', i, '0x' || repeat('a', 32) || lpad(to_hex(i), 8, '0'), now() from generate_series($1::int, $2::int) i`,
)
const NEXT = sql('bench_next_index', `select setval('chains.address_index', $1)`)

const methods = {
  open: async (databaseUrl: string, blocks: number): Promise<void> => {
    const db = openDb({ url: databaseUrl, poolSize: AT_ONCE })
    const clock = systemClock
    const chain = await startChain('ethereum')
    const addressFor = createAddressFor({ deriver: createAddressDeriver(XPUB), clock })
    const merchant = await aMerchant(db)
    const receivers: string[] = []
    for (let i = 0; i < RECEIVERS; i++) {
      const { id } = await aSubUser(db, merchant.id)
      receivers.push(
        await db.transaction((tx) => addressFor(tx, { ownerId: id, purpose: 'deposit' })),
      )
    }
    await db.query(FILL, [RECEIVERS, KNOWN_ADDRESSES - 1])
    await db.query(NEXT, [KNOWN_ADDRESSES])
    await db.script('analyze chains.address')
    const first = (await chain.head()) + 1n
    for (let block = 0; block < blocks; block++) await makeBlock(chain, receivers, block)
    const { node, broadcast } = createEvmChain({
      ...{ chain: 'ethereum', rpcUrls: [chain.url], secondRpcUrls: [], clock, log: silentLog },
      http: createHttpClient({ log: silentLog, metrics: createMetrics() }),
    })
    const rules = sandboxRules(3n).find((one) => one.chain === 'ethereum')
    if (rules === undefined) throw new Error('no rules')
    const scan: ScanDeps = {
      ...{ db, clock, broadcast, handlers: HANDLERS, rules: { ...rules, startBlock: first - 1n } },
      // Tracing a block is the node's own work: anvil needs a second for two hundred transactions.
      node: { ...node, internalTransfers: async () => 'unsupported' },
      ownSenders: async () => new Set(),
      onIncident: (what) => {
        throw new Error(`nothing is wrong here, and yet: ${what}`)
      },
    }
    opened = { db, chain, scan, addressFor, first, blocks }
  },

  /** Seconds for all blocks, with everything that they bring written. */
  ours: async (): Promise<number> => {
    const { db, scan, blocks } = now()
    await db.script('truncate chains.transfer, chains.cursor, chains.block cascade')
    const begun = performance.now()
    let scanned = 0
    while (scanned < blocks) {
      const result = await scanChain(scan, new AbortController().signal)
      if (result.kind !== 'scanned') throw new Error(result.kind)
      scanned += result.blocks
    }
    const seconds = (performance.now() - begun) / 1000
    const [row] = await db.query<{ transfers: bigint }>(COUNT)
    if (row?.transfers !== BigInt(blocks * OURS_A_BLOCK)) throw new Error('transfers are missing')
    return seconds
  },

  /** The same blocks, their transactions and their logs, and nothing kept. */
  peer: async (): Promise<number> => {
    const { chain, first, blocks } = now()
    const client = createPublicClient({ transport: http(chain.url) })
    const begun = performance.now()
    for (let number = first; number < first + BigInt(blocks); number++) {
      const block = await client.getBlock({ blockNumber: number, includeTransactions: true })
      const logs = await client.getLogs({ blockHash: block.hash, event: TRANSFER })
      if (logs.length !== TRANSFERS_A_BLOCK) throw new Error('logs are missing')
    }
    return (performance.now() - begun) / 1000
  },

  /** Seconds for so many first requests of new owners, 16 at once. */
  provision: async (count: number): Promise<number> => {
    const { db, addressFor } = now()
    let left = count
    const provisioner = async (): Promise<void> => {
      while (left-- > 0) {
        const ownerId = newId()
        await db.transaction((tx) => addressFor(tx, { ownerId, purpose: 'deposit' }))
      }
    }
    const begun = performance.now()
    await Promise.all(Array.from({ length: AT_ONCE }, provisioner))
    return (performance.now() - begun) / 1000
  },

  close: async (): Promise<void> => {
    await opened?.chain.stop()
    await opened?.db.close()
  },
}
export type ChainMethods = typeof methods

const TRANSFER = parseAbiItem(
  'event Transfer(address indexed from, address indexed to, uint256 value)',
)
const COUNT = sql('bench_transfers', 'select count(*) transfers from chains.transfer')

async function makeBlock(
  chain: TestChain,
  receivers: readonly string[],
  block: number,
): Promise<void> {
  const token = chain.network.tokens.find(({ symbol }) => symbol === 'USDC')
  if (token === undefined) throw new Error('no USDC')
  for (let i = 0; i < TRANSFERS_A_BLOCK; i++) {
    const isOurs = i % (TRANSFERS_A_BLOCK / OURS_A_BLOCK) === 0
    const to = isOurs
      ? receivers[(block * OURS_A_BLOCK + i) % receivers.length]
      : `0x${(block * TRANSFERS_A_BLOCK + i).toString(16).padStart(40, 'b')}`
    const data = callData('Token', 'transfer(address,uint256)', [to ?? '', 20_000_000n])
    await chain.send({ to: token.address, data, gas: 100_000n })
  }
  await chain.mine(1)
}

answerWith(methods)
