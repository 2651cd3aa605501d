// The operator's command line: `npm run ops -- <command>`. It reads arguments and prints answers; what it
// does is in modules/operations.
import { join } from 'node:path'
import { CannotStart } from '#infra/cannot-start'
import { systemClock } from '#infra/clock'
import { openDb } from '#infra/db'
import { findRunningPostgres } from '#infra/postgres'
import { Refusal } from '#kernel/refusal'
import { type Config, readConfig } from './config.ts'
import { auditLog } from './ops/audit-log.ts'
import { cases } from './ops/cases.ts'
import { HELP } from './ops/help.ts'
import { type Command, currentOperator, readInvocation, Usage, usage } from './ops/invocation.ts'
import { marketHealth } from './ops/market-health.ts'
import { selling } from './ops/selling.ts'
import { switchCommands } from './ops/switches.ts'
import { trade } from './ops/trade.ts'
import { webhookCommands } from './ops/webhooks.ts'

const COMMANDS: Readonly<Record<string, Command>> = {
  ...webhookCommands,
  ...switchCommands,
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
  const db = openDb({ url: databaseUrl(config), poolSize: 2, applicationName: 'tradepost-ops' })
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

function databaseUrl(config: Config): string {
  const url = config.database.url?.reveal() ?? findRunningPostgres(join(config.dataDir, 'postgres'))
  if (url) return url
  throw new CannotStart(
    'No DATABASE_URL is set and no embedded database runs: start Tradepost first.',
  )
}

try {
  process.stdout.write(`${await main()}\n`)
} catch (error) {
  process.exitCode = 1
  if (error instanceof Usage) process.stderr.write(`${error.message}\n\n${HELP}\n`)
  else if (error instanceof Refusal) {
    process.stderr.write(`Refused: ${error.key} ${JSON.stringify(error.facts ?? {})}\n`)
  } else process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
}
