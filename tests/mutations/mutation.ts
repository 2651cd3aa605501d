// One guard of the database that is taken away, and the forms that most of them have.
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
  statements: [`alter table ${table} drop constraint ${name}`],
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
