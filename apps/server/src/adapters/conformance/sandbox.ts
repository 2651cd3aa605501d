// Starts the sandbox as the program that it is and drives it through its control interface.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { MarketId } from '#ports/buying'
import type {
  EnvironmentListing,
  EnvironmentOffer,
  MarketEnvironment,
  PlatformEnvironment,
} from './environment.ts'

export interface SandboxProgram {
  readonly url: string
  environment(market: MarketId): MarketEnvironment
  platform(): PlatformEnvironment
  control(method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<Answer>
  /** Stands still for so long: nothing that is sent meanwhile is read before it goes on. */
  standStill(milliseconds: number): Promise<void>
  stop(): Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: answers of the control interface, read by tests only
type Answer = Record<string, any>

const ENTRY = fileURLToPath(new URL('../../../../sandbox/src/main.ts', import.meta.url))
const READY_MS = 60_000
const STOP_MS = 10_000

const running = new Set<ChildProcess>()

// None is left behind by a file that the runner stops, by SIGTERM, which runs no handler of `exit`.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
process.once('SIGTERM', () => process.exit(143))

export async function startSandboxProgram(
  settings: Readonly<Record<string, string>>,
): Promise<SandboxProgram> {
  const child = spawn(process.execPath, [ENTRY], {
    env: { ...process.env, SANDBOX_PORT: '0', SANDBOX_HOST: '127.0.0.1', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  const url = await readyUrl(child)

  const control: SandboxProgram['control'] = async (method, path, body) => {
    const response = await fetch(`${url}/control${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as Answer
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
    return answer
  }

  return {
    url,
    control,
    environment: (market) => marketEnvironment(market, control),
    platform: () => platformEnvironment(control),
    async standStill(milliseconds) {
      child.kill('SIGSTOP')
      await sleep(milliseconds)
      child.kill('SIGCONT')
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
      child.kill('SIGTERM')
      await ended
      clearTimeout(late)
    },
  }
}

async function readyUrl(child: ChildProcess): Promise<string> {
  let output = ''
  const ready = new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      output += String(chunk)
      const line = output.split('\n').find((text) => text.includes('"ready"'))
      if (line !== undefined) resolve((JSON.parse(line) as { url: string }).url)
    })
    child.once('exit', (code) => reject(new Error(`the sandbox ended with ${code}`)))
  })
  const late = setTimeout(() => child.kill('SIGKILL'), READY_MS)
  try {
    return await ready
  } finally {
    clearTimeout(late)
  }
}

function marketEnvironment(
  market: MarketId,
  control: SandboxProgram['control'],
): MarketEnvironment {
  const base = `/markets/${market}`
  let spare: Promise<EnvironmentListing[]> | null = null

  const listings = async (): Promise<EnvironmentListing[]> => {
    const { items, total } = await control('GET', `${base}/listings?limit=1000`)
    if (items.length < total) throw new Error('the sandbox has too many listings to list')
    return items as EnvironmentListing[]
  }
  const take = async (
    isFit: (listing: EnvironmentListing, all: readonly EnvironmentListing[]) => boolean,
  ): Promise<EnvironmentListing> => {
    spare ??= listings()
    const all = await spare
    const at = all.findIndex((listing) => isFit(listing, all))
    const [listing] = at < 0 ? [] : all.splice(at, 1)
    if (listing === undefined) throw new Error('the sandbox ran out of listings')
    return listing
  }
  const account = async (): Promise<Answer> => {
    const { markets } = await control('GET', '/state')
    return markets[market].accounts[0] as Answer
  }

  return {
    listings,
    takeListing: () => take(() => true),
    takeOneOfSeveral: () => take(hasSiblings),
    async setPrice(id, priceMills) {
      const price = `${Math.floor(priceMills / 1000)}.${String(priceMills % 1000).padStart(3, '0')}`
      await control('PUT', `${base}/listings/${id}`, { price })
    },
    remove: async (id) => void (await control('DELETE', `${base}/listings/${id}`)),
    script: async (...next) => void (await control('POST', `${base}/script`, { next })),
    setOnline: async (online) => void (await control('PUT', base, { online })),
    async offers(customId) {
      const { items } = await control('GET', '/offers?limit=1000')
      return (items as EnvironmentOffer[]).filter((offer) => offer.customId === customId)
    },
    moveOffer: async (offerId, verb) => void (await control('POST', `/offers/${offerId}/${verb}`)),
    revertOffer: async (offerId, by) =>
      void (await control('POST', `/offers/${offerId}/revert`, { by })),
    async balanceMills() {
      const { balance } = await account()
      return Math.round(Number(balance) * 1000)
    },
    isKeyRevoked: async () => (await account()).revoked === true,
  }
}

/** Below these numbers other tests have their people. */
const FIRST_PARTNER = 700_000

function platformEnvironment(control: SandboxProgram['control']): PlatformEnvironment {
  let partners = FIRST_PARTNER
  return {
    newPartner: () => ++partners,
    offer: (offerId) => control('GET', `/offers/${offerId}`),
    async offersWith(text) {
      const { items } = await control('GET', '/offers?limit=1000')
      return (items as Answer[]).filter(({ message }) => String(message ?? '').includes(text))
    },
    moveOffer: async (offerId, verb) => void (await control('POST', `/offers/${offerId}/${verb}`)),
    script: async (...next) => void (await control('POST', '/platform/script', { next })),
    setCount: async (platformId, count) =>
      void (await control('PUT', `/inventories/${platformId}`, { count })),
    setOnline: async (online) => void (await control('PUT', '/platform', { online })),
    secretsOf: () => control('GET', '/platform/bots').then((bots) => bots as never),
  }
}

function hasSiblings(listing: EnvironmentListing, all: readonly EnvironmentListing[]): boolean {
  return all.some((other) => other !== listing && other.marketHashName === listing.marketHashName)
}
