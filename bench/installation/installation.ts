// The installation that is measured: a data folder as `npm start` makes it, with its real catalogue and
// listings, on which buyers, listings and trades are then written by SQL. Each row clones the database.
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import pg from 'pg'
import {
  type EmbeddedPostgres,
  startPostgres,
} from '../../apps/server/embedded-postgres/postgres.ts'
import type { Say } from '../rounds.ts'
import { type OurProcess, startOurs } from '../servers/tradepost.ts'
import type { DemoLogin } from './session.ts'

export interface Installation {
  readonly folder: string
  /** The data folder of the installation; nothing runs on it unless a row starts it. */
  readonly dataFolder: string
  /** How long the very first start took, in which database and catalogue are made. */
  readonly firstStartMs: number
  readonly apiKey: string
  /** Of a person of the demo merchant. */
  readonly login: DemoLogin
  readonly partnerLogin: DemoLogin
  readonly adminLogin: DemoLogin
  /** Of the demo partner. */
  readonly partnerKey: string
  readonly profileFolder: string | null
  /** With PostgreSQL of the data folder: the rows' own one ends, and begins again when it is asked for. */
  startAllInOne(): Promise<OurProcess>
  /** An API process on a database, as `npm run start:api` makes it. */
  startApi(databaseUrl: string, settings?: Readonly<Record<string, string>>): Promise<OurProcess>
  /** A worker process beside it, as `npm run start:worker` makes it, on a machine of its own. */
  startWorker(databaseUrl: string, settings?: Readonly<Record<string, string>>): Promise<OurProcess>
  /** PostgreSQL of the data folder without anything else, once started for all rows that want it. */
  database(): Promise<EmbeddedPostgres>
  /** A copy of a database; the original may have no connection. */
  clone(from: string, to: string): Promise<string>
  drop(name: string): Promise<void>
  close(): Promise<void>
}

/** The database that an installation makes for itself. */
export const ORIGINAL = 'tradepost'

export interface EnvironmentOptions {
  readonly say: Say
  readonly profileFolder: string | null
}

export async function openDemoData({
  say,
  profileFolder,
}: EnvironmentOptions): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-bench-'))
  const dataFolder = join(folder, 'data')
  const settings = {
    DATA_DIR: dataFolder,
    SANDBOX_LISTINGS: '50000',
    SANDBOX_CHAINS: 'off',
    RATE_LIMIT_SCALE: '1000000',
    // Most rows measure an api process alone.
    WORKER_SILENCE_SECONDS: '86400',
  }
  let postgres: EmbeddedPostgres | null = null
  let logs = 0
  const start = (role: string, more: Record<string, string> = {}): Promise<OurProcess> =>
    startOurs({
      role,
      logFile: join(folder, `${role}-${++logs}.log`),
      settings: { ...settings, ...more },
      profileFolder,
    })

  const database = async (): Promise<EmbeddedPostgres> => {
    postgres ??= await startPostgres({ folder: join(dataFolder, 'postgres') })
    return postgres
  }
  // A worker leaves a mark of its database in its folder: another clone does not know it, and sells nothing.
  const folderOfWorker = (): string => {
    const own = join(folder, `data-of-worker-${++logs}`)
    const isCopied = (path: string) => !['postgres', 'sandbox', 'lock'].includes(basename(path))
    cpSync(dataFolder, own, { recursive: true, filter: isCopied })
    return own
  }
  const onServer = async (text: string): Promise<void> => {
    const { urlOf } = await database()
    await runScript(urlOf('postgres'), text)
  }
  const stopDatabase = async (): Promise<void> => {
    await postgres?.stop()
    postgres = null
  }
  const close = async (): Promise<void> => {
    await stopDatabase()
    rmSync(folder, { recursive: true, force: true })
  }

  try {
    say('making an installation with 50,000 listings')
    const first = await start('all-in-one')
    await first.stop()
    const demo = JSON.parse(readFileSync(join(dataFolder, 'demo.json'), 'utf8')) as {
      merchant: { apiKey: string } & DemoLogin
      partner: { apiKey: string } & DemoLogin
      admin: DemoLogin
    }
    return {
      folder,
      dataFolder,
      firstStartMs: first.readyMs,
      apiKey: demo.merchant.apiKey,
      login: demo.merchant,
      partnerLogin: demo.partner,
      adminLogin: demo.admin,
      partnerKey: demo.partner.apiKey,
      profileFolder,
      startAllInOne: async () => {
        await stopDatabase()
        return start('all-in-one')
      },
      startApi: (databaseUrl, more) => start('api', { DATABASE_URL: databaseUrl, ...more }),
      startWorker: (databaseUrl, more) =>
        start('worker', { DATABASE_URL: databaseUrl, DATA_DIR: folderOfWorker(), ...more }),
      database,
      clone: async (from, to) => {
        await onServer(`create database ${to} template ${from} strategy file_copy`)
        return (await database()).urlOf(to)
      },
      drop: (name) => onServer(`drop database if exists ${name} with (force)`),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Texts of statements without parameters; each text is one transaction, unless it says otherwise. */
export async function runScript(url: string, ...texts: readonly string[]): Promise<void> {
  await withClient(url, async (client) => {
    for (const text of texts) await client.query(text)
  })
}

export async function readRows<Row extends object>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  return withClient(url, async (client) => (await client.query<Row>(text, values)).rows)
}

export async function withClient<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Every promise of the books and of the trades; throws when one is broken. */
export async function auditBooks(url: string): Promise<void> {
  const broken = await readRows<{ invariant: string; detail: string }>(
    url,
    `select * from ledger.audit() union all select * from trades.audit()
     union all select * from buying.audit() limit 5`,
  )
  if (broken.length === 0) return
  const list = broken.map(({ invariant, detail }) => `${invariant} (${detail})`)
  throw new Error(`the books are broken after a run: ${list.join('; ')}`)
}
