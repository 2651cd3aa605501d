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
import type { MarketId } from './ports.ts'
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
  market: MarketId,
  { reading, at }: { readonly reading: AccountReading | null; readonly at: Date },
): Promise<KeptAccount> =>
  change(db, market, at, async (tx, before) => {
    if (reading === null) return judgeQuestion(before, at)
    const account = withBalance(before, reading)
    if (account !== before) await saveAccount(tx, account)
    return judgeQuestion(judgeReading(account, reading, await readFigures(tx, market)), at)
  })

/** An order of this ceiling was refused for lack of money. True for the first: let the balance be read. */
export async function questionAccount(
  db: Db,
  market: MarketId,
  refused: { readonly ceilingMills: Mills; readonly detail: string; readonly at: Date },
): Promise<boolean> {
  const { before, account } = await change(db, market, refused.at, async (_tx, known) =>
    question(known, refused),
  )
  return account.closedBecause === 'in_question' && before.closedBecause !== 'in_question'
}

/** The market does not serve the account. */
export async function closeAccount(
  db: Db,
  market: MarketId,
  closing: {
    readonly because: 'forbidden' | 'currency'
    readonly detail: string
    readonly at: Date
  },
): Promise<void> {
  await change(db, market, closing.at, async (_tx, known) => close(known, closing))
}

/** What is kept of the account's balance; the account that has more to spend opens by it. */
export async function setReserve(
  tx: Tx,
  market: MarketId,
  { reserveMills, at }: { readonly reserveMills: Mills; readonly at: Date },
): Promise<KeptAccount> {
  return changeIn(tx, market, at, async (_tx, known) => ({ ...known, reserveMills }))
}

const change = (
  db: Db,
  market: MarketId,
  at: Date,
  act: (tx: Tx, known: MarketAccount) => Promise<MarketAccount>,
): Promise<KeptAccount> => db.transaction((tx) => changeIn(tx, market, at, act))

async function changeIn(
  tx: Tx,
  market: MarketId,
  at: Date,
  act: (tx: Tx, known: MarketAccount) => Promise<MarketAccount>,
): Promise<KeptAccount> {
  const before = await lockAccount(tx, market)
  const acted = await act(tx, before)
  // The figures are counted from what is written.
  if (acted !== before) await saveAccount(tx, acted)
  const figures = await readFigures(tx, market)
  const account = judgeCover(acted, figures, at)
  if (account !== acted) await saveAccount(tx, account)
  // Last: nothing slow may come after a change of the catalogue.
  await coverMarket(tx, market, { coverMills: coverOf(account, figures), at })
  return { before, account, figures }
}
