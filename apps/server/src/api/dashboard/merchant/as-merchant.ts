// Operations of the merchant interface, called by a person for the merchant's own account: the same rules
// and answers as by key. A change leaves an audit row for the person, in the commit of the change.
import type { merchantRoutes } from '@tradepost/contract'
import { type Act, type Actor, recordAct } from '#audit'
import type { Clock } from '#infra/clock'
import type { Db } from '#infra/db'
import { refuse } from '#kernel/refusal'
import type { Operation, OperationRequest, RouteShape } from '../../shared/operation.ts'
import type { ActingAccount, Caller, Tenant } from '../../shared/principal.ts'
import {
  type DashboardOperation,
  type DashboardRouteShape,
  type LoggedIn,
  operation,
} from '../operation.ts'

type Routes = typeof merchantRoutes
type Of<Id extends keyof Routes> = { readonly [K in Id]: Operation<Caller, Routes[K]> }

export type MerchantReads = Of<
  | 'listMerchantTrades'
  | 'listMerchantWallets'
  | 'listMerchantLedger'
  | 'getMerchantFees'
  | 'getMerchantLimits'
  | 'listMerchantEvents'
  | 'getMerchantEvent'
  | 'searchMarket'
  | 'getSubUser'
  | 'listSubUserLedger'
>
export type MerchantWrites = Of<
  | 'createSubUser'
  | 'suspendSubUser'
  | 'reactivateSubUser'
  | 'fundSubUser'
  | 'defundSubUser'
  | 'transferEarnings'
>

export interface AsMerchantDeps {
  /** The merchant's own account when `reference` is null. */
  resolveAccount(merchant: Tenant, reference: string | null): Promise<ActingAccount | null>
}

/** A person of a merchant as a caller of the merchant interface. Others are refused with FORBIDDEN. */
export async function merchantCaller(
  { resolveAccount }: AsMerchantDeps,
  { account, requestId }: Pick<LoggedIn, 'account' | 'requestId'>,
): Promise<Caller> {
  if (account.kind !== 'merchant') return refuse('FORBIDDEN')
  const { id, currency, tier } = account
  const tenant = { id, currency }
  const acting = await resolveAccount(tenant, null)
  if (acting === null) return refuse('FORBIDDEN')
  // Caps are counted by key; a person has none, and is limited by the dashboard itself.
  return { tenant, keyId: id, tier, requestId, account: acting, permissions: NO_PERMISSIONS }
}

/** What the operations themselves never look at: the dashboard has checked its own. */
const NO_PERMISSIONS: ReadonlySet<string> = new Set()

type SameAnswer<M extends RouteShape> = DashboardRouteShape & Pick<M, 'response'>

/** A route of the dashboard that answers exactly what the merchant interface does. */
export const asMerchant = <M extends RouteShape, D extends SameAnswer<M>>(
  deps: AsMerchantDeps,
  route: D,
  inner: Operation<Caller, M>,
): DashboardOperation<D> =>
  operation(
    route,
    async (request) =>
      (await inner.handle({
        ...(request as unknown as OperationRequest<RouteShape, LoggedIn>),
        caller: await merchantCaller(deps, request.caller),
      })) as never,
  )

/** What was done, from the request: its subject and facts without secrets. */
export interface AuditedAct {
  readonly act: string
  readonly subject: Act['subject']
  readonly facts: Act['facts']
}

/**
 * A database whose transactions record the act before they commit. A replay, which changes nothing, records
 * nothing.
 */
export const audited = (
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  actor: Actor,
  act: AuditedAct,
): Db => ({
  ...db,
  transaction: (work) =>
    db.transaction(async (tx) => {
      const result = await work(tx)
      const isReplay = (result as { replayed?: boolean } | null)?.replayed === true
      if (!isReplay) await recordAct(tx, { ...act, actor, at: clock.now() })
      return result
    }),
})
