// One guard of the database that is taken away, and the forms that most of them have.
import type pg from 'pg'

export interface Mutation {
  /** What is gone. */
  readonly name: string
  readonly kind: 'constraint' | 'trigger' | 'lock' | 'idempotency'
  readonly statements?: readonly string[]
  readonly edits?: readonly Edit[]
  /** Tried in this order until one fails. */
  readonly files: readonly string[]
}

/** A function of the database with a part of its text replaced. */
export interface Edit {
  readonly of: string
  readonly from: string
  readonly to: string
}

export const constraint = (table: string, name: string, ...files: string[]): Mutation => ({
  name: `${table}: ${name}`,
  kind: 'constraint',
  statements: [`alter table ${table} drop constraint ${name} cascade`],
  files,
})

export const index = (name: string, ...files: string[]): Mutation => ({
  name: `unique index ${name}`,
  kind: 'constraint',
  statements: [`drop index ${name}`],
  files,
})

export const trigger = (table: string, name: string, ...files: string[]): Mutation => ({
  name: `${table}: trigger ${name}`,
  kind: 'trigger',
  statements: [`drop trigger ${name} on ${table}`],
  files,
})

export const edit = (
  kind: 'lock' | 'idempotency' | 'constraint',
  name: string,
  { of, from, to }: Edit,
  ...files: string[]
): Mutation => ({ name, kind, edits: [{ of, from, to }], files })

export const noLock = (of: string, from: string, ...files: string[]): Mutation =>
  edit('lock', `${of}: ${from.trim()}`, { of, from, to: '' }, ...files)

/** Fails where the guard is not there. */
export async function takeAway(
  client: pg.Client,
  { statements = [], edits = [] }: Mutation,
): Promise<void> {
  for (const one of edits) await rewrite(client, one)
  for (const statement of statements) await client.query(statement)
}

async function rewrite(client: pg.Client, { of, from, to }: Edit): Promise<void> {
  const { rows } = await client.query<{ text: string }>(
    `select pg_get_functiondef(p.oid) as text from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname || '.' || p.proname = $1`,
    [of],
  )
  const text = rows.map((row) => row.text).find((one) => one.includes(from))
  if (text === undefined) throw new Error(`${of} does not say "${from}" any more`)
  await client.query(text.replace(from, to))
}
