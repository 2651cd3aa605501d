// `npm run drill -- <part>`: asks the counterparts what an operator wants to know of them before trade goes
// there, and after they have changed something.
import { hostname, userInfo } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { readTradeUrl } from '@tradepost/contract'
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import type { Actor } from '#audit'
import { platformIdOf } from '#identity'
import { acquireLease, releaseLease } from '#infra/database/leases'
import { createSendGuard, type SendGuard } from '#infra/jobs/send-guard'
import { type Check, type Finding, notTried, type TestBuyer } from '#kernel/check'
import { newId } from '#kernel/id'
import type { MarketId } from '#kernel/market-id'
import { type Mills, mills, parseAmount } from '#kernel/money'
import { recordDrillPurchase } from '#operations'
import { type Budget, createBuyChecks } from './buy.ts'
import { endOf, type PartReport, reportOf, resultOf } from './report.ts'
import type { Surroundings, Tools } from './tools.ts'

/** Of a market, the part that buys nothing there. */
export const partOf = (market: MarketId): string => market.replaceAll('_', '-')

const partsFor = (markets: readonly MarketId[]): readonly string[] => [
  ...['platform', ...markets.map(partOf)],
  ...['buy', 'gateway', 'onramp', 'chains'],
]

interface Options {
  readonly tradeUrl?: string
  readonly spend?: Mills
  readonly yes?: true
  readonly report?: string
  readonly patience: number
}

const MINUTE_MS = 60_000
/** Longer than the deadline of a purchase. */
const LEASE_MS = 60_000

const HELP_AFTER = `
Exit codes: 0 nothing differs, 1 something differs, 2 wrong arguments, 3 nothing could be tried.
docs/drill.md says how to run it, and what to do about what differs.`

/** Resolves to the exit code. */
export async function runDrill(args: readonly string[], at: Surroundings): Promise<number> {
  let code = 0
  const program = new Command('npm run drill --')
    .description(
      'Asks the counterparts of the settings and says what differs from what is expected.',
    )
    .addArgument(new Argument('<part...>', 'what is asked').choices([...partsFor(at.markets)]))
    .addOption(
      new Option('--trade-url <url>', 'of an account of yours with a public inventory, the buyer'),
    )
    .addOption(
      new Option(
        '--spend <USD>',
        'what the part buy may spend in all; without it, it buys nothing',
      ).argParser(amountOf),
    )
    .addOption(new Option('--yes', 'spend without asking'))
    .addOption(new Option('--report <file>', 'instead of drill-<time>.md in this folder'))
    .addOption(
      new Option('--patience <minutes>', 'how long a purchase has for its end')
        .argParser(minutesOf)
        .default(45),
    )
    .addHelpText('after', HELP_AFTER)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => at.say(text.trimEnd()),
      writeErr: (text) => at.say(text.trimEnd()),
    })
    .action(async (parts: readonly string[], options: Options) => {
      code = await drill([...new Set(parts)], options, at)
    })
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    if (!(error instanceof Refused)) throw error
    at.say(error.message)
    return 2
  }
  return code
}

/** The arguments are right, and the drill cannot begin with them. */
class Refused extends Error {}

async function drill(
  names: readonly string[],
  options: Options,
  at: Surroundings,
): Promise<number> {
  const tools = await at.open()
  const { db } = tools
  const lease = { name: 'drill', holder: `${hostname()}-${process.pid}` }
  const renew = (now: Date, until: Date) => acquireLease(db, lease, { now, until })
  const begunAt = at.clock.now()
  try {
    const testBuyer = testBuyerOf(options.tradeUrl, tools)
    if (!(await renew(begunAt, new Date(begunAt.getTime() + LEASE_MS)))) {
      throw new Refused('another drill is running')
    }
    const guard = createSendGuard({
      ...{ db, clock: at.clock, leaseMs: LEASE_MS },
      renew: ({ at: now, leaseUntil }) => renew(now, leaseUntil),
    })
    const path = options.report ?? `drill-${begunAt.toISOString().replace(/[:.]/g, '-')}.md`
    const reports = await runParts(names, { options, at, tools, testBuyer, guard, begunAt, path })
    at.say(`\nThe report is ${path}`)
    return codeOf(reports)
  } finally {
    await releaseLease(db, lease)
    await tools.close()
  }
}

