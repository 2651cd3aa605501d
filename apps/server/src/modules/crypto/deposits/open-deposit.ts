// Creating a deposit at a provider: the row under our id is committed first, then the provider is called
// once, while no worker looks for the order yet. After a lost answer the order is looked up under the same
// id, here once and by the worker until it is sure.

import { accountRefusal } from '#identity'
import { gathered } from '#infra/database/batch'
import { type Db, isBusy, isConnectionLoss, sqlDetail, sqlState, type Tx } from '#infra/database/db'
import { createBeginLease } from '#infra/database/leases'
import { guardOfLease, type SendGuard } from '#infra/jobs/send-guard'
import type { Clock } from '#infra/process/clock'
import type { SecretBox } from '#infra/process/secrets'
import { assertDefined } from '#kernel/assert'
import type { Currency } from '#kernel/money'
import { Refusal, refuse } from '#kernel/refusal'
import type { FailureReason } from './deposit.ts'
import type { OrderDetails } from './order-details.ts'
import type { Placed } from './placed.ts'
import type { CallContext, CreateAnswer, OrderRefusal, Read } from './ports.ts'
import type { Quote } from './quote-token.ts'
import {
  beginListing,
  insertDeposits,
  lockDeposit,
  moveDeposit,
  type NewDeposit,
} from './store/deposits.ts'
import { endOrder, type PlacedDeposit, placeOrders, type TakenOrder } from './store/orders.ts'

export interface DepositorDeps {
  readonly db: Db
  readonly clock: Clock
  readonly secrets: Pick<SecretBox, 'seal' | 'open'>
  /** US dollars for one euro in millionths; refuses SERVICE_DISABLED when it is too old. */
  currentRate(): Promise<bigint>
  /** How often an order that is not final is looked at. */
  readonly pollMs: number
}

/** The account that a deposit is for. */
export interface Depositor {
  readonly accountId: string
  readonly tenantId: string
  readonly currency: Currency
}

export type OpenedDeposit = PlacedDeposit

/** Of a person's request: written in the commit of the deposit, for the audit log. */
export type RecordDeposit = (tx: Tx, depositId: string, at: Date) => Promise<void>

export interface DepositContext extends CallContext {
  readonly record?: RecordDeposit
}

type AvoidableRefusal = Exclude<OrderRefusal, 'rejected'>

export interface ProviderCall {
  readonly quote: Quote
  readonly chain: string | null
  readonly details: OrderDetails
  readonly expiresAt: Date
  readonly record: RecordDeposit | undefined
  create(depositId: string, guard: SendGuard): Promise<CreateAnswer<Placed>>
  /** What the caller may know of a refusal that another request can avoid. */
  refusalDetailsOf(
    because: AvoidableRefusal,
  ): Promise<Readonly<Record<string, unknown>> | undefined>
  /** Null where a look-up does not show what the payer needs. */
  readonly find: ((depositId: string) => Promise<Read<Placed | 'absent'>>) | null
}

/**
 * Until then the order is this process's to make: only then does a worker look for one whose answer was
 * lost. Longer than the deadline of the call.
 */
const FIRST_LOOK_MS = 30_000

export type OpenDeposit = (depositor: Depositor, call: ProviderCall) => Promise<OpenedDeposit>

