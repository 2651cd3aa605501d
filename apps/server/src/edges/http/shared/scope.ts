// Whether a key may call a route.
import { Refusal } from '#kernel/refusal'
import type { RouteShape } from './operation.ts'
import type { Principal } from './principal.ts'

/** Refuses FORBIDDEN with the scope that the key of the caller lacks. */
export function refuseMissingScope({ scopes }: Principal, { scope }: RouteShape): void {
  if (!scopes || scope === undefined || scope === 'none' || scopes.has(scope)) return
  throw new Refusal('FORBIDDEN', { requiredScope: scope })
}
