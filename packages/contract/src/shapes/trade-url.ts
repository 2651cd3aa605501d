import { type Static, Type } from 'typebox'
import { DateTime, ExternalId, PlatformId, TradeUrlText, Uuid } from '../primitives.ts'

export const TradeUrl = Type.Object(
  {
    id: Uuid,
    url: Type.String(),
    platformId: PlatformId,
    personaName: Type.String(),
    avatarUrl: Type.String(),
    profileUrl: Type.String(),
    isPrimary: Type.Boolean(),
    createdAt: DateTime,
  },
  { title: 'TradeUrl' },
)
export type TradeUrl = Static<typeof TradeUrl>

export const TradeUrls = Type.Array(TradeUrl)
export type TradeUrls = Static<typeof TradeUrls>

export const CreateTradeUrlBody = Type.Object(
  { url: TradeUrlText },
  { title: 'CreateTradeUrlBody', additionalProperties: false },
)
export type CreateTradeUrlBody = Static<typeof CreateTradeUrlBody>

export const UpdateTradeUrlBody = Type.Object(
  {
    isPrimary: Type.Unsafe<true>({
      type: 'boolean',
      const: true,
      description: 'Another trade URL becomes primary only by being named here.',
    }),
  },
  { title: 'UpdateTradeUrlBody', additionalProperties: false },
)
export type UpdateTradeUrlBody = Static<typeof UpdateTradeUrlBody>

export const DeleteTradeUrlResponse = Type.Object(
  { id: Uuid, deleted: Type.Unsafe<true>({ type: 'boolean', const: true }) },
  { title: 'DeleteTradeUrlResponse' },
)
export type DeleteTradeUrlResponse = Static<typeof DeleteTradeUrlResponse>

/** Any text of 1 to 128 characters is well-formed here; what is no id of ours is not found. */
export const TradeUrlParams = Type.Object({ id: ExternalId })
export type TradeUrlParams = Static<typeof TradeUrlParams>
