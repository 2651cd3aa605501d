// The service in production mode, from an empty database, with a strict sandbox at the addresses of its
// counterparts: its limits of calls and its headers are those of the real ones, and nothing of the service
// is shortened but the hold.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NETWORKS } from '../../apps/sandbox/src/chains/networks.ts'
import { type TestDatabase, testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { nodeWebhook } from '../../packages/sdk/src/webhooks/node.ts'
import { type Client, createClient } from '../support/client.ts'
import { type Control, SMALL_DATASET, startSandbox } from '../support/sandbox.ts'
import {
  newSecretsKey,
  ops,
  runServer,
  type Server,
  type Settings,
  startServer,
} from '../support/server.ts'
import { signerProgram } from '../support/signer.ts'
import { auditBooks } from '../support/stack.ts'

/** Where the merchant sends its withdrawal. */
export const DESTINATION = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const SEED = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
const ONRAMP_WALLET = '0x00000000000000000000000000000000000c0ffe'
const OWNER = 'owner@example.com'

/** The sandbox as the real counterparts are; its limits and headers are its own presets. */
const STRICT: Settings = {
  SANDBOX_LISTINGS: SMALL_DATASET.SANDBOX_LISTINGS,
  SANDBOX_ITEMS: SMALL_DATASET.SANDBOX_ITEMS,
  SANDBOX_CHANGES_PER_SECOND: '2',
  SANDBOX_PLATFORM_READS_PER_MINUTE: '60',
  SANDBOX_CHAINS: 'ethereum',
}

export interface World {
  readonly control: Control
  readonly merchant: Client
  /** Api and worker, anew where they run, with these settings beside those of the quick start. */
  start(settings?: Settings): Promise<void>
  worker(): Server
  api(): Server
  ops(...args: string[]): Promise<string>
  /** The hot wallet, then the gas station. */
  readonly wallets: readonly string[]
  /** By the sandbox’s faucet. */
  pay(address: string, token: 'USDC' | 'NATIVE', amount: string): Promise<void>
  close(): Promise<void>
}

export interface WorldOptions {
  readonly holdSeconds: number
  /** Of the service, beside those of the quick start. */
  readonly settings?: Settings
}

export async function startWorld({ holdSeconds, settings = {} }: WorldOptions): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-rehearsal-'))
  const hold = { HOLD_SECONDS: String(holdSeconds) }
  const signer = signerProgram()
  signer.write({ seed: SEED, policy: policyOf() })
  await signer.start()
  const [sandbox, database, xpub, wallets] = await Promise.all([
    startSandbox({ ...STRICT, ...limits(), ...hold }),
    testDatabase({ poolSize: 2, isEmpty: true }),
    signer.depositXpub(),
    signer.wallets(),
  ])
  const bots = await sandbox.control.call('GET', '/platform/bots')
  const first: Settings = {
    ...settingsOf(sandbox.url, { database, folder, bots: JSON.stringify(bots) }),
    ...{ SIGNER_SOCKET: signer.socketPath, DEPOSIT_XPUB: xpub },
    ...hold,
    ...settings,
  }
  const { code, stderr } = await runServer('migrate', first)
  if (code !== 0) throw new Error(`migrate: ${stderr}`)
  await ops(first, 'merchant:create', OWNER, '--name', 'First merchant')
  const issued = await ops(first, 'key:issue', 'first key', '--merchant', OWNER, '--json')
  const endpoint = await startEndpoint()
  await ops(first, 'webhook:set', endpoint.url, '--merchant', OWNER).then(endpoint.learnSecret)

  let running: { readonly api: Server; readonly worker: Server } | null = null
  const stop = async (): Promise<void> => {
    if (running === null) return
    await Promise.all([running.api.end(), running.worker.end()])
    running = null
  }
  const start = async (others: Settings): Promise<void> => {
    await stop()
    const now = { ...first, ...others }
    const [api, worker] = await Promise.all([startServer('api', now), startServer('worker', now)])
    running = { api, worker }
    await sandbox.control.call('PUT', '/notices', { url: api.baseUrl })
  }
  const now = (): { readonly api: Server; readonly worker: Server } => {
    if (running === null) throw new Error('the service does not run')
    return running
  }

  return {
    ...{ control: sandbox.control, wallets },
    get merchant() {
      const { secret } = JSON.parse(issued) as { secret: string }
      return createClient({ baseUrl: now().api.baseUrl, apiKey: secret })
    },
    start: (others = {}) => start(others),
    worker: () => now().worker,
    api: () => now().api,
    ops: (...args) => ops(first, ...args),
    pay: async (address, token, amount) => {
      await sandbox.control.call('POST', '/chains/ethereum/faucet', { address, token, amount })
    },
    close: async () => {
      await stop()
      await endpoint.close()
      await sandbox.child.end()
      await signer.close()
      await auditBooks(database).finally(async () => {
        await database.close()
        rmSync(folder, { recursive: true, force: true })
      })
    },
  }
}

