// Operations of the merchant interface, called by a person for the merchant's own account: the same rules
// and answers as by key.
import type { merchantRoutes } from '@tradepost/contract'
import { refuse } from '#kernel/refusal'
import type { Operation, OperationRequest, RouteShape } from '../../shared/operation.ts'
import type { Caller, Tenant, TradingAccount, TradingCaller } from '../../shared/principal.ts'
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
  | 'getMerchantFees'
  | 'getMerchantLimits'
  | 'listMerchantEvents'
  | 'getMerchantEvent'
  | 'searchMarket'
  | 'getItem'
  | 'getItemHistory'
  | 'issueWsToken'
  | 'listItemListings'
>
export type MerchantWrites = Of<
  | 'createSubUser'
  | 'updateSubUser'
  | 'deleteSubUser'
  | 'suspendSubUser'
  | 'reactivateSubUser'
  | 'fundSubUser'
  | 'defundSubUser'
  | 'transferEarnings'
>

export interface AsMerchantDeps {
  /** The merchant's own account when `reference` is null. */
  resolveAccount(merchant: Tenant, reference: string | null): Promise<TradingAccount | null>
}

/** A person of a merchant as a caller of the merchant interface. Others are refused with FORBIDDEN. */
export async function merchantCaller(
  { resolveAccount }: AsMerchantDeps,
  {
    account,
    session,
    requestId,
    origin,
    confirm,
  }: Pick<LoggedIn, 'account' | 'session' | 'requestId' | 'origin' | 'confirm'>,
): Promise<TradingCaller> {
  if (account.kind !== 'merchant') return refuse('FORBIDDEN')
  const { id, currency, tier } = account
  const tenant = { id, currency }
  const acting = await resolveAccount(tenant, null)
  if (acting === null) return refuse('FORBIDDEN')
  // Caps are counted by key; a person has none, and is limited by the dashboard itself.
  const holder = { tenant, keyId: id, tier, permissions: NO_PERMISSIONS }
  return {
    ...{ ...holder, requestId, address: () => origin.address, account: acting, confirm },
    session: { sessionId: session.id, personId: session.person.id },
  }
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
