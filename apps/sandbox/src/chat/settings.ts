import { type Environment, textSetting } from '../settings.ts'

export interface ChatSettings {
  readonly clientId: string
  readonly secret: string
}

export const readChatSettings = (environment: Environment): ChatSettings => ({
  clientId: textSetting(environment, 'SANDBOX_CHAT_CLIENT_ID', 'sandbox-chat'),
  secret: textSetting(environment, 'SANDBOX_CHAT_SECRET', 'sandbox-chat-secret'),
})
