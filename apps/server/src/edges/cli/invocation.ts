// What was asked on the command line, and how wrong arguments are answered.
import { hostname, userInfo } from 'node:os'
import { parseArgs } from 'node:util'
import { isEmail } from '@tradepost/contract'
import type { Actor } from '#audit'
import { type AccountSummary, findAccountsNamed, findMerchantId } from '#identity'
import type { Clock } from '#infra/process/clock'
import type { MarketId } from '#kernel/market-id'
import type { Tools } from './tools.ts'

export interface Invocation {
  readonly command: string
  readonly argument: string | undefined
  /** What comes after the argument, for commands that have commands of their own. */
  readonly more: readonly string[]
  readonly options: Options
}

export interface Context extends Invocation, Tools {
  readonly clock: Clock
  readonly markets: readonly MarketId[]
  /** The person whose acts these are: the user of the operating system. */
  readonly actor: Actor
  readonly ask: Ask
}

/** Shows a question and returns the line that is typed. */
export type Ask = (question: string) => Promise<string>

export type Command = (context: Context) => Promise<string>

const OPTIONS = {
  merchant: { type: 'string' },
  overlap: { type: 'string' },
  status: { type: 'string' },
  since: { type: 'string' },
  reason: { type: 'string' },
  state: { type: 'string' },
  kind: { type: 'string' },
  by: { type: 'string' },
  subject: { type: 'string' },
  actor: { type: 'string' },
  account: { type: 'string' },
  name: { type: 'string' },
  currency: { type: 'string' },
  tier: { type: 'string' },
  fee: { type: 'string' },
  'buy-fee': { type: 'string' },
  'sell-fee': { type: 'string' },
  'child-fee': { type: 'string' },
  default: { type: 'string' },
  allow: { type: 'string' },
  wallet: { type: 'string' },
  reference: { type: 'string' },
  role: { type: 'string' },
  as: { type: 'string' },
  yes: { type: 'boolean' },
  json: { type: 'boolean' },
  buying: { type: 'string' },
  least: { type: 'string' },
  most: { type: 'string' },
  share: { type: 'string' },
  waiting: { type: 'string' },
  discount: { type: 'string' },
  price: { type: 'string' },
  token: { type: 'string' },
  units: { type: 'string' },
  phase: { type: 'string' },
  refuse: { type: 'boolean' },
  clear: { type: 'boolean' },
  address: { type: 'string' },
  hash: { type: 'string' },
  nonce: { type: 'string' },
  id: { type: 'string' },
} as const

export type Options = {
  readonly [Name in keyof typeof OPTIONS]?:
    | ((typeof OPTIONS)[Name]['type'] extends 'boolean' ? boolean : string)
    | undefined
}

/** Wrong arguments; the answer is the reason and the usage of the command. */
export class Usage extends Error {}

export const usage = (problem: string): never => {
  throw new Usage(problem)
}

/** Commands with commands of their own, such as `cases show <id>`. */
const NESTED = ['cases', 'selling', 'adjust', 'payouts', 'wallets', 'destinations', 'deposits']

export function readInvocation(args: readonly string[]): Invocation {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: OPTIONS,
    })
    const [command = '', argument, ...more] = positionals
    const most = NESTED.includes(command) ? 1 : 0
    if (more.length > most) return usage(`unexpected argument “${more.slice(most).join(' ')}”`)
    return { command, argument, more, options: values }
  } catch (error) {
    return usage(error instanceof Error ? error.message : 'bad arguments')
  }
}

export const currentOperator = (): Actor => ({
  kind: 'operator',
  id: userInfo().username,
  request: { host: hostname() },
})

/** The reason of an act, which its audit entry keeps. */
export const reasonOf = ({ command, options }: Invocation): string =>
  options.reason?.trim() || usage(`${command} needs --reason`)

/** The address that a command names, in the form that the interfaces take. */
export function emailOf({ command, argument }: Invocation): string {
  if (argument === undefined) return usage(`${command} needs an e-mail address`)
  return isEmail(argument) ? argument : usage(`“${argument}” is no e-mail address`)
}

/** An account that holds keys and has an endpoint. */
export interface KeyHolder {
  readonly id: string
  readonly kind: 'merchant' | 'partner' | 'child'
}

/** `--account` names a merchant, partner or child; `--merchant` a merchant; without either, the only one. */
export async function keyHolderOf(context: Context): Promise<KeyHolder> {
  const { options } = context
  if (options.account !== undefined) {
    const { id, kind } = await findAccountOf(context, options.account)
    if (kind === 'merchant' || kind === 'partner' || kind === 'child') return { id, kind }
    return usage(`a ${kind} holds no keys`)
  }
  return { id: await merchantOf(context), kind: 'merchant' }
}

/** `--merchant` names it; without, the only one. */
export async function merchantOf({ db, options }: Context): Promise<string> {
  const merchantId = await findMerchantId(db, options.merchant ?? null)
  const problem =
    options.merchant === undefined
      ? 'name one merchant with --merchant <id or e-mail>'
      : `there is no merchant “${options.merchant}”: \`trade <id or e-mail>\` says what it leads to`
  return merchantId ?? usage(problem)
}

/** By id, by the e-mail of an account that can log in, or by a name that only one account has. */
export async function findAccountOf(
  { db }: Context,
  reference: string | undefined,
): Promise<AccountSummary> {
  if (reference === undefined) return usage('name an account by its id, e-mail or name')
  const [account, another] = await findAccountsNamed(db, reference)
  if (another) return usage(`several accounts are called ${reference}: give the id of one`)
  return account ?? usage(`there is no account ${reference}`)
}

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
