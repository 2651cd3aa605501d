// What no migration may do to an installation that trades, by what it was measured to do. One that must
// says why: `-- permits rewrite catalog.market: it has a row for each market`.
import type { Bears } from '../../apps/server/src/infra/database/schema-history.ts'
import type { Effects, Lock } from './effects.ts'

/** Frozen: the schemas of the first version, a file each. */
export const LAST_OF_THE_FIRST_RELEASE = '0021_payouts'

/** The tables that grow with every trade; to read one whole takes minutes. */
export const GROWING: readonly string[] = [
  'buying.item',
  'buying.supplier_order',
  'ledger.hold',
  'ledger.hold_resolution',
  'ledger.journal',
  'ledger.posting',
  'outbox.event',
  'outbox.event_key',
  'reconciliation.supplier_call',
  'trades.item',
  'trades.item_step',
  'trades.trade',
  'webhooks.attempt',
  'webhooks.delivery',
]

interface Finding {
  readonly rule: string
  /** A table, a column or a function. */
  readonly of: string
}

/** The rules that a migration breaks and does not permit itself, and what it permits in vain. */
export function findBroken(
  { text, bears }: { readonly text: string; readonly bears: Bears },
  effects: Effects,
): string[] {
  const found = RULES.flatMap(({ rule, find, forOlder }) =>
    forOlder && bears === 'none' ? [] : find(effects).map((of) => ({ rule, of })),
  )
  const permits = readPermits(text)
  const isSame = (a: Finding, b: Finding): boolean => a.rule === b.rule && a.of === b.of
  return [
    ...found
      .filter((one) => !permits.some((permit) => isSame(permit, one)))
      .map(({ rule, of }) => `${rule} ${of}: ${WHY[rule]}`),
    ...permits
      .filter((permit) => !found.some((one) => isSame(permit, one)))
      .map(({ rule, of }) => `${rule} ${of}: is permitted, and does not happen`),
  ]
}

interface Rule {
  readonly rule: keyof typeof WHY
  /** Only processes of an older release are hurt by it. */
  readonly forOlder?: true
  readonly find: (effects: Effects) => readonly string[]
}

const WHY = {
  rewrite: 'every row is written anew, and readers wait meanwhile',
  index: 'writers wait meanwhile; build it by a migration of its own, concurrently',
  'not-null':
    'a new column needs a default; an old one first a check that is valid (not valid, then validated later)',
  read: 'its rows are read from end to end under a lock that others wait for; add a check as `not valid`, and validate it in the next migration',
  signature: 'processes of the release before call it as it was',
  gone: 'processes of the release before use it',
} as const

/** Others can read and write meanwhile. */
const HARMLESS: readonly (Lock | undefined)[] = [undefined, 'ShareUpdateExclusiveLock']

const isGrowing = (table: string): boolean => GROWING.includes(table)

const RULES: readonly Rule[] = [
  { rule: 'rewrite', find: ({ rewritten }) => rewritten },
  {
    rule: 'index',
    find: ({ indexed, rewritten }) =>
      indexed.filter((table) => isGrowing(table) && !rewritten.includes(table)),
  },
  {
    rule: 'not-null',
    // Where a valid check says the same, PostgreSQL does not read the table.
    find: ({ notNull, read, rewritten }) =>
      notNull
        .filter(({ table, isNew }) => !rewritten.includes(table) && (isNew || read.includes(table)))
        .map(({ table, column }) => `${table}.${column}`),
  },
  {
    rule: 'read',
    find: ({ read, locks, indexed, rewritten, notNull }) =>
      read
        .filter((table) => isGrowing(table) && !HARMLESS.includes(locks[table]))
        // What is said of it already.
        .filter((table) => ![...indexed, ...rewritten].includes(table))
        .filter((table) => !notNull.some((one) => one.table === table)),
  },
  { rule: 'signature', forOlder: true, find: ({ signatures }) => signatures },
  { rule: 'gone', forOlder: true, find: ({ gone }) => gone },
]

const readPermits = (text: string): Finding[] =>
  [...text.matchAll(/^-- permits (\S+) (.+?): \S.*$/gm)].map(([, rule = '', of = '']) => ({
    rule,
    of,
  }))
