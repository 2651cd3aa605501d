// What a command has to work with, and the accounts that its options name.
import { hostname, userInfo } from 'node:os'
import type { Actor } from '#audit'
import { type AccountSummary, findAccountsNamed, findMerchantId } from '#identity'
import type { Clock } from '#infra/process/clock'
import type { Tools } from './tools.ts'

export interface Context extends Tools {
  readonly clock: Clock
  /** The person whose acts these are: the user of the operating system. */
  readonly actor: Actor
  readonly ask: Ask
  readonly readInput: ReadInput
}

/** All of standard input, to its end; null while that is a terminal. */
export type ReadInput = () => Promise<string | null>

/** Shows a question and returns the line that is typed. */
export type Ask = (question: string) => Promise<string>

/** Arguments that are each of the right form and do not go together: exit code 2. */
export class Usage extends Error {}

export const usage = (problem: string): never => {
  throw new Usage(problem)
}

/** The arguments are right, and what they ask for cannot be done: exit code 1. */
export const fail = (problem: string): never => {
  throw new Error(problem)
}

export const currentOperator = (): Actor => ({
  kind: 'operator',
  id: userInfo().username,
  request: { host: hostname() },
})

/** `--account` names a merchant, partner or child; `--merchant` a merchant; without either, the only one. */
export interface Named {
  readonly merchant?: string
  readonly account?: string
}

/** An account that holds keys and has an endpoint. */
export interface KeyHolder {
  readonly id: string
  readonly kind: 'merchant' | 'partner' | 'child'
}

export async function keyHolderOf(context: Context, named: Named): Promise<KeyHolder> {
  if (named.account !== undefined) {
    const { id, kind } = await findAccountOf(context, named.account)
    if (kind === 'merchant' || kind === 'partner' || kind === 'child') return { id, kind }
    return fail(`a ${kind} holds no keys`)
  }
  return { id: await merchantOf(context, named), kind: 'merchant' }
}

/** `--merchant` names it; without, the only one. */
export async function merchantOf(
  { db }: Context,
  { merchant }: Pick<Named, 'merchant'>,
): Promise<string> {
  const merchantId = await findMerchantId(db, merchant ?? null)
  if (merchantId !== null) return merchantId
  if (merchant === undefined) return usage('name one merchant with --merchant <id or e-mail>')
  return fail(`there is no merchant “${merchant}”: \`trade <id or e-mail>\` says what it leads to`)
}

/** By id, by the e-mail of an account that can log in, or by a name that only one account has. */
export async function findAccountOf({ db }: Context, reference: string): Promise<AccountSummary> {
  const [account, another] = await findAccountsNamed(db, reference)
  if (another) return fail(`several accounts are called ${reference}: give the id of one`)
  return account ?? fail(`there is no account ${reference}`)
}
