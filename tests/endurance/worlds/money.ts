// Everything that moves money, as separate processes: two apis, two workers, the signer, PostgreSQL, and the
// sandbox with a real node for each chain.
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { english, generateMnemonic } from 'viem/accounts'
import { NETWORKS } from '../../../apps/sandbox/src/chains/networks.ts'
import { type Child, jsonLine, ROOT, startChild } from '../../support/child.ts'
import { createSandboxCall, type SandboxCall } from '../../support/sandbox-call.ts'
import type { Settings } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { type OwnInstallation, startInstallation } from './installation.ts'

export const CHAINS = ['ethereum', 'base', 'arbitrum', 'optimism', 'bsc'] as const
export type ChainName = (typeof CHAINS)[number]
export const TOKENS = ['USDT', 'USDC', 'NATIVE'] as const
export type TokenName = (typeof TOKENS)[number]

/** More than the deepest re-organisation, and than the blocks that a killed node can lose. */
const CONFIRMATIONS = 12
export const DEEPEST_REORG = 10

export interface MoneyStack extends OwnInstallation {
  readonly signer: SignerKeeper
  /** Withdrawals that the merchant's backend rejects, whenever it is asked. */
  isRejected(withdrawalId: string): boolean
  readonly control: SandboxCall
  readonly nodes: Nodes
}

export interface SignerKeeper {
  pids(): number[]
  gone(pids: readonly number[]): Promise<void>
  revive(): Promise<void>
}

export interface Nodes {
  /** The process ids of the nodes that can be killed at this moment without half a file of state. */
  pids(): { readonly chain: ChainName; readonly pid: number }[]
  /** Resolves when the node has written its state after this moment. */
  untilSaved(chain: ChainName): Promise<void>
}

