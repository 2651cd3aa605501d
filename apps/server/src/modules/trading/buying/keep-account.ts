// Keeping our account at a market: what is known of it, and what the catalogue may sell by it, in one commit.
import type { AccountReading } from '#catalog'
import type { Db, Tx } from '#infra/database/db'
import type { Mills } from '#kernel/money'
import {
  type AccountFigures,
  close,
  coverOf,
  judgeCover,
  judgeQuestion,
  judgeReading,
  type MarketAccount,
  question,
  withBalance,
} from './account.ts'
import type { AccountRef } from './ports.ts'
import { coverMarket, lockAccount, readFigures, saveAccount } from './store/accounts.ts'

/** An account before and after, with what was counted. */
export interface KeptAccount {
  readonly before: MarketAccount
  readonly account: MarketAccount
  readonly figures: AccountFigures
}

/** Writes down what a market said of the account, if anything was said, and judges it anew. */
export const noteReading = (
  db: Db,
  of: AccountRef,
  { reading, at }: { readonly reading: AccountReading | null; readonly at: Date },
): Promise<KeptAccount> =>
  change(db, of, at, async (tx, before) => {
    if (reading === null) return { account: judgeQuestion(before, at) }
    const read = withBalance(before, reading)
    if (read !== before) await saveAccount(tx, read)
    const figures = await readFigures(tx, of)
    const account = judgeQuestion(judgeReading(read, reading, figures), at)
    // As it was written before it was counted: it needs to be neither again.
    return account === read ? { account, figures } : { account }
  })

/** An order of this ceiling was refused for lack of money. True for the first: let the balance be read. */
export async function questionAccount(
  db: Db,
  of: AccountRef,
  refused: { readonly ceilingMills: Mills; readonly detail: string; readonly at: Date },
): Promise<boolean> {
  const { before, account } = await change(db, of, refused.at, async (_tx, known) => ({
    account: question(known, refused),
  }))
  return account.closedBecause === 'in_question' && before.closedBecause !== 'in_question'
}

/** The market does not serve the account. */
export async function closeAccount(
  db: Db,
  of: AccountRef,
  closing: {
    readonly because: 'forbidden' | 'currency'
    readonly detail: string
    readonly at: Date
  },
): Promise<void> {
  await change(db, of, closing.at, async (_tx, known) => ({ account: close(known, closing) }))
}

/** What an operator may change of an account. */
export type AccountChanges = Partial<Pick<MarketAccount, 'reserveMills' | 'state' | 'use' | 'pace'>>

/** Judged at once: by a smaller reserve it has more to spend. */
export async function changeAccount(
  tx: Tx,
  of: AccountRef,
  { changes, at }: { readonly changes: AccountChanges; readonly at: Date },
): Promise<KeptAccount> {
  return changeIn(tx, of, at, async (_tx, known) => ({ account: { ...known, ...changes } }))
}

/**
 * With `figures` the account is as it is written, and these are its own. Without them it is written, where it
 * has changed, and then counted.
 */
interface Acted {
  readonly account: MarketAccount
  readonly figures?: AccountFigures
}
type Act = (tx: Tx, known: MarketAccount) => Promise<Acted>

const change = (db: Db, of: AccountRef, at: Date, act: Act): Promise<KeptAccount> =>
  db.transaction((tx) => changeIn(tx, of, at, act))

async function changeIn(tx: Tx, of: AccountRef, at: Date, act: Act): Promise<KeptAccount> {
  const before = await lockAccount(tx, of)
  const { account: acted, figures: counted } = await act(tx, before)
  // The figures are counted from what is written.
  if (counted === undefined && acted !== before) await saveAccount(tx, acted)
  const figures = counted ?? (await readFigures(tx, of))
  const account = judgeCover(acted, figures, at)
  if (account !== acted) await saveAccount(tx, account)
  // Last: nothing slow may come after a change of the catalogue.
  await coverMarket(tx, of.market, { coverMills: coverOf(account, figures), at })
  return { before, account, figures }
}
