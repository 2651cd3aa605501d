// A partner's children: each the isolated account of one of the partner's merchants.
import { createHash } from 'node:crypto'
import type { Queryable, Tx } from '#infra/database/db'
import { assertDefined } from '#kernel/assert'
import { newId } from '#kernel/id'
import { type CursorPage, cursorPageOf } from '#kernel/page'
import { refuse } from '#kernel/refusal'
import { openWallets } from '#ledger'
import type { Child, ListedChild } from './account.ts'
import type { KeyEnvironment } from './api-key.ts'
import {
  type ChildFilter,
  type ChildSlice,
  findChildByEmailHash,
  findChildByKey,
  readChildrenAfter,
} from './child-store.ts'
import { issueKey } from './keys.ts'
import { keepAccount } from './lock-account.ts'
import { insertAccount } from './store.ts'

export interface NewChild {
  readonly partnerId: string
  readonly email: string
  readonly name: string | null
  readonly description: string | null
  readonly environment: KeyEnvironment
  readonly at: Date
}

/**
 * Creates a child with its wallet and its first key, or returns the one that the partner has under this
 * e-mail address, letter case aside, whatever else is asked for. Of several calls at once one creates. A
 * deleted child is returned as deleted: its address stays taken.
 */
export async function createChild(
  tx: Tx,
  { partnerId, email, name, description, environment, at }: NewChild,
): Promise<OpenedChild> {
  await keepAccount(tx, partnerId)
  const id = newId(at.getTime())
  const account = { ...NOTHING, id, parentId: partnerId, email, name, description, at }
  // Waits for a call of the same moment to commit: the unique key is the hash of the address.
  const created = await insertAccount(tx, { ...account, externalId: hashOf(email) })
  let apiKey: string | null = null
  if (created) {
    await openWallets(tx, { ownerId: id, currency: 'USD', earnings: false })
    const key = { accountId: id, kind: 'child', name: 'First key', environment, at } as const
    apiKey = (await issueKey(tx, key)).secret
  }
  const child = await findChildByEmailHash(tx, partnerId, hashOf(email))
  const replayed = !created
  return { child: assertDefined(child, 'the child with the e-mail address'), apiKey, replayed }
}

export interface OpenedChild {
  readonly child: Child
  /** Of a new child only. */
  readonly apiKey: string | null
  /** The partner had it already: nothing was changed. */
  readonly replayed: boolean
}

/** How a partner names a child: by its e-mail address, or by the id of any key of it. */
export type ChildReference = { readonly email: string } | { readonly keyId: string }

/** Refuses USER_NOT_FOUND for a child of another partner, a deleted one, and none. */
export async function getChild(
  db: Queryable,
  partnerId: string,
  reference: ChildReference,
): Promise<Child> {
  const child =
    'email' in reference
      ? await findChildByEmailHash(db, partnerId, hashOf(reference.email))
      : await findChildByKey(db, partnerId, reference.keyId)
  return child === null || child.status === 'deleted' ? refuse('USER_NOT_FOUND') : child
}

/** A slice of a partner's children after the child `cursor`, newest first; nothing is counted. */
export async function sliceChildren(
  db: Queryable,
  partnerId: string,
  filter: ChildFilter & ChildSlice,
): Promise<CursorPage<ListedChild>> {
  const { limit } = filter
  const rows = await readChildrenAfter(db, partnerId, { ...filter, limit: limit + 1 })
  return cursorPageOf(rows, limit, ({ id }) => id)
}

const hashOf = (email: string): string =>
  createHash('sha256').update(email.toLowerCase()).digest('hex')

const NOTHING = {
  kind: 'child',
  currency: 'USD',
  platformId: null,
  country: null,
  tier: 'enterprise',
  feeBps: null,
  buyFeeBps: null,
  sellFeeBps: null,
  childDefaultFeeBps: null,
} as const
