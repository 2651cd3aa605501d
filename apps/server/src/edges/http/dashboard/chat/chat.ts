// The link to a person's account at a chat platform.
import { type ChatLink, dashboardRoutes } from '@tradepost/contract'
import { refuse } from '#kernel/refusal'
import {
  beginChatLink,
  type ChatPlatform,
  findChatLink,
  finishChatLink,
  type PeopleDeps,
  unlinkChat,
} from '#people'
import { type DashboardOperations, operation } from '../operation.ts'

export const createChatOperations = (
  people: PeopleDeps,
  /** Null where none is configured. */
  platform: ChatPlatform | null,
): Pick<DashboardOperations, 'getChatLink' | 'beginChatLink' | 'finishChatLink' | 'unlinkChat'> => {
  const chat = (): ChatPlatform => platform ?? refuse('NOT_FOUND')
  const linkOf = async (personId: string): Promise<ChatLink> => ({
    available: platform !== null,
    account: await findChatLink(people.db, personId),
  })
  return {
    getChatLink: operation(dashboardRoutes.getChatLink, ({ caller: { session } }) =>
      linkOf(session.person.id),
    ),

    beginChatLink: operation(dashboardRoutes.beginChatLink, ({ caller: { session } }) =>
      beginChatLink({ ...people, chat: chat() }, { sessionId: session.id }),
    ),

    finishChatLink: operation(
      dashboardRoutes.finishChatLink,
      async ({ body, caller: { session, actor } }) => {
        const holder = { personId: session.person.id, sessionId: session.id, actor }
        await finishChatLink({ ...people, chat: chat() }, { ...body, ...holder })
        return linkOf(session.person.id)
      },
    ),

    unlinkChat: operation(dashboardRoutes.unlinkChat, async ({ caller: { session, actor } }) => {
      await unlinkChat(people, { personId: session.person.id, actor })
      return linkOf(session.person.id)
    }),
  }
}
