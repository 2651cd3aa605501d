import { ADDRESS_LIMITS, LIMIT_WINDOW_SECONDS } from '../../limits.ts'
import { BegunChatLink, ChatLink, FinishChatLinkBody } from '../../shapes/dashboard-chat.ts'
import { defineDashboardRoute } from './route.ts'

const CAP = { ...ADDRESS_LIMITS.chatOauth, windowSeconds: LIMIT_WINDOW_SECONDS }

/** A person's account at the chat platform; all but the first are NOT_FOUND where none is configured. */
export const chatRoutes = {
  getChatLink: defineDashboardRoute({
    id: 'getChatLink',
    method: 'GET',
    path: '/dashboard/api/chat',
    capability: 'own_login',
    tag: 'Chat link',
    summary: 'The chat account that is linked to your login',
    response: ChatLink,
    status: 200,
    refusals: [],
  }),
  beginChatLink: defineDashboardRoute({
    id: 'beginChatLink',
    method: 'POST',
    path: '/dashboard/api/chat/link',
    capability: 'own_login',
    tag: 'Chat link',
    summary: 'Begin to link a chat account, by OAuth 2.0 with state and PKCE',
    sensitive: true,
    response: BegunChatLink,
    status: 200,
    cap: CAP,
    refusals: ['NOT_FOUND'],
  }),
  finishChatLink: defineDashboardRoute({
    id: 'finishChatLink',
    method: 'POST',
    path: '/dashboard/api/chat/link/finish',
    capability: 'own_login',
    tag: 'Chat link',
    summary: 'Link the account behind the code with which the browser came back',
    body: FinishChatLinkBody,
    response: ChatLink,
    status: 200,
    cap: CAP,
    refusals: ['NOT_FOUND', 'TOKEN_INVALID', 'CHAT_UNAVAILABLE', 'CHAT_ACCOUNT_TAKEN'],
  }),
  unlinkChat: defineDashboardRoute({
    id: 'unlinkChat',
    method: 'DELETE',
    path: '/dashboard/api/chat',
    capability: 'own_login',
    tag: 'Chat link',
    summary: 'Unlink the chat account',
    sensitive: true,
    response: ChatLink,
    status: 200,
    refusals: ['NOT_FOUND'],
  }),
} as const
