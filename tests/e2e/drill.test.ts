// The drill against the sandbox: every part is as expected, and what the sandbox plays otherwise differs.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { runDrill } from '../../apps/server/src/edges/drill/run.ts'
import { systemClock } from '../../apps/server/src/infra/process/clock.ts'
import { type TestDatabase, testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { drillParts } from '../../apps/server/src/main/drill-parts.ts'
import { listAudit } from '../../apps/server/src/modules/accounts/audit/index.ts'
import { type MarketId, type Sandbox, SMALL_DATASET, startSandbox } from '../support/sandbox.ts'
import { newSecretsKey } from '../support/server.ts'
import { until } from '../support/until.ts'

/** Different from every text that the sandbox or the report might have of itself. */
const SECRETS = {
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
  SANDBOX_MARKET_A_SETTINGS: '{"exportMaxAgeMs":500}',
  SANDBOX_MARKET_B_SETTINGS: '{"snapshotMaxAgeMs":500}',
  SANDBOX_CHAINS: 'ethereum',
}
const SECRETS_KEY = newSecretsKey()
/** An account that answers offers only when it is asked to. */
const BUYER = 'https://steamcommunity.com/tradeoffer/new/?partner=612001&token=manual00'

let folder: string
let database: TestDatabase
let sandbox: Sandbox

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tradepost-drill-'))
  ;[sandbox, database] = await Promise.all([startSandbox(SANDBOX), testDatabase({ poolSize: 2 })])
})
after(async () => {
  await sandbox.child.end()
  await database.close()
  rmSync(folder, { recursive: true, force: true })
})

interface Drilled {
  readonly code: number
  readonly said: string
  readonly report: string
}

/** The operator answers the offers that the drill names, as it asks. */
async function drill(
  args: readonly string[],
  { env = {}, answers = [] }: { env?: Record<string, string>; answers?: readonly string[] } = {},
): Promise<Drilled> {
  const lines: string[] = []
  const moves: Promise<unknown>[] = []
  const waiting = [...answers]
  const path = join(folder, 'report.md')
  writeFileSync(path, '')
  const verbs = { accept: 'accept', decline: 'decline', 'do not answer': 'expire' } as const
  const settings = {
    ...{ ...SANDBOX, ...env },
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    SECRETS_KEY,
    SANDBOX_PORT: String(sandbox.port),
  }
  const code = await runDrill([...args, '--report', path], {
    ...drillParts(systemClock, settings),
    signal: new AbortController().signal,
    say: (line) => {
      lines.push(line)
      const [, verb, offerId = ''] =
        /^ {2}(accept|decline|do not answer) the offer (\d+)/.exec(line) ?? []
      if (verb !== undefined) {
        const act = verbs[verb as keyof typeof verbs]
        // Its seller may have to confirm it first.
        moves.push(
          until(`${act} ${offerId}`, () =>
            sandbox.control.moveOffer(offerId, act).then(() => true),
          ),
        )
      }
    },
    ask: async () => waiting.shift() ?? '',
    writeReport: (file, text) => writeFileSync(file, text),
  })
  await Promise.all(moves)
  return { code, said: lines.join('\n'), report: readFileSync(path, 'utf8') }
}

/** The findings of the report that begin with a word. */
const linesOf = ({ report }: Drilled, result: 'as expected' | 'differs' | 'not tried'): string[] =>
  report.split('\n').filter((line) => line.startsWith('- ') && line.includes(`: ${result}`))

/** Nothing differs, once the rests of refused kinds and of breakers are over. */
const untilWell = (...args: string[]): Promise<Drilled> =>
  until(`${args[0]} is as expected`, async () => {
    const drilled = await drill(args)
    assert.equal(drilled.code, 0, drilled.report)
    return drilled
  })

const control = (method: string, path: string, body?: unknown) =>
  sandbox.control.call(method, path, body)

describe('a drill of what costs nothing', () => {
  const EVERY = ['platform', 'market-a', 'market-b', 'gateway', 'onramp']

  it('finds every part as expected, and says of what moves items that it was not tried', async () => {
    const drilled = await drill([...EVERY, '--trade-url', BUYER])
    assert.equal(drilled.code, 0, drilled.report)
    for (const part of EVERY)
      assert.match(drilled.report, new RegExp(`^## ${part}: as expected$`, 'm'))
    assert.deepEqual(
      linesOf(drilled, 'not tried').map((line) => line.split(':')[0]),
      ['- send', '- cancel', '- confirmations-act'],
    )
  })

  it('has no secret in its report and on the terminal', async () => {
    const { report, said } = await drill([...EVERY, 'buy', '--trade-url', BUYER])
    const bots = (await control('GET', '/platform/bots')) as Record<string, string>[]
    const secrets = [
      ...Object.values(SECRETS),
      ...[SECRETS_KEY, new URL(database.url).password],
      ...bots.flatMap(({ platformId: _public, ...rest }) => Object.values(rest)),
    ].filter((secret) => secret !== '')
    assert.ok(secrets.length >= 9)
    for (const secret of secrets)
      assert.ok(!`${report}${said}`.includes(secret), secret.slice(0, 4))
  })

  it('says what was not tried for want of a trade URL', async () => {
    const drilled = await drill(['platform', 'market-b'])
    assert.equal(drilled.code, 0, drilled.report)
    assert.match(drilled.report, /^- trade-page, bot \d+: not tried \(--trade-url is not given\)$/m)
    assert.match(drilled.report, /^- check-tradelink of a good link: not tried/m)
  })
})

