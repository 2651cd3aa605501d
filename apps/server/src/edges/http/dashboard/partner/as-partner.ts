// Operations of the partner interface, called by a person of the partner: the same rules and answers as by
// the partner's own key, each change with its audit row.
import type { partnerRoutes } from '@tradepost/contract'
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { refuse } from '#kernel/refusal'
import type { Operation, OperationRequest, RouteShape } from '../../shared/operation.ts'
import type { ActingPartnerAccount, PartnerCaller } from '../../shared/principal.ts'
import { type AuditedAct, audited } from '../audited.ts'
import {
  type DashboardOperation,
  type DashboardRouteShape,
  type LoggedIn,
  operation,
} from '../operation.ts'

export type PartnerWrites = {
  readonly [Id in 'createChild' | 'transferToChild']: Operation<
    PartnerCaller,
    (typeof partnerRoutes)[Id]
  >
}

export interface AsPartnerDeps {
  readonly db: Db
  readonly clock: Clock
  resolvePartner(accountId: string): Promise<ActingPartnerAccount | null>
  /** The operations that change something, on the database that is given. */
  writes(db: Db): PartnerWrites
}

/** Refuses FORBIDDEN for a person of any other kind of account. */
export const partnerIdOf = ({ account }: Pick<LoggedIn, 'account'>): string =>
  account.kind === 'partner' ? account.id : refuse('FORBIDDEN')

async function partnerCaller(
  { resolvePartner }: AsPartnerDeps,
  caller: LoggedIn,
): Promise<PartnerCaller> {
  const id = partnerIdOf(caller)
  const account = (await resolvePartner(id)) ?? refuse('FORBIDDEN')
  const { tier, currency } = caller.account
  // Caps are counted by key; a person has none, and is limited by the dashboard itself.
  const holder = { tenant: { id, currency }, keyId: id, tier, permissions: NO_PERMISSIONS }
  const { requestId, confirm } = caller
  return { ...holder, requestId, account, confirm }
}

/** What the operations themselves never look at: the dashboard has checked its own. */
const NO_PERMISSIONS: ReadonlySet<string> = new Set()

type SameShapes<P extends RouteShape> = DashboardRouteShape & Pick<P, 'body' | 'response'>

/** A route of the dashboard that takes and answers exactly what the partner interface does. */
export const asPartner = <P extends RouteShape, D extends SameShapes<P>>(
  deps: AsPartnerDeps,
  route: D,
  pick: (writes: PartnerWrites) => Operation<PartnerCaller, P>,
  act: (body: Readonly<Record<string, unknown>>) => AuditedAct,
): DashboardOperation<D> =>
  operation(route, async (typed) => {
    const request = typed as unknown as OperationRequest<RouteShape, LoggedIn>
    const { body } = request as unknown as { readonly body: Readonly<Record<string, unknown>> }
    const caller = await partnerCaller(deps, request.caller)
    const inner = pick(deps.writes(audited(deps, request.caller.actor, () => act(body))))
    return (await inner.handle({ ...request, caller })) as never
  })
