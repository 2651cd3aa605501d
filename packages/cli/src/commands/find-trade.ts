// Which trade an id means: its own, or that of something that belongs to it.
import type { Cli, CommonOptions } from '../cli.ts'
import type { Environment } from '../environment.ts'
import { eventSubject } from '../event-subject.ts'
import { CommandError, EXIT, usageError } from '../failure.ts'
import { type Trade, type Tradepost, TradepostError } from '../sdk.ts'

interface Wanted {
  readonly environment: Environment
  readonly tradepost: Tradepost
  readonly id: string
  readonly signal: AbortSignal
}

type Finder = (wanted: Wanted) => Promise<readonly Trade[]>

/** By its id or else by its external id. */
const NAMED: readonly Finder[] = [byId, byExternalId]
/** ... or by what belongs to it. */
const WITHIN: readonly Finder[] = [byEvent, byItem, byOffer]

/** The trade, and the transactions of the account that owns it: the merchant, or a sub-user. */
export async function findTrade(
  { environment, session }: Cli,
  id: string,
  options: CommonOptions,
  { within = false }: { readonly within?: boolean } = {},
) {
  const { tradepost } = session(options)
  const { signal } = environment
  const wanted = { environment, tradepost, id, signal }
  for (const find of within ? [...NAMED, ...WITHIN] : NAMED) {
    const [trade, ...others] = await find(wanted)
    if (trade === undefined) continue
    if (others.length > 0) {
      throw usageError(
        `${others.length + 1} trades of different users have this external id: name one by its id.`,
        ...[trade, ...others].map((one) => `${one.id} of ${one.userId}`),
      )
    }
    const merchant = await tradepost.merchant.get({ signal })
    const { transactions } = trade.userId === merchant.id ? tradepost : tradepost.as(trade.userId)
    return { trade, transactions }
  }
  const message = within
    ? `There is no trade with the id, external id, item, offer or event ${id}.`
    : `There is no trade with the id or external id ${id}.`
  throw new CommandError(message, EXIT.refused, within ? [await whatElse(wanted)] : [])
}

async function byId({ tradepost, id, signal }: Wanted): Promise<readonly Trade[]> {
  const trade = await answerOr(tradepost.trades.get(id, { signal }))
  return trade === null ? [] : [trade]
}

async function byExternalId({ tradepost, id, signal }: Wanted): Promise<readonly Trade[]> {
  return (await tradepost.trades.list({ externalId: id, limit: 20 }, { signal })).trades
}

async function byOffer({ tradepost, id, signal }: Wanted): Promise<readonly Trade[]> {
  if (!/^\d+$/.test(id)) return []
  return (await tradepost.trades.list({ offerId: id, limit: 1 }, { signal })).trades
}

async function byEvent(wanted: Wanted): Promise<readonly Trade[]> {
  const { tradepost, id, signal } = wanted
  if (!UUID.test(id)) return []
  const event = await answerOr(tradepost.events.get(id, { signal }))
  if (event === null || !('trade' in event.data)) return []
  return byId({ ...wanted, id: event.data.trade.id })
}

/** An item is made with its trade, and its id (UUIDv7) begins with the moment: no list is by item. */
async function byItem({ tradepost, id, signal }: Wanted): Promise<readonly Trade[]> {
  if (!UUID.test(id) || id[14] !== '7') return []
  const madeMs = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
  const around = (ms: number): string => new Date(madeMs + ms).toISOString()
  const range = { from: around(-30_000), to: around(30_000), limit: 100 }
  let looked = 0
  for await (const trade of tradepost.trades.list(range, { signal })) {
    if (trade.items.some((item) => item.id === id.toLowerCase())) return [trade]
    if (++looked === MOST_LOOKED) break
  }
  return []
}

/** Trades of one minute that are looked through for an item. */
const MOST_LOOKED = 2000
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** What a key of the merchant interface finds under the id that is no trade's. */
async function whatElse({ environment, tradepost, id, signal }: Wanted): Promise<string> {
  const { commandLine } = environment
  const options = { signal }
  if (/^\d+$/.test(id) && (await answerOr(tradepost.market.listing(id, options)))) {
    return 'It is a listing that is for sale.'
  }
  if (/^[0-9a-f]{16}$/.test(id) && (await answerOr(tradepost.market.item(id, options)))) {
    return `It is an item of the catalogue: ${commandLine(`listings ${id}`)}`
  }
  if (UUID.test(id)) {
    const event = await answerOr(tradepost.events.get(id, options))
    if (event !== null) {
      const { kind, id: subjectId } = eventSubject(event)
      if (kind === 'service') return `It is an event of the service: ${commandLine('status')}`
      const show = kind === 'deposit' ? 'deposits show' : 'payouts status'
      return `It is an event of a ${kind}: ${commandLine(`${show} ${subjectId}`)}`
    }
    if (await answerOr(tradepost.payouts.get(id, options))) {
      return `It is a withdrawal: ${commandLine(`payouts status ${id}`)}`
    }
    if (await answerOr(tradepost.deposits.get(id, options))) {
      return `It is a deposit: ${commandLine(`deposits show ${id}`)}`
    }
    if (await answerOr(tradepost.users.get(id, options))) {
      return `It is a sub-user: ${commandLine(`trades list --user ${id}`)}`
    }
  }
  return 'A listing that was sold, a request or a supplier’s order is found by the operator: ops trade <id>'
}

/** Null when nothing has that id, or the text cannot be one. */
const answerOr = <Answer>(answer: Promise<Answer>): Promise<Answer | null> =>
  answer.catch((error: unknown) => {
    if (error instanceof TradepostError && NOT_THERE.has(error.status)) return null
    throw error
  })

const NOT_THERE: ReadonlySet<number> = new Set([404, 422])
