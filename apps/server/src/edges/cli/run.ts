// One command of the operator: its arguments in, its exit code and what it prints out.
import { type Command, CommanderError } from 'commander'
import type { Clock } from '#infra/process/clock'
import type { MarketId } from '#kernel/market-id'
import { Refusal } from '#kernel/refusal'
import { accountCommands } from './accounts.ts'
import { adjustmentCommands } from './adjustments.ts'
import { auditLogCommand } from './audit-log.ts'
import { caseCommands } from './cases.ts'
import { catalogCommands } from './catalog.ts'
import { chainCommands } from './chains.ts'
import { type Ask, type Context, currentOperator, type ReadInput, Usage } from './context.ts'
import { correctionCommands } from './correction.ts'
import {
  addSection,
  createLine,
  type Line,
  pathOf,
  problemOf,
  type Section,
  spelledOut,
} from './declare.ts'
import { depositCommands } from './deposits.ts'
import { destinationCommands } from './destinations.ts'
import { keyCommands } from './keys.ts'
import { mailCommand } from './mail.ts'
import { marketAccountCommands } from './market-account.ts'
import { marketHealthCommand } from './market-health.ts'
import { overdueCommand } from './overdue.ts'
import { payoutCommands } from './payouts.ts'
import { peopleCommands } from './people.ts'
import { platformKindsCommand } from './platform.ts'
import { refusedSentence } from './refused.ts'
import { releaseCommand } from './release.ts'
import { restoredCommands } from './restored.ts'
import { sellingCommands } from './selling.ts'
import { backupCommand, botCommand, switchCommands, waitingLimitCommand } from './switches.ts'
import { printable } from './table.ts'
import type { Tools } from './tools.ts'
import { tradeCommand } from './trade.ts'
import { tradeUrlCommand } from './trade-url.ts'
import { walletCommands } from './wallets.ts'
import { webhookCommands } from './webhooks.ts'

/** In the order of `help`. */
const sectionsFor = (markets: readonly MarketId[]): readonly Section[] => [
  { heading: 'Accounts and people', commands: [...accountCommands, ...peopleCommands] },
  {
    heading: 'Money and corrections',
    commands: [...adjustmentCommands, releaseCommand, ...correctionCommands],
  },
  { heading: 'Keys and webhooks', commands: [...keyCommands, ...webhookCommands] },
  {
    heading: 'Trades and markets',
    commands: [
      ...[marketHealthCommand, platformKindsCommand, ...catalogCommands],
      ...[...caseCommands(markets), ...restoredCommands],
      ...marketAccountCommands(markets),
      ...[waitingLimitCommand, botCommand],
    ],
  },
  {
    heading: 'Chains, deposits, payouts and wallets',
    commands: [
      ...[...chainCommands, ...depositCommands, ...payoutCommands],
      ...[...walletCommands, ...destinationCommands],
    ],
  },
  { heading: 'Selling', commands: sellingCommands },
  { heading: 'Switches', commands: [...switchCommands(markets), backupCommand] },
  {
    heading: 'Looking things up',
    commands: [tradeCommand, tradeUrlCommand, overdueCommand, auditLogCommand, mailCommand],
  },
]

export interface Answered {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Surroundings {
  readonly markets: readonly MarketId[]
  readonly clock: Clock
  readonly ask: Ask
  readonly readInput: ReadInput
  /** Opened when the arguments are right, and closed after the command. */
  open(): Tools
}

const ALL_COMMANDS = 'npm run ops -- help shows all commands'

/**
 * A refusal is exit code 1 with one sentence, wrong arguments are 2 with the help of the command below it;
 * nothing is thrown. `help`, `-h` and `--help` print the list of commands; with a command, what it takes.
 */
export async function runOps(args: readonly string[], at: Surroundings): Promise<Answered> {
  const line = createLine()
  for (const section of sectionsFor(at.markets)) {
    addSection(line, section, (act, given) =>
      inContext(at, (context) => act(context, ...(given as never[]))),
    )
  }
  try {
    await line.program.parseAsync(spelledOut(args, line), { from: 'user' })
  } catch (error) {
    // Help is said already.
    if (!(error instanceof CommanderError) || error.exitCode !== 0) return failed(error, line)
  }
  return { code: 0, stdout: `${printable(line.said.replace(/\n+$/, ''))}\n`, stderr: '' }
}

async function inContext(
  { clock, ask, readInput, open }: Surroundings,
  act: (context: Context) => Promise<string>,
): Promise<string> {
  const tools = open()
  try {
    return await act({
      ...tools,
      ...{ clock, readInput, actor: currentOperator() },
      ask: (question) => ask(printable(question)),
    })
  } finally {
    await tools.db.close()
  }
}

function failed(error: unknown, { command }: Line): Answered {
  if (error instanceof CommanderError || error instanceof Usage) {
    const problem = error instanceof Usage ? error.message : problemOf(error, command)
    const ofCommand = command.parent === null ? [] : [command.helpInformation().trimEnd()]
    return answered(2, [problem, ...ofCommand, ALL_COMMANDS].join('\n\n'))
  }
  return answered(1, sentenceOf(error, command))
}

const answered = (code: number, problem: string): Answered => ({
  ...{ code, stdout: '' },
  stderr: `${printable(problem)}\n`,
})

function sentenceOf(error: unknown, command: Command): string {
  if (error instanceof Refusal) {
    return refusedSentence(error, { command: pathOf(command), argument: command.args[0] ?? '' })
  }
  if (isWithoutTables(error)) return 'The database lacks tables. Run `npm run migrate` first.'
  return error instanceof Error ? error.message : String(error)
}

/** PostgreSQL's undefined_table and invalid_schema_name: nothing has migrated this database. */
const isWithoutTables = (error: unknown): boolean =>
  ['42P01', '3F000'].includes((error as { code?: string }).code ?? '')
