// The version of the list of all items: the history of the database, so that a number of one that was
// restored says nothing, and the number of a change.
import { createHash } from 'node:crypto'
import type { Db } from '#infra/database/db'
import { readHistory } from '#infra/database/recovery-mark'

const LIST_VERSION = /^([\w-]{8})\.(0|[1-9]\d{0,17})$/

/** Null for a version of another history, and for what is none. */
export function seqOfVersion(version: string, history: string): bigint | null {
  const [, ofHistory, seq = ''] = LIST_VERSION.exec(version) ?? []
  return ofHistory === history ? BigInt(seq) : null
}

/** The first part of a version. */
export const historyOf = async (db: Db): Promise<string> =>
  createHash('sha256')
    .update(await readHistory(db))
    .digest('base64url')
    .slice(0, 8)