/** What comes at the same time is written in one commit, before the calls and after them. */
export function createOpenDeposit({
  db,
  clock,
  pollMs,
}: Pick<DepositorDeps, 'db' | 'clock' | 'pollMs'>): OpenDeposit {
  const insert = gathered({
    // A refusal breaks up its batch: a tenant's own.
    keyOf: ({ tenantId }: NewDeposit) => tenantId,
    isOfTenant: true,
    write: (deposits) => insertDeposits(db, deposits),
  })
  const place = gathered({
    keyOf: (_: TakenOrder) => 'placed',
    write: (orders) => placeOrders(db, orders),
  })

  const beginLease = createBeginLease({ db, clock })

  return async (depositor, call) => {
    const { accountId } = depositor
    const lease = await beginLease(FIRST_LOOK_MS)
    const at = clock.now()
    const lookAt = new Date(at.getTime() + FIRST_LOOK_MS)
    const intent = intentOf(depositor, call, { at, lookAt })
    const { record } = call
    const written = record ? insertRecorded(db, intent, record) : insert(intent)
    const id = await written.catch((error) => {
      throw usedQuote(error) ?? accountRefusal(error) ?? error
    })
    const answer = await call.create(id, guardOfLease(lease))
    const finish = async (): Promise<OpenedDeposit> => {
      if (answer.kind === 'refused' || answer.kind === 'not-sent') {
        const because = answer.kind === 'refused' ? answer.because : answer.kind
        await giveUp(db, id, because, clock.now())
        const details =
          because === 'rejected' || because === 'not-sent'
            ? undefined
            : await call.refusalDetailsOf(because)
        return refuse(REFUSALS[because], { ...details, depositId: id })
      }
      const placed = answer.kind === 'created' ? answer.order : await lookOnce(call, id)
      if (placed === null) return refuse('GATEWAY_UNAVAILABLE', { depositId: id })
      const now = clock.now()
      const look = { first: lookAt, next: new Date(now.getTime() + pollMs) }
      return place({ depositId: id, accountId, placed, at: now, look })
    }
    // The deposit is there, though no list has it: a worker looks its order up.
    return finish().catch((error) => {
      if (!isBusy(error) && !isConnectionLoss(error)) throw accountRefusal(error) ?? error
      return refuse('GATEWAY_UNAVAILABLE', { depositId: id })
    })
  }
}

/** A person's is written alone, with its entry of the audit log. */
const insertRecorded = (db: Db, intent: NewDeposit, record: RecordDeposit): Promise<string> =>
  db.transaction(async (tx) => {
    const [inserted] = await insertDeposits(tx, [intent])
    const id = assertDefined(inserted, 'the id of a new deposit')
    await record(tx, id, intent.at)
    return id
  })

function intentOf(
  depositor: Depositor,
  { quote, chain, details, expiresAt }: ProviderCall,
  times: Pick<NewDeposit, 'at' | 'lookAt'>,
): NewDeposit {
  const { method, token, payAmount, payUsd, receiveUsd, receiveAmount, usdPerToken, feeBps } = quote
  const { accountId, tenantId, currency } = depositor
  return {
    ...{ method, token, chain, payAmount, payUsd, receiveUsd, receiveAmount, usdPerToken, feeBps },
    ...{ accountId, tenantId, currency, quoteId: quote.id, details, expiresAt, ...times },
  }
}

/** A quote is used once; the caller may read what came of the first use. */
function usedQuote(error: unknown): Refusal | null {
  if (sqlState(error) !== 'PT410') return null
  const depositId = sqlDetail(error)
  return new Refusal('QUOTE_INVALID', depositId ? { depositId } : undefined)
}

async function lookOnce(call: ProviderCall, id: string): Promise<Placed | null> {
  const read = await call.find?.(id)
  return read?.kind === 'read' && read.value !== 'absent' ? read.value : null
}

const REASONS = {
  'not-sent': 'provider_unavailable',
  rejected: 'provider_refused',
  amount_out_of_range: 'amount_out_of_range',
  chain_unsupported: 'chain_unsupported',
} as const satisfies Record<OrderRefusal | 'not-sent', FailureReason>

const REFUSALS = {
  'not-sent': 'GATEWAY_UNAVAILABLE',
  rejected: 'GATEWAY_UNAVAILABLE',
  amount_out_of_range: 'DEPOSIT_AMOUNT_OUT_OF_RANGE',
  chain_unsupported: 'DEPOSIT_CHAIN_UNSUPPORTED',
} as const satisfies Record<OrderRefusal | 'not-sent', string>

/** The order certainly does not exist: the deposit fails. */
async function giveUp(
  db: Db,
  id: string,
  because: OrderRefusal | 'not-sent',
  at: Date,
): Promise<void> {
  await db.transaction(async (tx) => {
    const deposit = await lockDeposit(tx, id)
    const isEnded = await endOrder(tx, id, 'refused', null)
    // What another request can avoid is shown; of a provider that is away nothing is.
    if (REFUSALS[because] !== 'GATEWAY_UNAVAILABLE') await beginListing(tx, id)
    if (isEnded && deposit?.status === 'initiated') {
      await moveDeposit(tx, id, { to: 'failed', reason: REASONS[because] }, at)
    }
  })
}
