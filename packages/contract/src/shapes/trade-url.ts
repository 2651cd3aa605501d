import { type Static, Type } from 'typebox'
import { DateTime, ExternalId, PlatformId, TradeUrlText, Uuid } from '../primitives.ts'
import { withExample } from '../schema.ts'

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
  {
    title: 'CreateTradeUrlBody',
    examples: [
      { url: 'https://steamcommunity.com/tradeoffer/new/?partner=39734273&token=accept00' },
    ],
    additionalProperties: false,
  },
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
  { title: 'UpdateTradeUrlBody', examples: [{ isPrimary: true }], additionalProperties: false },
)
export type UpdateTradeUrlBody = Static<typeof UpdateTradeUrlBody>

export const DeleteTradeUrlResponse = Type.Object(
  { id: Uuid, deleted: Type.Unsafe<true>({ type: 'boolean', const: true }) },
  { title: 'DeleteTradeUrlResponse' },
)
export type DeleteTradeUrlResponse = Static<typeof DeleteTradeUrlResponse>

/** Any text of 1 to 128 characters is well-formed here; what is no id of ours is not found. */
export const TradeUrlParams = Type.Object({
  id: withExample(ExternalId, '019b2c3d-4e5f-7a6b-8c7d-9e0f1a2b3c4d'),
})
export type TradeUrlParams = Static<typeof TradeUrlParams>
