import { chmodSync, closeSync, mkdirSync, openSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { DatasetStep, Mail, OrderRow, Store } from './store.ts'

/** The data folder cannot be used; the message is one sentence for a person. */
export class StoreFault extends Error {}

const DATABASE = 'sandbox.db'
const SCHEMA_VERSION = 2

const SCHEMA = `
create table setting (name text primary key, value text not null) strict;
create table customer_order (seq integer primary key, placement text not null, progress text not null) strict;
create table world_step (seq integer primary key autoincrement, step text not null) strict;
create table persona (partner integer primary key, token text not null) strict;
create table mail (seq integer primary key autoincrement, mail text not null) strict;
`

/** What each version has beside the one before it. */
const ADDITIONS: readonly string[] = [
  SCHEMA,
  'create table bot_offer (seq integer primary key, offer text not null) strict;',
]

/**
 * SQLite in the data folder. The write-ahead log without a flush per commit survives any death of
 * the process, kill -9 included; only a crash of the whole machine may lose the last moments, which
 * a stand-in for the external systems can afford (20 microseconds a commit instead of milliseconds).
 */
export function openSqliteStore(dataDir: string): Store {
  const database = open(dataDir)
  const statements = prepare(database)
  let isInTransaction = false

  const store: Store = {
    readSetting: (name) => (statements.readSetting.get(name)?.value as string) ?? null,
    writeSetting: (name, value) => void statements.writeSetting.run(name, value),
    insertOrder: (row) => void statements.insertOrder.run(row.seq, row.placement, row.progress),
    updateOrder: (seq, progress) => void statements.updateOrder.run(progress, seq),
    readOrders: () => statements.readOrders.iterate() as unknown as Iterable<OrderRow>,
    writeBotOffer: (seq, offer) => void statements.writeBotOffer.run(seq, offer),
    readBotOffers: () => statements.readBotOffers.all().map((row) => row.offer as string),
    appendStep: (step) => void statements.appendStep.run(JSON.stringify(step)),
    readSteps: () =>
      statements.readSteps.all().map((row) => JSON.parse(row.step as string) as DatasetStep),
    writeDataset(dump) {
      store.atomically(() => {
        statements.writeSetting.run('dataset', dump())
        statements.forgetSteps.run()
      })
    },
    writePersona: (partner, token) => void statements.writePersona.run(partner, token),
    readPersonas: () =>
      statements.readPersonas.iterate() as unknown as Iterable<{ partner: number; token: string }>,
    appendMail: (mail) => void statements.appendMail.run(JSON.stringify(mail)),
    readMail: () => statements.readMail.all().map((row) => JSON.parse(row.mail as string) as Mail),
    atomically(work) {
      if (isInTransaction) return work()
      statements.begin.run()
      isInTransaction = true
      try {
        const result = work()
        statements.commit.run()
        return result
      } catch (error) {
        statements.rollback.run()
        throw error
      } finally {
        isInTransaction = false
      }
    },
    close: () => database.close(),
  }
  return store
}

function open(dataDir: string): DatabaseSync {
  const path = join(dataDir, DATABASE)
  try {
    makePrivate(dataDir)
    const database = new DatabaseSync(path)
    // The exclusive lock makes a second sandbox on the same folder fail at once.
    database.exec('pragma locking_mode = exclusive')
    database.exec('pragma journal_mode = wal; pragma synchronous = normal')
    migrate(database)
    return database
  } catch (error) {
    if (error instanceof StoreFault) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new StoreFault(
      reason.includes('locked')
        ? `Another sandbox is using the data folder ${dataDir}.`
        : `The sandbox cannot use ${path}: ${reason}.`,
    )
  }
}

/**
 * The store holds the bots' secrets and captured e-mail, so only its owner may read it. The file exists
 * with its mode before SQLite opens it, because SQLite gives the log beside it the same mode. A folder
 * that also holds other files keeps its own mode.
 */
function makePrivate(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  closeSync(openSync(join(dataDir, DATABASE), 'a', 0o600))
  const files = readdirSync(dataDir)
  const own = files.filter((name) => name.startsWith(DATABASE))
  for (const name of own) chmodSync(join(dataDir, name), 0o600)
  if (own.length === files.length) chmodSync(dataDir, 0o700)
}

function migrate(database: DatabaseSync): void {
  const version = database.prepare('pragma user_version').get()?.user_version as number
  if (version === SCHEMA_VERSION) return
  if (version > SCHEMA_VERSION) {
    throw new StoreFault(
      `The sandbox's data folder was written by another version (${version}, this one reads ${SCHEMA_VERSION}).`,
    )
  }
  const additions = ADDITIONS.slice(version).join(' ')
  database.exec(`begin; ${additions} pragma user_version = ${SCHEMA_VERSION}; commit`)
}

function prepare(database: DatabaseSync) {
  const statement = (sql: string): StatementSync => database.prepare(sql)
  return {
    begin: statement('begin'),
    commit: statement('commit'),
    rollback: statement('rollback'),
    readSetting: statement('select value from setting where name = ?'),
    writeSetting: statement(
      'insert into setting (name, value) values (?, ?) on conflict (name) do update set value = excluded.value',
    ),
    insertOrder: statement(
      'insert into customer_order (seq, placement, progress) values (?, ?, ?)',
    ),
    updateOrder: statement('update customer_order set progress = ? where seq = ?'),
    readOrders: statement('select seq, placement, progress from customer_order order by seq'),
    writeBotOffer: statement(
      'insert into bot_offer (seq, offer) values (?, ?) on conflict (seq) do update set offer = excluded.offer',
    ),
    readBotOffers: statement('select offer from bot_offer order by seq'),
    appendStep: statement('insert into world_step (step) values (?)'),
    readSteps: statement('select step from world_step order by seq'),
    forgetSteps: statement('delete from world_step'),
    writePersona: statement(
      'insert into persona (partner, token) values (?, ?) on conflict (partner) do update set token = excluded.token',
    ),
    readPersonas: statement('select partner, token from persona'),
    appendMail: statement('insert into mail (mail) values (?)'),
    readMail: statement('select mail from mail order by seq'),
  }
}
