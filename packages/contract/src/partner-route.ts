// A route of the partner interface: which keys may call it, and nothing else beyond what all routes have.
import { type TSchema, Type } from 'typebox'
import { type RouteBase, type WithRefusals, withRefusals } from './route.ts'
import { describe } from './schema.ts'
import type { RouteScope, ScopeOf } from './scopes.ts'

/**
 * `top`: only the key of a partner account itself. `partner`: any key that a partner account or one of its
 * child accounts holds. `any`: every key of this interface.
 */
export type PartnerAccess = 'top' | 'partner' | 'any'

export type PartnerTag =
  | 'Children'
  | 'Health'
  | 'Catalogue'
  | 'Buying'
  | 'Account'
  | 'Wallet'
  | 'Legacy'

export interface PartnerRouteDefinition extends RouteBase {
  readonly access: PartnerAccess
  /** What the key must be allowed. */
  readonly scope: RouteScope
  readonly tag: PartnerTag
}

export type PartnerRoute<Definition extends PartnerRouteDefinition = PartnerRouteDefinition> =
  WithRefusals<Definition>

export const definePartnerRoute = <const Definition extends PartnerRouteDefinition>(
  definition: Definition & { readonly scope: ScopeOf<Definition['method']> },
): PartnerRoute<Definition> => withRefusals<Definition>(definition, ['FORBIDDEN'])

export const PARTNER_KEY_HEADER = 'x-api-key'

/** Of a buy: without it every request is a buy of its own. */
export const OptionalIdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      examples: ['cart-4711'],
      description:
        'A reference of your choice. The same one with the same request returns the first order again.',
    }),
  ),
})

/** What every answer of a v1 route carries beside its data. */
export const Message = Type.String({ description: 'For people, and free to change.' })

/** A response of v1: the fields and `message`. */
export const withMessage = <Fields extends Record<string, TSchema>>(
  title: string,
  fields: Fields,
) =>
  Type.Object(
    { ...fields, message: describe(Message, 'For people, and free to change.') },
    { title },
  )
