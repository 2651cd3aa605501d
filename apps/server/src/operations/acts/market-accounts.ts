// What an operator says of our accounts at the markets.
import { type Actor, changesOf } from '#audit'
import type { AccountChanges, AccountKey, AccountRef, NewAccount } from '#buying'
import * as buying from '#buying'
import type { Tx } from '#infra/database/db'
import type { ActName } from '#kernel/act-name'
import { assertDefined } from '#kernel/assert'
import { formatMills } from '#kernel/money'
import { refuse } from '#kernel/refusal'
import { type ActDeps, perform } from './act.ts'

interface Why {
  readonly reason: string
}

/**
 * Its state, its use, its pace, or what of its balance is not spent. The account is judged by it at once;
 * what was begun with it goes on. Refuses NOT_FOUND.
 */
export const changeMarketAccount = (
  deps: ActDeps,
  actor: Actor,
  { market, account, reason, ...changes }: AccountRef & Why & AccountChanges,
): Promise<void> =>
  perform(
    deps,
    actor,
    {
      act: actOf(changes),
      subject: { type: 'market', id: market },
      details: { account, reason },
    },
    async (tx, at, note) => {
      const of = { market, account }
      const known = (await buying.findAccount(tx, of)) ?? refuse('NOT_FOUND')
      // What a restore has left without its key can follow no order, and begin none.
      const isUsed = changes.state !== undefined && changes.state !== 'disabled'
      if (known.name !== buying.MAIN && isUsed) await requireKey(tx, of)
      const { before } = await buying.changeAccount(tx, of, { changes, at })
      note({ changes: changesOf(shown(before, changes), shown(changes, changes)) })
    },
  )

const actOf = ({ state, use, pace }: AccountChanges): ActName => {
  if (state !== undefined) return `market_account.${STATE_ACTS[state]}`
  const isReserve = use === undefined && pace === undefined
  return isReserve ? 'market_account.reserve' : 'market_account.set'
}

const STATE_ACTS = { enabled: 'enable', draining: 'drain', disabled: 'disable' } as const

const shown = (
  { state, use, reserveMills, pace }: AccountChanges,
  asked: AccountChanges,
): Record<string, string> => ({
  ...(asked.state && { state: state ?? '' }),
  ...(asked.use && { use: use ?? '' }),
  ...(asked.reserveMills !== undefined && { reserve: formatMills(reserveMills ?? 0n) }),
  ...(asked.pace !== undefined && { pace: pace == null ? 'default' : String(pace) }),
})

async function requireKey(tx: Tx, of: AccountRef): Promise<void> {
  const keys = await buying.listKeys(tx)
  const found = keys.find((one) => one.market === of.market && one.account === of.account)
  if (assertDefined(found, 'an account that was added').sealedKey === null) refuse('NOT_FOUND')
}

/** Opens the keys that accounts have: whether one of them is the key that is given now. */
export type IsTaken = (others: readonly AccountKey[]) => boolean

/**
 * What came of it. `taken`: another account has the key; `begun`: orders are open, and the new key was seen
 * to know none of them.
 */
type KeyGiven = 'done' | 'exists' | 'taken' | 'begun'

class Undone extends Error {
  readonly why: KeyGiven

  constructor(why: KeyGiven) {
    super(why)
    this.why = why
  }
}

/** Orders are begun with it within seconds. Its balance was read before. */
export const addMarketAccount = (
  deps: ActDeps,
  actor: Actor,
  { reason, ...account }: NewAccount & Why,
  isTaken: IsTaken,
): Promise<KeyGiven> =>
  giveKey(deps, actor, {
    ...{ act: 'market_account.add', of: account, details: { use: account.use, reason }, isTaken },
    give: async (tx) => ((await buying.insertAccount(tx, account)) ? 'done' : 'exists'),
  })

export interface NewKey extends AccountRef, Pick<NewAccount, 'sealedKey'> {
  /** For `main`: by which its key before and the new one are known again. */
  readonly hashes: readonly string[]
  /** The new key was seen to know open orders of the account: it sees those that have begun since, too. */
  readonly knowsOrders: boolean
}

/** From its commit on no order is begun with the key before; calls that are under way end with it. */
export const rotateMarketKey = (
  deps: ActDeps,
  actor: Actor,
  { market, account, reason, knowsOrders, ...key }: NewKey & Why,
  isTaken: IsTaken,
): Promise<KeyGiven> => {
  const of = { market, account }
  return giveKey(deps, actor, {
    ...{ act: 'market_account.rotate', of, details: { reason }, isTaken },
    give: async (tx) => {
      if ((await buying.findAccount(tx, of)) === null) refuse('NOT_FOUND')
      // No order begins between this look and the commit.
      await buying.lockAccount(tx, of)
      if (!knowsOrders && (await buying.hasOpenOrders(tx, of))) return 'begun'
      await buying.rotateKey(tx, of, key)
      return 'done'
    },
  })
}

/** One account gets a key, and no two the same. What is not done leaves no entry. */
async function giveKey(
  deps: ActDeps,
  actor: Actor,
  {
    act,
    of: { market, account },
    details,
    isTaken,
    give,
  }: {
    readonly act: ActName
    readonly of: AccountRef
    readonly details: Readonly<Record<string, string>>
    readonly isTaken: IsTaken
    give(tx: Tx): Promise<KeyGiven>
  },
): Promise<KeyGiven> {
  const entry = {
    act,
    subject: { type: 'market', id: market },
    details: { account, ...details },
  } as const
  try {
    await perform(deps, actor, entry, async (tx) => {
      await buying.lockKeys(tx)
      const given = isTaken(await buying.listKeys(tx)) ? 'taken' : await give(tx)
      if (given !== 'done') throw new Undone(given)
    })
    return 'done'
  } catch (error) {
    if (error instanceof Undone) return error.why
    throw error
  }
}