/** What the small dataset switches off. */
const limits = (): Settings => ({
  SANDBOX_MARKET_A_CALLS_PER_SECOND: '5',
  SANDBOX_MARKET_B_CALLS_PER_MINUTE: '60',
  SANDBOX_PLATFORM_HEADERS: 'strict',
})

const settingsOf = (
  sandbox: string,
  {
    database,
    folder,
    bots,
  }: { readonly database: TestDatabase; readonly folder: string; readonly bots: string },
): Settings => ({
  DATABASE_URL: database.url,
  DATA_DIR: folder,
  SECRETS_KEY: newSecretsKey(),
  MARKET_A_URL: `${sandbox}/market-a`,
  MARKET_A_KEY: 'sandbox-market-a',
  MARKET_B_URL: `${sandbox}/market-b`,
  MARKET_B_KEY: 'sandbox-market-b',
  CATALOG_URL: `${sandbox}/catalog/public/en/`,
  PUBLIC_URL: 'http://localhost:3000',
  PLATFORM_URL: `${sandbox}/platform`,
  PLATFORM_API_URL: `${sandbox}/platform/api`,
  PLATFORM_BOTS: bots,
  FX_URL: `${sandbox}/fx/stats/eurofxref/eurofxref-daily.xml`,
  PRICE_EXCHANGE_URL: `${sandbox}/exchange`,
  CHAIN_ETHEREUM_RPC_URLS: `${sandbox}/chains/ethereum/rpc`,
  CHAIN_ETHEREUM_SECOND_RPC_URLS: `${sandbox}/chains/ethereum/second`,
  GATEWAY_URL: `${sandbox}/gateway`,
  GATEWAY_KEY: 'sandbox-gateway',
  GATEWAY_SECRET: 'sandbox-gateway-secret',
  GATEWAY_FEE_BPS: '50',
  ONRAMP_URL: `${sandbox}/onramp`,
  ONRAMP_WIDGET_URL: `${sandbox}/onramp/main/buy`,
  ONRAMP_APP_ID: '1',
  ONRAMP_KEY: 'sandbox-onramp',
  ONRAMP_SECRET: 'sandbox-onramp-secret',
  ONRAMP_WALLET,
  WEBHOOK_ALLOW_PRIVATE: 'true',
  // Unset: the harness has another preset.
  FOLLOW_INTERVAL_MS: '',
})

/** Of the signer: it pays what the service asks for. */
function policyOf(): object {
  const noMore = { maxPerTransaction: `${10n ** 18n}`, maxPerDay: `${10n ** 20n}` }
  const { chainId, tokens } = NETWORKS.ethereum
  const usdc = tokens.find(({ symbol }) => symbol === 'USDC')
  return {
    chains: {
      ethereum: {
        ...{ chainId, treasury: DESTINATION, fees: noMore, gasFunding: noMore, native: noMore },
        tokens: { USDC: { address: usdc?.address, ...noMore } },
      },
    },
  }
}

/** The merchant's endpoint, which approves each of its withdrawals. */
async function startEndpoint() {
  let secret = ''
  const server = createServer((request, response) => {
    const handle = nodeWebhook({
      secret,
      onEvent: () => {},
      onApproval: ({ destination }) => destination.toLowerCase() === DESTINATION.toLowerCase(),
      onError: () => {},
    })
    void handle(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    learnSecret: (said: string) => {
      const [found] = /whsec_[\w+/=-]+/.exec(said) ?? []
      if (found === undefined) throw new Error(`webhook:set names no secret: ${said}`)
      secret = found
    },
    close: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
