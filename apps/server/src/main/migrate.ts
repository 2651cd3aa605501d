// Brings a database to this version's tables: `npm run migrate`. With no DATABASE_URL it is the embedded
// one, which is started for it when nothing runs. `--stop-the-world` also applies what no older process bears
// while some live. `--plan` changes nothing, and prints what would be applied.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '#embedded-postgres/postgres'
import { planMigration } from '#infra/database/migration-plan'
import { migrate } from '#infra/database/migrations'
import { CannotStart } from '#infra/process/cannot-start'
import { createLog, type Log } from '#infra/process/log'
import { type Config, readConfig } from './config.ts'
import { takeDataFolder } from './data-folder.ts'
import { findOwnDatabase } from './find-database.ts'
import { type Lifecycle, runProcess } from './lifecycle.ts'

async function migrateDatabase(url: string, log: Log, stopTheWorld: boolean): Promise<void> {
  const applied = await migrate(url, {
    stopTheWorld,
    onProgress: (name) => log.info({ migration: name }, 'applying a migration'),
    onLockTimeout: (retry) => log.warn(retry, 'migration waits for a lock'),
  })
  log.info({ applied: applied.length }, 'the database is current')
}

/** The database of the configuration; the embedded one is started and owned by this process. */
export async function openDatabaseUrl(
  config: Config,
  lifecycle: Lifecycle,
  { log, onProgress }: { log: Log; onProgress?: (step: string) => void },
): Promise<string> {
  if (config.database.url) return config.database.url.reveal()
  const postgres = await startPostgres({
    folder: join(config.dataDir, 'postgres'),
    onCrash: (detail) => log.error({ detail }, 'the embedded database is started again'),
    ...(onProgress ? { onProgress } : {}),
  })
  lifecycle.onStop('database', () => postgres.stop())
  lifecycle.onAbandon(() => postgres.abandon())
  return postgres.url
}

type Mode = 'apply' | 'plan' | 'stop-the-world'

function readMode(args: string[]): Mode {
  const refusal = new CannotStart(
    `npm run migrate takes --plan or --stop-the-world and nothing else, and was given ${args.join(' ')}.`,
  )
  const flag = { type: 'boolean' } as const
  let given: string[]
  try {
    const { values } = parseArgs({ args, options: { plan: flag, 'stop-the-world': flag } })
    given = Object.keys(values)
  } catch {
    throw refusal
  }
  if (given.length > 1) throw refusal
  return (given[0] ?? 'apply') as Mode
}

if (import.meta.main) {
  await runProcess(
    async (lifecycle) => {
      const mode = readMode(process.argv.slice(2))
      const config = readConfig()
      const log = createLog({ level: config.logLevel ?? 'info', base: { role: 'migrate' } })
      // A plan takes no lock: it may be made beside a process that runs the embedded database.
      const running = mode === 'plan' ? findOwnDatabase(config) : null
      if (!config.database.url && running === null) {
        const folder = takeDataFolder(config.dataDir)
        lifecycle.onStop('data folder', () => folder.release())
      }
      const url = running ?? (await openDatabaseUrl(config, lifecycle, { log }))
      if (mode === 'plan') process.stdout.write(`${await planMigration(url)}\n`)
      else await migrateDatabase(url, log, mode === 'stop-the-world')
      return log
    },
    { once: true },
  )
}
