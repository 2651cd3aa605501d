// Calls for the session's own account, or the same for one of its children.
import type { ChildAccountRouteId } from '@tradepost/contract'
import { type Answer, call, type Request } from './call.ts'

/** `childId` undefined: the own account. */
export function callFor<Id extends ChildAccountRouteId>(
  childId: string | undefined,
  id: Id,
  request: Request<Id>,
): Promise<Answer<Id>> {
  if (childId === undefined) return call(id, request)
  const { params, ...rest } = request as { readonly params?: Readonly<Record<string, string>> }
  const ofChild = { ...rest, params: { ...params, childId } }
  return call(`${id}OfChild`, ofChild as never) as Promise<Answer<Id>>
}