describe('a deviation of the platform', () => {
  const platform = ['platform', '--trade-url', BUYER]
  const CASES = [
    ['429:trade-page', 'trade-page'],
    ['429:web-api', 'web-api'],
    ['429:own-inventory', 'own-inventory'],
    ['429:inventory', 'inventory, as a visitor'],
    ['429:confirmations-list', 'confirmations-list'],
    ['429:acknowledge', 'acknowledge'],
    ['429:log-in', 'log-in'],
    ['hold_empty', 'web-api'],
    ['hold_403', 'web-api'],
    ['my_hold', 'web-api'],
    ['hidden_items', 'inventory, as a visitor'],
  ] as const
  for (const [word, check] of CASES) {
    it(`differs: ${word}`, async () => {
      await control('POST', '/platform/script', { next: [word] })
      const drilled = await drill(platform)
      assert.equal(drilled.code, 1, drilled.report)
      assert.ok(
        linesOf(drilled, 'differs').some((line) => line.startsWith(`- ${check}`)),
        drilled.report,
      )
      await control('DELETE', '/platform/script')
      await untilWell(...platform)
    })
  }

  it('differs: it is away', async () => {
    await sandbox.control.setPlatform({ online: false })
    const drilled = await drill(platform)
    await sandbox.control.setPlatform({ online: true })
    assert.equal(linesOf(drilled, 'as expected').length, 0, drilled.report)
    assert.equal(drilled.code, 1)
    await untilWell(...platform)
  })

  it('differs: headers that it does not take', async () => {
    const file = join(folder, 'kinds.json')
    writeFileSync(file, JSON.stringify({ 'trade-page': { headers: { 'user-agent': null } } }), {
      mode: 0o600,
    })
    const drilled = await drill(platform, { env: { PLATFORM_CALL_KINDS: file } })
    assert.match(drilled.report, /^- trade-page, bot \d+: differs: /m)
    await untilWell(...platform)
  })
})

describe('a deviation of a market', () => {
  const PARTS = { market_a: 'market-a', market_b: 'market-b' } as const
  for (const market of ['market_a', 'market_b'] as const) {
    const part = PARTS[market]
    it(`differs: ${part} is away, and refuses the key`, async () => {
      await sandbox.control.setMarket(market, { online: false })
      const away = await drill([part, '--trade-url', BUYER])
      await sandbox.control.setMarket(market, { online: true })
      assert.equal(linesOf(away, 'as expected').length, 0, away.report)
      const setting = market === 'market_a' ? 'SANDBOX_MARKET_A_KEY' : 'SANDBOX_MARKET_B_KEY'
      const refused = await drill([part, '--trade-url', BUYER], { env: { [setting]: 'another' } })
      assert.match(refused.report, /^- (get-money|user): differs: /m)
      await untilWell(part, '--trade-url', BUYER)
    })
  }

  it('differs: market B refuses the address', async () => {
    await control('PUT', '/markets/market_b', { forbidden: true })
    const drilled = await drill(['market-b', '--trade-url', BUYER])
    await control('PUT', '/markets/market_b', { forbidden: false })
    for (const check of ['user', 'history', 'my-history']) {
      assert.match(drilled.report, new RegExp(`^- ${check}: differs: `, 'm'))
    }
    assert.match(drilled.report, /^- snapshot: as expected/m)
    await untilWell('market-b', '--trade-url', BUYER)
  })
})

describe('a deviation of a provider of deposits', () => {
  const CASES = [
    ['gateway', 'reject:400621', 'create'],
    ['gateway', 'lost_reply_placed', 'create'],
    ['gateway', 'http_500', 'create'],
    ['gateway', 'query_http_500', 'query'],
    ['gateway', 'false_total:3', 'query'],
    ['onramp', 'query_http_500', 'history of a day'],
  ] as const
  for (const [part, word, check] of CASES) {
    it(`differs: ${part}, ${word}`, async () => {
      // Both looks at an order must contradict themselves.
      await control('POST', `/${part}/script`, { next: Array.from({ length: 4 }, () => word) })
      const drilled = await drill([part])
      await control('DELETE', `/${part}/script`)
      assert.match(drilled.report, new RegExp(`^- ${check}: differs: `, 'm'), drilled.report)
      await untilWell(part)
    })
  }

  it('differs: an application that the on-ramp does not know', async () => {
    const drilled = await drill(['onramp'], { env: { SANDBOX_ONRAMP_APP_ID: '404' } })
    assert.match(
      drilled.report,
      /^- composed address: differs: the page is refused with status 400$/m,
    )
  })
})

