// The link to an account at a chat platform.
import { type Static, Type } from 'typebox'
import { describe, nullable } from '../schema.ts'
import { ChatAccount } from './partner/account.ts'

export const ChatLink = Type.Object(
  {
    available: describe(Type.Boolean(), 'False where no chat platform is configured.'),
    account: nullable(ChatAccount),
  },
  { title: 'ChatLink' },
)
export type ChatLink = Static<typeof ChatLink>

export const BegunChatLink = Type.Object(
  {
    authorizationUrl: describe(
      Type.String(),
      'Where the browser goes. It comes back to `/dashboard/chat` with `code` and `state`, within ten minutes.',
    ),
  },
  { title: 'BegunChatLink' },
)

export const FinishChatLinkBody = Type.Object(
  {
    state: Type.String({ minLength: 1, maxLength: 128 }),
    code: Type.String({ minLength: 1, maxLength: 512 }),
  },
  { title: 'FinishChatLinkBody' },
)
