// What an operator says of our accounts at the markets.
import { type Actor, changesOf } from '#audit'
import type { AccountChanges, AccountRef, NewAccount } from '#buying'
import * as buying from '#buying'
import { assertDefined } from '#kernel/assert'
import { formatMills } from '#kernel/money'
import { refuse } from '#kernel/refusal'
import { type ActDeps, perform } from './act.ts'

interface Why {
  readonly reason: string
}

/**
 * Its state, its use, or what of its balance is not spent. The account is judged by it at once; what was
 * begun with it goes on. Refuses NOT_FOUND.
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
      facts: { account, reason },
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

const actOf = ({ state, use }: AccountChanges): string => {
  if (state !== undefined) return `market_account.${STATE_ACTS[state]}`
  return use === undefined ? 'market_account.reserve' : 'market_account.set'
}

const STATE_ACTS = { enabled: 'enable', draining: 'drain', disabled: 'disable' } as const

const shown = (
  { state, use, reserveMills }: AccountChanges,
  asked: AccountChanges,
): Record<string, string> => ({
  ...(asked.state && { state: state ?? '' }),
  ...(asked.use && { use: use ?? '' }),
  ...(asked.reserveMills !== undefined && { reserve: formatMills(reserveMills ?? 0n) }),
})

async function requireKey(tx: Parameters<typeof buying.listAdded>[0], of: AccountRef) {
  const added = await buying.listAdded(tx)
  const found = added.find((one) => one.market === of.market && one.account === of.account)
  if (assertDefined(found, 'an account that was added').sealedKey === null) refuse('NOT_FOUND')
}

/** Opens the keys that accounts have: whether one of them is the key that is given now. */
export type IsTaken = (others: Awaited<ReturnType<typeof buying.listAdded>>) => boolean

/** What came of it; `taken`: another account has the key. */
type KeyGiven = 'done' | 'exists' | 'taken'

class Undone extends Error {
  readonly why: KeyGiven

  constructor(why: KeyGiven) {
    super(why)
    this.why = why
  }
}

const unlessUndone = async (act: Promise<void>): Promise<KeyGiven> => {
  try {
    await act
    return 'done'
  } catch (error) {
    if (error instanceof Undone) return error.why
    throw error
  }
}

/** Orders are begun with it within seconds. Its balance was read before. */
export const addMarketAccount = (
  deps: ActDeps,
  actor: Actor,
  { reason, ...account }: NewAccount & Why,
  isTaken: IsTaken,
): Promise<KeyGiven> =>
  unlessUndone(
    perform(
      deps,
      actor,
      {
        act: 'market_account.add',
        subject: { type: 'market', id: account.market },
        facts: { account: account.account, use: account.use, reason },
      },
      async (tx) => {
        await buying.lockKeys(tx)
        if (isTaken(await buying.listAdded(tx))) throw new Undone('taken')
        if (!(await buying.insertAccount(tx, account))) throw new Undone('exists')
      },
    ),
  )

/** From its commit on no order is begun with the key before; calls that are under way end with it. */
export const rotateMarketKey = (
  deps: ActDeps,
  actor: Actor,
  { market, account, sealedKey, reason }: AccountRef & Why & Pick<NewAccount, 'sealedKey'>,
  isTaken: IsTaken,
): Promise<KeyGiven> =>
  unlessUndone(
    perform(
      deps,
      actor,
      {
        act: 'market_account.rotate',
        subject: { type: 'market', id: market },
        facts: { account, reason },
      },
      async (tx) => {
        await buying.lockKeys(tx)
        if (isTaken(await buying.listAdded(tx))) throw new Undone('taken')
        if (!(await buying.rotateKey(tx, { market, account }, sealedKey))) refuse('NOT_FOUND')
      },
    ),
  )