describe('a drill of chains', () => {
  it('finds each address as expected', async () => {
    const drilled = await untilWell('chains')
    assert.equal(linesOf(drilled, 'as expected').length, 8, drilled.report)
  })

  const CASES = [
    ['traces', { noTraces: true }, { noTraces: false }],
    ['block receipts', { noBlockReceipts: true }, { noBlockReceipts: false }],
    ['chain id', { wrongChainId: true }, { wrongChainId: false }],
    ['calls a second', { callsPerSecond: 5 }, { callsPerSecond: 0 }],
    ['chain id', { online: false }, { online: true }],
  ] as const
  for (const [check, change, back] of CASES) {
    it(`differs: ${Object.keys(change)}`, async () => {
      await control('PUT', '/chains/ethereum', change)
      const drilled = await drill(['chains'])
      await control('PUT', '/chains/ethereum', back)
      assert.equal(drilled.code, 1)
      const line = new RegExp(`^- ${check}, ethereum rpc 1: differs: `, 'm')
      assert.match(drilled.report, line, drilled.report)
    })
  }
})

describe('a drill that buys', () => {
  const buy = ['buy', '--trade-url', BUYER, '--patience', '0.3']
  /** What ends does so within a second or two; what does not is not waited for. */
  const briefly = ['buy', '--trade-url', BUYER, '--patience', '0.1', '--spend', '40.00', '--yes']
  const orders = async (): Promise<number> => (await sandbox.control.orders()).length

  it('spends nothing without an amount, and nothing that is not confirmed', async () => {
    const before = await orders()
    const unasked = await drill(buy)
    assert.equal(unasked.code, 3)
    assert.match(unasked.report, /^- buy: not tried \(--spend is not given\)$/m)
    const refused = await drill([...buy, '--spend', '40.00'], { answers: ['no'] })
    assert.equal(refused.code, 3)
    assert.match(refused.report, /^- buy: not tried \(it was not confirmed\)$/m)
    assert.equal(await orders(), before)
  })

  it('is as expected at both markets: accepted, declined, not answered, and one id twice', async () => {
    const drilled = await drill([...buy, '--spend', '40.00'], { answers: ['yes'] })
    assert.equal(drilled.code, 0, drilled.report)
    assert.equal(linesOf(drilled, 'as expected').length, 14, drilled.report)
    const placed = await sandbox.control.orders()
    assert.equal(placed.length, 6)
    const acts = await listAudit(database.db, { act: 'drill.buy', limit: 20 })
    const recorded = new Set(acts.map(({ facts }) => facts.customId))
    for (const { customId } of placed) assert.ok(recorded.has(customId), 'each is in the audit log')
  })

  it('never spends more than it may', async () => {
    const cheapest = await Promise.all(
      (['market_a', 'market_b'] as const).map((market) => sandbox.control.listings(market, 1)),
    )
    const dearer = Math.max(...cheapest.flat().map(({ priceMills }) => priceMills))
    // For the purchases at one market, and for none at the other.
    const spend = (Math.ceil((dearer * 4) / 10) + 1) / 100
    const before = await sandbox.control.orders()
    const drilled = await drill([...buy, '--spend', spend.toFixed(2), '--yes'])
    const spent = (await sandbox.control.orders())
      .filter(({ customId }) => before.every((order) => order.customId !== customId))
      .reduce((sum, { price }) => sum + Number(price), 0)
    assert.ok(spent > 0 && spent <= spend, `${spent} of ${spend}: ${drilled.report}`)
  })

  const CASES = [
    [
      ['lost_reply_placed', 'failure_with_id', 'reject:no_funds'],
      ['accept', 'decline', 'expire'],
    ],
    [
      ['http_500', 'success_without_id', 'seller_cancels'],
      ['accept', 'decline', 'expire'],
    ],
    [['overcharge:500'], ['accept']],
    [['seller_cancels+refund_withheld'], ['accept', 'balance afterwards']],
  ] as const
  for (const [words, checks] of CASES) {
    it(`differs: ${words.join(', ')}`, async () => {
      const markets: readonly MarketId[] = ['market_a', 'market_b']
      for (const market of markets) await sandbox.control.script(market, ...words)
      const drilled = await drill(briefly)
      for (const market of markets) await sandbox.control.clearScript(market)
      assert.equal(drilled.code, 1)
      for (const market of markets) {
        for (const check of checks) {
          const line = new RegExp(`^- ${check}, ${market.replace('_', '.*_')}: differs: `, 'm')
          assert.match(drilled.report, line, drilled.report)
        }
      }
    })
  }
})

it('refuses wrong arguments with its help, and another drill beside it', async () => {
  assert.equal((await drill(['nothing'])).code, 2)
  assert.equal((await drill(['platform', '--spend', 'much'])).code, 2)
  assert.equal((await drill(['platform', '--trade-url', 'https://elsewhere.example'])).code, 2)
  const { code, said } = await drill(['--help'])
  assert.equal(code, 0)
  assert.match(said, /platform.*market-a.*market-b.*buy.*gateway.*onramp.*chains/s)
})
