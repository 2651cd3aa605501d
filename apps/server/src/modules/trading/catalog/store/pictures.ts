// SQL of the pictures of items.
import { type Queryable, sql } from '#infra/database/db'
import { type DueQuestion, dueWhere } from '#infra/jobs/due-watch'
import type { PictureFiles } from '../ports.ts'

export interface AskedPicture {
  readonly name: string
  readonly source: string
}

export interface FoundPicture {
  readonly name: string
  /** Null: it is not there, or not yet. */
  readonly bytes: Buffer | null
  readonly askedAt: Date
  /** Null: it is there, or was given up. */
  readonly dueAt: Date | null
}

const FIND_SMALL = sql(
  'catalog_find_small_pictures',
  `select name, small bytes, asked_at "askedAt", due_at "dueAt"
   from catalog.picture where name = any ($1) limit 1000`,
)
const FIND_LARGE = sql(
  'catalog_find_large_pictures',
  `select name, large bytes, asked_at "askedAt", due_at "dueAt"
   from catalog.picture where name = any ($1) limit 1000`,
)

export const findPictures = (
  db: Queryable,
  size: keyof PictureFiles,
  names: readonly string[],
): Promise<FoundPicture[]> =>
  db.query<FoundPicture>(size === 'small' ? FIND_SMALL : FIND_LARGE, [names])

// In the order of their names: two processes that ask for the same ones do not wait for each other in a ring.
const ASK = sql(
  'catalog_ask_pictures',
  `insert into catalog.picture as p (name, source, asked_at, due_at)
   select name, source, $3, $3 from unnest($1::text[], $2::text[]) wanted (name, source) order by name
   on conflict on constraint picture_pkey do update
     set source = excluded.source, asked_at = excluded.asked_at, due_at = excluded.due_at, attempts = 0
     where p.fetched_at is null and p.due_at is null and p.asked_at < $4`,
)

/** Each name once. Notes that they are wanted, unless that is known, or they were given up since `since`. */
export async function askPictures(
  db: Queryable,
  wanted: readonly AskedPicture[],
  { at, since }: { readonly at: Date; readonly since: Date },
): Promise<void> {
  const names = wanted.map(({ name }) => name)
  const sources = wanted.map(({ source }) => source)
  await db.query(ASK, [names, sources, at, since])
}

export const PICTURES_DUE: DueQuestion = dueWhere(
  'catalog.pictures',
  'exists (select from catalog.picture where due_at <= $1)',
)

export interface ClaimedPicture extends AskedPicture {
  /** This one included. */
  readonly attempts: number
}

// One that is due after its last attempt has ended the worker that tried it.
const CLAIM = sql(
  'catalog_claim_pictures',
  `with claimed as (
     update catalog.picture p
     set due_at = case when p.attempts < $4 then $2::timestamptz end, attempts = p.attempts + 1
     from (select name from catalog.picture where due_at <= $1
           order by due_at limit $3 for update skip locked) due
     where p.name = due.name
     returning p.name, p.source, p.attempts, p.due_at
   )
   select name, source, attempts from claimed where due_at is not null`,
)

export interface PictureClaim {
  readonly at: Date
  readonly until: Date
  readonly limit: number
  /** What was claimed so often is given up. */
  readonly maxAttempts: number
}

/** Those that are due, longest first. From `until` on another worker may take them. */
export const claimPictures = (
  db: Queryable,
  { at, until, limit, maxAttempts }: PictureClaim,
): Promise<ClaimedPicture[]> => db.query<ClaimedPicture>(CLAIM, [at, until, limit, maxAttempts])

const KEEP = sql(
  'catalog_keep_picture',
  `update catalog.picture set small = $2, large = $3, fetched_at = $4, due_at = null where name = $1`,
)

export async function keepPicture(
  db: Queryable,
  name: string,
  { small, large }: PictureFiles,
  at: Date,
): Promise<void> {
  await db.query(KEEP, [name, small, large, at])
}

const PUT_OFF = sql(
  'catalog_put_off_picture',
  'update catalog.picture set due_at = $2 where name = $1 and fetched_at is null',
)

/** Null: it is given up. */
export async function putOffPicture(
  db: Queryable,
  name: string,
  dueAt: Date | null,
): Promise<void> {
  await db.query(PUT_OFF, [name, dueAt])
}

// The size of a value that is stored outside of its row is read without the value.
const DROP_OLDEST = sql(
  'catalog_drop_oldest_pictures',
  `delete from catalog.picture where name in (
     select name from (
       select name, sum(octet_length(small) + octet_length(large))
         over (order by fetched_at desc, name) total
       from catalog.picture where fetched_at is not null
     ) sized where total > $1 limit 10000)
   or (fetched_at is null and due_at is null and asked_at < $2)
   returning name`,
)

/** Keeps the newest, of so many bytes; deletes what was asked for `before` and given up. How many went. */
export const dropOldestPictures = async (
  db: Queryable,
  { maxBytes, before }: { readonly maxBytes: number; readonly before: Date },
): Promise<number> => (await db.query(DROP_OLDEST, [maxBytes, before])).length
