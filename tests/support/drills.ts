// Drills in a test, against one sandbox.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { runDrill } from '../../apps/server/src/edges/drill/run.ts'
import { systemClock } from '../../apps/server/src/infra/process/clock.ts'
import { type TestDatabase, testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { drillParts } from '../../apps/server/src/main/drill-parts.ts'
import { type MarketId, type Sandbox, SMALL_DATASET, startSandbox } from './sandbox.ts'
import { newSecretsKey } from './server.ts'
import { tradeUrl } from './trading.ts'
import { until } from './until.ts'

/** Different from every text that the sandbox or the report might have of itself. */
export const SECRETS = {
  SANDBOX_MARKET_A_KEY: 'ka-5b0c1a7e93d24f18',
  SANDBOX_MARKET_B_KEY: 'kb-1f7de0a4c6b94e52',
  SANDBOX_GATEWAY_KEY: 'gk-90ab33d1f2c8',
  SANDBOX_GATEWAY_SECRET: 'gs-77e1c0d94ba2',
  SANDBOX_ONRAMP_KEY: 'ok-2d81f6a3b07e',
  SANDBOX_ONRAMP_SECRET: 'os-c4490e7db15f',
} as const
const SANDBOX = {
  ...SMALL_DATASET,
  ...SECRETS,
  SANDBOX_BOTS: '1',
  // What one drill has bought is in no list of the next.
  SANDBOX_MARKET_A_SETTINGS: '{"exportMaxAgeMs":1}',
  SANDBOX_MARKET_B_SETTINGS: '{"snapshotMaxAgeMs":1}',
  SANDBOX_GATEWAY_SETTINGS: '{"confirmMs":1}',
  SANDBOX_ONRAMP_SETTINGS: '{"stepMs":1}',
  SANDBOX_CHAINS: 'ethereum',
}
export const SECRETS_KEY = newSecretsKey()
/** An account that answers offers only when it is asked to. */
export const BUYER = tradeUrl('manual00', 612_001)
export interface Drilled {
  readonly code: number
  readonly said: string
  readonly report: string
}
export type Verb = 'accept' | 'decline' | 'expire'

export interface Drilling {
  readonly env?: Record<string, string>
  /** To its questions. */
  readonly answers?: readonly string[]
  /** What the buyer does with an offer: by itself what it is asked to. Null: nothing. */
  readonly act?: (asked: Verb) => Verb | null
  /** By itself at both. */
  readonly at?: MarketId
  readonly onLine?: (line: string) => unknown
}

interface World {
  readonly folder: string
  readonly sandbox: Sandbox
}

/** Of a test file: the sandbox, and what drills it. */
export function openDrillWorld() {
  let world: World
  before(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tradepost-drill-'))
    world = { folder, sandbox: await startSandbox(SANDBOX) }
  })
  after(async () => {
    await world.sandbox.child.end()
    rmSync(world.folder, { recursive: true, force: true })
  })
  return {
    sandbox: () => world.sandbox.control,
    folder: () => world.folder,
    control: (method: string, path: string, body?: unknown) =>
      world.sandbox.control.call(method, path, body),
    openDrills: () => openDrills(() => world),
  }
}

/** Drills of the tests of a block, on a database of their own: one runs at a time on one. */
function openDrills(world: () => World) {
  let database: TestDatabase
  before(async () => {
    database = await testDatabase({ poolSize: 2 })
  })
  after(() => database.close())

  /** The operator answers the offers that the drill names. */
  async function drill(
    args: readonly string[],
    { env = {}, answers = [], act = (asked) => asked, at, onLine }: Drilling = {},
  ): Promise<Drilled> {
    const lines: string[] = []
    const moves: Promise<unknown>[] = []
    const waiting = [...answers]
    const path = join(world().folder, `${args[0]}-${new URL(database.url).pathname.slice(1)}.md`)
    writeFileSync(path, '')
    const parts = drillParts(systemClock, {
      ...{ ...SANDBOX, ...env },
      DATABASE_URL: database.url,
      DATA_DIR: world().folder,
      SECRETS_KEY,
      FOLLOW_INTERVAL_MS: '200',
      SANDBOX_PORT: String(world().sandbox.port),
    })
    const code = await runDrill([...args, '--report', path], {
      ...parts,
      open: async () => {
        const tools = await parts.open()
        const suppliers = tools.suppliers.filter(({ market }) => (at ?? market.id) === market.id)
        return { ...tools, suppliers }
      },
      signal: new AbortController().signal,
      say: (line) => {
        lines.push(line)
        moves.push(Promise.resolve(onLine?.(line)))
        const [, asked, offerId = ''] =
          /^ {2}(accept|decline|do not answer) the offer (\d+)/.exec(line) ?? []
        const verb = asked === undefined ? null : act(VERBS[asked as keyof typeof VERBS])
        if (verb === null) return
        // Its seller may have to confirm it first.
        const move = () =>
          world()
            .sandbox.control.moveOffer(offerId, verb)
            .then(() => true)
        moves.push(until(`${verb} ${offerId}`, move))
      },
      ask: async () => waiting.shift() ?? '',
      writeReport: (file, text) => writeFileSync(file, text),
    })
    await Promise.all(moves)
    return { code, said: lines.join('\n'), report: readFileSync(path, 'utf8') }
  }

  /** Nothing differs, once the rests of refused kinds and of breakers are over. */
  const untilWell = (...args: string[]): Promise<Drilled> =>
    until(`${args[0]} is as expected`, async () => {
      const drilled = await drill(args)
      assert.equal(drilled.code, 0, drilled.report)
      return drilled
    })

  return { drill, untilWell, database: () => database }
}
const VERBS = { accept: 'accept', decline: 'decline', 'do not answer': 'expire' } as const

/** The findings of the report that begin with a word. */
export const linesOf = (
  { report }: Drilled,
  result: 'as expected' | 'differs' | 'not tried',
): string[] =>
  report.split('\n').filter((line) => line.startsWith('- ') && line.includes(`: ${result}`))

/** These checks and no others, each for a reason. */
export function assertDiffers(drilled: Drilled, expected: Readonly<Record<string, RegExp>>): void {
  assert.equal(drilled.code, 1, drilled.report)
  const found = linesOf(drilled, 'differs').map((line) => line.replaceAll('\\', ''))
  for (const [check, reason] of Object.entries(expected)) {
    const line = found.find((one) => one.startsWith(`- ${check}`))
    assert.match(line ?? `${check} does not differ`, reason, drilled.report)
  }
  assert.equal(found.length, Object.keys(expected).length, drilled.report)
}
