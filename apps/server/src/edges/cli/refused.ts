// What a command says when an operation refuses. The catalogue of errors speaks to callers of the interfaces;
// “not found” means something else for each command.
import { errorEntry } from '@tradepost/contract'
import type { Refusal } from '#kernel/refusal'
import { json } from './table.ts'

const noHeldPayment = (id: string): string => `No payment with the id ${id} waits for an operator.`
const noWithdrawal = (id: string): string => `There is no withdrawal ${id}.`
const noOpenPayment = (id: string): string => `There is no withdrawal ${id} whose payment is open.`
const noAdjustment = (id: string): string => `There is no adjustment ${id}.`
const noMarketAccount = (market: string): string =>
  `${market} has no such account, or a restore has left it without its key.`
const noEndpoint = (): string => 'This account has no endpoint.'

/** By command: what was not there. */
const NOT_FOUND: Readonly<Record<string, (name: string) => string>> = {
  'placing:open': (gate) => `No gate of ${gate} is closed.`,
  'bot:forget': (bot) => `Of bot ${bot} nothing is remembered.`,
  'chain:halt': (chain) => `${chain} is halted already.`,
  'chain:resume': (chain) => `${chain} is not halted.`,
  'chain:name-payment': (chain) =>
    `No balance of this address on ${chain} waits for a payment that names it.`,
  'deposits release': noHeldPayment,
  'deposits refuse': noHeldPayment,
  'deposits explain': (ref) => `No difference is known about ${ref}.`,
  'payouts show': noWithdrawal,
  'payouts release': noWithdrawal,
  'payouts refuse': noWithdrawal,
  'payouts paid': noOpenPayment,
  'payouts unpaid': noOpenPayment,
  'adjust show': noAdjustment,
  'adjust approve': noAdjustment,
  'adjust withdraw': noAdjustment,
  'wallets halt': (wallet) => `There is no open wallet ${wallet}.`,
  'wallets reopen': (wallet) => `There is no halted wallet ${wallet}.`,
  'wallets settle': (hash) => `No payment of ${hash} waits to be settled.`,
  'destinations remove': (address) => `${address} is not in the list.`,
  'webhook:remove': noEndpoint,
  'webhook:rotate': noEndpoint,
  'webhook:test': noEndpoint,
  'webhook:recover': noEndpoint,
  'webhook:resend': (id) => `This account has no delivery ${id}, or its endpoint is removed.`,
  'market:account rotate': noMarketAccount,
  'market:account drain': noMarketAccount,
  'market:account disable': noMarketAccount,
  'market:account enable': noMarketAccount,
  'market:account set': noMarketAccount,
  'key:rotate': (id) =>
    `${id} is no key that can be rotated: \`key:list\` shows those that are active.`,
  'key:revoke': (id) => `There is no key ${id}.`,
  'person:remove-factor': (email) => `${email} is no person with a second factor.`,
}

/** Where to look for what a command takes, by the beginning of its name. */
const LOOK: readonly (readonly [command: string, hint: string])[] = [
  ['deposits', '`deposits list` shows the payments that wait.'],
  ['payouts', '`payouts list` shows the withdrawals that wait; `trade <id>` finds any by an id.'],
  ['adjust', '`adjust list --state all` shows all adjustments.'],
  ['wallets', '`wallets list` shows the wallets and what is to be settled.'],
  ['destinations', '`destinations list` shows those that there are.'],
  ['chain', '`chains` shows the chains.'],
  ['placing', '`market-health` shows which gates are closed.'],
  ['market', '`market:account list` shows our accounts.'],
  ['webhook', '`webhook:list` shows the endpoints, `webhook:deliveries` the newest deliveries.'],
  ['key', '`key:list` shows the keys of the account.'],
  ['account', '`trade <id>` finds an account by its id, e-mail or name.'],
  ['', '`trade <id>` says what an id leads to.'],
]

const lookFor = (command: string): string =>
  LOOK.find(([beginning]) => command.startsWith(beginning))?.[1] ?? ''

/** Of VALIDATION_FAILED. */
interface InputError {
  readonly message: string
}

/** One sentence: of the command where it has one, else of the catalogue, with the details that there are. */
export function refusedSentence(
  { key, details = {} }: Refusal,
  { command, argument }: { readonly command: string; readonly argument: string },
): string {
  if (key.endsWith('NOT_FOUND')) {
    const missing =
      NOT_FOUND[command]?.(argument) ?? `${command} found nothing under “${argument}” (${key}).`
    return `${missing} ${lookFor(command)}`
  }
  const { errors } = details as { readonly errors?: readonly InputError[] }
  if (errors !== undefined) {
    return `Refused: ${key} ${errors.map(({ message }) => message).join(' ')}`
  }
  const { message } = errorEntry(key)
  const shown = Object.keys(details).length === 0 ? '' : ` ${json(details)}`
  return `Refused: ${key} ${message}${shown}`
}
