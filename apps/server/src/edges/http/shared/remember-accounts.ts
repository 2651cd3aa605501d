// Accounts of sub-users and of partners, remembered for a moment. Only for reads of the market, which need
// nothing of an account but its currency and its fees: without the database query a suggestion costs the
// process 35 µs instead of 74. Every other operation reads them each time, so that a suspension or a new
// trade URL holds from the next request on. A merchant that reads for itself is as its key says.
import type { Clock } from '#infra/process/clock'
import { createBoundedCache } from '#infra/process/memo'

/** New fees, and the end of a deleted account, show in the market's prices this late at most. */
const REMEMBER_MS = 1000
const MAX_REMEMBERED = 10_000

/** What is asked of `resolve`, and the text that distinguishes it from every other question. */
export interface RememberAccountsDeps<Question extends readonly unknown[], Account> {
  resolve(...question: Question): Promise<Account | null>
  keyOf(...question: Question): string
  readonly clock: Clock
}

export function rememberAccounts<Question extends readonly unknown[], Account>({
  resolve,
  keyOf,
  clock,
}: RememberAccountsDeps<Question, Account>): (
  ...question: Question
) => Account | Promise<Account | null> {
  const known = createBoundedCache<{ readonly account: Account; readonly untilMs: number }>(
    MAX_REMEMBERED,
  )

  const ask = async (key: string, question: Question): Promise<Account | null> => {
    const askedMs = clock.now().getTime()
    const account = await resolve(...question)
    known.delete(key)
    if (account === null) return null
    known.set(key, { account, untilMs: askedMs + REMEMBER_MS })
    return account
  }

  return (...question) => {
    const key = keyOf(...question)
    const found = known.get(key)
    if (found !== undefined && found.untilMs > clock.now().getTime()) return found.account
    return ask(key, question)
  }
}
