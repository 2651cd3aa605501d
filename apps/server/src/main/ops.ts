// The operator's command line: `npm run ops -- <command>`. It reads arguments and prints answers; what it
// does is in modules/operations.
import { systemClock } from '#infra/clock'
import { openDb } from '#infra/db'
import { Refusal } from '#kernel/refusal'
import { readConfig } from './config.ts'
import { findAnyDatabase } from './find-database.ts'
import { accountCommands } from './ops/accounts.ts'
import { auditLog } from './ops/audit-log.ts'
import { cases } from './ops/cases.ts'
import { chainCommands } from './ops/chains.ts'
import { depositCommands } from './ops/deposits.ts'
import { HELP } from './ops/help.ts'
import { type Command, currentOperator, readInvocation, Usage, usage } from './ops/invocation.ts'
import { mailCommands } from './ops/mail.ts'
import { marketHealth } from './ops/market-health.ts'
import { moneyCommands } from './ops/money.ts'
import { payoutCommands } from './ops/payouts.ts'
import { peopleCommands } from './ops/people.ts'
import { selling } from './ops/selling.ts'
import { switchCommands } from './ops/switches.ts'
import { json } from './ops/table.ts'
import { trade } from './ops/trade.ts'
import { webhookCommands } from './ops/webhooks.ts'

const COMMANDS: Readonly<Record<string, Command>> = {
  ...webhookCommands,
  ...switchCommands,
  ...chainCommands,
  ...accountCommands,
  ...moneyCommands,
  ...payoutCommands,
  ...mailCommands,
  ...peopleCommands,
  ...depositCommands,
  cases,
  trade,
  selling,
  'market-health': marketHealth,
  'audit-log': auditLog,
}

async function main(): Promise<string> {
  const invocation = readInvocation(process.argv.slice(2))
  const command = COMMANDS[invocation.command] ?? usage('which command?')
  const config = readConfig()
  const db = openDb({ url: findAnyDatabase(config), poolSize: 2, applicationName: 'tradepost-ops' })
  try {
    return await command({
      ...{ ...invocation, db, config },
      clock: systemClock,
      actor: currentOperator(),
    })
  } finally {
    await db.close()
  }
}

try {
  process.stdout.write(`${await main()}\n`)
} catch (error) {
  process.exitCode = 1
  if (error instanceof Usage) process.stderr.write(`${error.message}\n\n${HELP}\n`)
  else if (error instanceof Refusal) {
    process.stderr.write(`Refused: ${error.key} ${json(error.facts ?? {})}\n`)
  } else process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
}