interface Work {
  readonly options: Options
  readonly at: Surroundings
  readonly tools: Tools
  readonly testBuyer: TestBuyer | null
  readonly guard: SendGuard
  readonly begunAt: Date
  readonly path: string
}

/** The report is written after every check: one that breaks off has what was found. */
async function runParts(names: readonly string[], work: Work): Promise<readonly PartReport[]> {
  const { at, tools, begunAt, path } = work
  const done: PartReport[] = []
  const write = (parts: readonly PartReport[], endedAt: Date | null): void =>
    at.writeReport(path, tools.concealed(reportOf(parts, { begunAt, endedAt })))
  for (const part of names) {
    at.say(`\n${part}`)
    const lines: PartReport['lines'][number][] = []
    for (const check of await checksOf(part, work)) {
      const finding = at.signal.aborted ? notTried('the drill was stopped') : await run(check, at)
      lines.push({ check: check.name, finding })
      at.say(tools.concealed(`  ${check.name}: ${resultOf(finding)}`))
      write([...done, { part, lines }], null)
    }
    done.push({ part, lines })
    at.say(`${part}: ${endOf({ part, lines })}`)
  }
  write(done, at.clock.now())
  return done
}

const run = (check: Check, { signal }: Surroundings): Promise<Finding> =>
  check
    .run({ requestId: newId(), signal })
    // A file that breaks off, or a fault of ours: the other checks go on.
    .catch((error: Error): Finding => ({ kind: 'differs', detail: error.message }))

function codeOf(reports: readonly PartReport[]): number {
  const kinds = reports.flatMap(({ lines }) => lines.map(({ finding }) => finding.kind))
  if (kinds.includes('differs')) return 1
  return kinds.includes('as_expected') ? 0 : 3
}

function checksOf(part: string, work: Work): Promise<readonly Check[]> {
  const { tools, testBuyer, guard } = work
  return part === 'buy' ? buyChecks(work) : tools.checksOf(part, { testBuyer, guard })
}

async function buyChecks(work: Work): Promise<readonly Check[]> {
  const { options, at, tools, testBuyer, guard } = work
  const nothing = (why: string): readonly Check[] => [
    { name: 'buy', run: async () => notTried(why) },
  ]
  const { spend, yes } = options
  if (spend === undefined) return nothing('--spend is not given')
  if (testBuyer === null) return nothing('--trade-url is not given')
  const dollars = `${spend / 1000n}.${String((spend % 1000n) / 10n).padStart(2, '0')}`
  at.say(
    `  At most ${dollars} USD are spent on ${4 * tools.suppliers.length} cheap items for ${testBuyer.platformId}.`,
  )
  if (!yes && (await at.ask('  Type yes to go on: ')).trim() !== 'yes') {
    return nothing('it was not confirmed')
  }
  const budget = createBudget(spend)
  return tools.suppliers.flatMap((supplier) =>
    createBuyChecks({
      ...{ supplier, testBuyer, guard, budget, clock: at.clock, say: at.say },
      pause: (milliseconds, signal) =>
        sleep(milliseconds, undefined, { signal }).catch(() => undefined),
      record: (purchase) =>
        recordDrillPurchase({ db: tools.db, clock: at.clock }, currentOperator(), purchase),
      patienceMs: options.patience * MINUTE_MS,
    }),
  )
}

function createBudget(amount: Mills): Budget {
  let left: bigint = amount
  return {
    leftMills: () => mills(left),
    take(wanted) {
      if (wanted > left) return false
      left -= wanted
      return true
    },
    giveBack: (unspent) => {
      left += unspent
    },
  }
}

function testBuyerOf(text: string | undefined, { communityHost }: Tools): TestBuyer | null {
  if (text === undefined) return null
  const read = readTradeUrl(text, communityHost)
  if (read === null) throw new Refused(`--trade-url is no trade URL of ${communityHost}`)
  const { url: canonical, partner, token } = read
  return { canonical, partner, token, platformId: platformIdOf(partner) }
}

function amountOf(text: string): Mills {
  const amount = parseAmount(text)
  if (amount === null || amount === 0n) throw new InvalidArgumentError('It is no amount like 5.00.')
  return mills(amount * 10n)
}

function minutesOf(text: string): number {
  const minutes = Number(text)
  if (minutes > 0 && minutes <= 1440) return minutes
  throw new InvalidArgumentError('It is no number of minutes up to 1440.')
}

const currentOperator = (): Actor => ({
  kind: 'operator',
  id: userInfo().username,
  request: { host: hostname() },
})