export async function startMoney(throwDice: () => number): Promise<MoneyStack> {
  const folder = mkdtempSync(join(tmpdir(), 'tp-money-'))
  const signerFolder = join(folder, 'signer')
  mkdirSync(signerFolder, { mode: 0o700 })
  const words = `${generateMnemonic(english, 256)}\n`
  // The demo derives its deposit addresses from this file; its keys are at the signer alone.
  writeFileSync(join(folder, 'wallet-seed'), words, { mode: 0o600 })
  writeFileSync(join(signerFolder, 'seed'), words, { mode: 0o600 })
  writeFileSync(join(signerFolder, 'policy.json'), JSON.stringify(POLICY))
  const socket = join(signerFolder, 's.sock')
  const signer = await keepSigner({ SIGNER_DATA_DIR: signerFolder, SIGNER_SOCKET: socket })
  const backend = await startBackend(throwDice)
  const sandboxFolder = join(folder, 'sandbox')
  const installation = await startInstallation({
    sandbox: {
      SANDBOX_LISTINGS: '200',
      SANDBOX_DATA_DIR: sandboxFolder,
      SANDBOX_CHAINS: CHAINS.join(','),
      SANDBOX_STATE_SECONDS: '1',
    },
    service: {
      DATA_DIR: folder,
      SIGNER_SOCKET: socket,
      SANDBOX_CHAINS: CHAINS.join(','),
      SANDBOX_CONFIRMATIONS: String(CONFIRMATIONS),
      PAYOUT_LIMIT_TRANSACTION_DOLLARS: '1000000',
      PAYOUT_LIMIT_MERCHANT_DAY_DOLLARS: '100000000',
      PAYOUT_LIMIT_DAY_DOLLARS: '100000000',
      RECONCILE_INTERVAL_MS: '5000',
    },
    payoutCallbackUrl: backend.url,
  })
  const control = createSandboxCall(installation.sandbox.url, CONTROL_DEADLINE_MS)
  await control('PUT', '/notices', { url: installation.apis.baseUrls()[0] })
  return {
    ...installation,
    signer,
    control,
    isRejected,
    nodes: nodesOf(installation.sandbox.child.pid, join(sandboxFolder, 'chains')),
    close: async () => {
      await installation.close()
      await signer.stop()
      backend.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const CONTROL_DEADLINE_MS = 30_000
const NO_LIMIT = { maxPerTransaction: String(10n ** 60n), maxPerDay: String(10n ** 60n) }

/** Of the right form for every chain, and never in the way: the signer's limits have tests of their own. */
const POLICY = {
  chains: Object.fromEntries(
    CHAINS.map((chain) => [
      chain,
      {
        chainId: NETWORKS[chain].chainId,
        treasury: '0x7ea5000000000000000000000000000000000001',
        fees: NO_LIMIT,
        gasFunding: NO_LIMIT,
        native: NO_LIMIT,
        tokens: Object.fromEntries(
          NETWORKS[chain].tokens.map(({ symbol, address }) => [symbol, { address, ...NO_LIMIT }]),
        ),
      },
    ]),
  ),
}

async function keepSigner(settings: Settings): Promise<SignerKeeper & { stop(): Promise<void> }> {
  const start = async (): Promise<Child> => {
    const child = startChild(join(ROOT, 'apps/signer/src/main.ts'), [], settings)
    await child.line((line) => (jsonLine(line)?.event === 'ready' ? true : null))
    return child
  }
  let child = await start()
  return {
    pids: () => (child.isRunning() ? [child.pid] : []),
    gone: async (pids) => {
      if (pids.includes(child.pid)) await child.exited
    },
    revive: async () => {
      if (!child.isRunning()) child = await start()
    },
    stop: async () => {
      await child.end('SIGTERM')
    },
  }
}

/** One in eight: the same answer whenever the same withdrawal is asked about. */
const isRejected = (withdrawalId: string): boolean =>
  Number.parseInt(withdrawalId.slice(-2), 16) % 8 === 0

/** The merchant's approval callback: now and then slow, or with an error of its own. */
async function startBackend(throwDice: () => number): Promise<{ url: string; close(): void }> {
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as {
      readonly data: { readonly withdrawal: { readonly id: string } }
    }
    const dice = throwDice()
    if (dice < 0.05) return void response.writeHead(503).end()
    const answer = (): void => {
      response.writeHead(isRejected(body.data.withdrawal.id) ? 422 : 200).end()
    }
    if (dice < 0.1) setTimeout(answer, 5500)
    else answer()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/approve`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Anvil writes its state in place once a second: between these ages the file is whole. */
const WHOLE_FROM_MS = 150
const WHOLE_TO_MS = 600

function nodesOf(sandboxPid: number, stateFolder: string): Nodes {
  const fileOf = (chain: ChainName): string => join(stateFolder, `${chain}.json`)
  const isWhole = (chain: ChainName): boolean => {
    if (!existsSync(fileOf(chain))) return false
    const ageMs = Date.now() - statSync(fileOf(chain)).mtimeMs
    if (ageMs < WHOLE_FROM_MS || ageMs > WHOLE_TO_MS) return false
    return readFileSync(fileOf(chain)).at(-1) === '}'.charCodeAt(0)
  }
  return {
    pids: () => anvilsBelow(sandboxPid).filter(({ chain }) => isWhole(chain)),
    untilSaved: async (chain) => {
      const from = Date.now()
      await until(
        `the state of ${chain} is saved`,
        () => statSync(fileOf(chain)).mtimeMs > from + 1000 && isWhole(chain),
        { deadlineMs: 30_000 },
      )
    },
  }
}

function anvilsBelow(sandboxPid: number): { chain: ChainName; pid: number }[] {
  const listed = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
  const processes = listed.split('\n').flatMap((line) => {
    const [, pid, parent, args] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    return pid && parent && args ? [{ pid: Number(pid), parent: Number(parent), args }] : []
  })
  const shells = new Set(
    processes.filter(({ parent }) => parent === sandboxPid).map(({ pid }) => pid),
  )
  return processes.flatMap(({ pid, parent, args }) => {
    if (!shells.has(parent) || args.startsWith('sh ')) return []
    const chain = CHAINS.find((id) => args.includes(`--chain-id ${NETWORKS[id].chainId} `))
    return chain === undefined ? [] : [{ chain, pid }]
  })
}
