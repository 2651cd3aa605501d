// One command of the operator: its arguments in, its exit code and what it prints out.

import type { Clock } from '#infra/process/clock'
import type { MarketId } from '#kernel/market-id'
import { Refusal } from '#kernel/refusal'
import { accountCommands } from './accounts.ts'
import { adjustmentCommands } from './adjustments.ts'
import { auditLog } from './audit-log.ts'
import { cases } from './cases.ts'
import { chainCommands } from './chains.ts'
import { depositCommands } from './deposits.ts'
import { ALL_COMMANDS, helpOf, helpOfAll } from './help.ts'
import {
  type Ask,
  type Command,
  currentOperator,
  readInvocation,
  Usage,
  usage,
} from './invocation.ts'
import { mailCommands } from './mail.ts'
import { marketHealth } from './market-health.ts'
import { overdue } from './overdue.ts'
import { payoutCommands } from './payouts.ts'
import { peopleCommands } from './people.ts'
import { refusedSentence } from './refused.ts'
import { releaseCommands } from './release.ts'
import { selling } from './selling.ts'
import { switchCommands } from './switches.ts'
import { printable } from './table.ts'
import type { Tools } from './tools.ts'
import { trade } from './trade.ts'
import { webhookCommands } from './webhooks.ts'

const COMMANDS: Readonly<Record<string, Command>> = {
  ...webhookCommands,
  ...switchCommands,
  ...chainCommands,
  ...accountCommands,
  ...adjustmentCommands,
  ...releaseCommands,
  ...payoutCommands,
  ...mailCommands,
  ...peopleCommands,
  ...depositCommands,
  cases,
  trade,
  selling,
  'market-health': marketHealth,
  overdue,
  'audit-log': auditLog,
}

export interface Answered {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Surroundings {
  readonly markets: readonly MarketId[]
  readonly clock: Clock
  readonly ask: Ask
  /** With the database, for a command that exists; refuses where none is found. */
  open(): Tools
}

/**
 * A refusal is exit code 1 with one sentence, a wrong argument with the command's usage below it; nothing
 * is thrown. `help`, `-h` and `--help` print the list of commands; with a command, the usage of that one.
 */
export async function runOps(args: readonly string[], at: Surroundings): Promise<Answered> {
  const help = helpOfAll(at.markets)
  const usageLines = helpOf(help, args.find((each) => Object.hasOwn(COMMANDS, each)) ?? '')
  if (args[0] === 'help' || args.includes('--help') || args.includes('-h')) {
    return { code: 0, stdout: `${usageLines || help}\n`, stderr: '' }
  }
  try {
    return { code: 0, stdout: `${printable(await answer(args, at))}\n`, stderr: '' }
  } catch (error) {
    return { code: 1, stdout: '', stderr: `${printable(sentenceOf(error, args, usageLines))}\n` }
  }
}

async function answer(
  args: readonly string[],
  { markets, clock, ask, open }: Surroundings,
): Promise<string> {
  const invocation = readInvocation(args)
  const command = COMMANDS[invocation.command] ?? usage(unknownCommand(invocation.command))
  const tools = open()
  try {
    const actor = currentOperator()
    return await command({
      ...invocation,
      ...tools,
      ...{ markets, clock, actor },
      ask: (question) => ask(printable(question)),
    })
  } finally {
    await tools.db.close()
  }
}

const unknownCommand = (name: string): string =>
  name === '' ? 'name a command' : `there is no command “${name}”`

function sentenceOf(error: unknown, args: readonly string[], usageLines: string): string {
  if (error instanceof Usage) {
    return [error.message, usageLines, ALL_COMMANDS].filter(Boolean).join('\n\n')
  }
  if (error instanceof Refusal) return refusedSentence(error, readInvocation(args))
  if (isWithoutTables(error)) return 'The database lacks tables. Run `npm run migrate` first.'
  return error instanceof Error ? error.message : String(error)
}

/** PostgreSQL's undefined_table and invalid_schema_name: nothing has migrated this database. */
const isWithoutTables = (error: unknown): boolean =>
  ['42P01', '3F000'].includes((error as { code?: string }).code ?? '')
