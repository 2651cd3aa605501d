// The chat platform of the sandbox program, as the service speaks to it.
import { createHttpClient } from '#infra/http/http-client'
import { silentLog } from '#infra/process/log'
import { createMetrics } from '#infra/process/metrics'
import type { ChatPlatform } from '#people'
import { createChatPlatform } from '../../../adapters/chat/index.ts'
import { type SandboxProgram, startSandboxProgram } from '../../../adapters/conformance/sandbox.ts'

export interface ChatAtSandbox {
  readonly platform: ChatPlatform
  readonly sandbox: SandboxProgram
  close(): Promise<void>
}

export async function startChatAtSandbox(): Promise<ChatAtSandbox> {
  const sandbox = await startSandboxProgram({
    ...{ SANDBOX_LISTINGS: '0', SANDBOX_CHANGES_PER_SECOND: '0', SANDBOX_CHAINS: 'off' },
  })
  const http = createHttpClient({ log: silentLog, metrics: createMetrics() })
  const { url } = sandbox
  const platform = createChatPlatform(
    {
      ...{ authorizeUrl: `${url}/chat/authorize`, tokenUrl: `${url}/chat/token` },
      ...{ profileUrl: `${url}/chat/users/@me`, scope: 'identify' },
      ...{ clientId: 'sandbox-chat', secret: 'sandbox-chat-secret' },
    },
    { http, log: silentLog },
  )
  return {
    ...{ platform, sandbox },
    close: async () => {
      await http.close()
      await sandbox.stop()
    },
  }
}
