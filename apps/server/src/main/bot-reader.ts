// The secrets of our accounts on the game platform: from the environment, or from the sandbox that made
// its own. They stay in memory.
import type { HttpClient } from '#infra/http/http-client'
import { type BotSecrets, parseBotSecrets } from '../adapters/game-platform/index.ts'
import type { BotSource } from './upstreams.ts'

const DEADLINE_MS = 3_000

export function createBotReader(
  source: BotSource,
  http: HttpClient,
): () => Promise<readonly BotSecrets[]> {
  if (source.kind === 'secret') {
    const bots = source.list === null ? [] : parseBotSecrets(source.list.reveal())
    return () => Promise.resolve(bots)
  }
  let known: readonly BotSecrets[] | null = null
  return async () => {
    known ??= await readFromSandbox(source.url, http)
    return known ?? []
  }
}

/** Null while the sandbox is away. */
async function readFromSandbox(
  url: string,
  http: HttpClient,
): Promise<readonly BotSecrets[] | null> {
  const outcome = await http.request({
    ...{ provider: 'sandbox', operation: 'bots', method: 'GET', url, routine: true },
    deadlineMs: DEADLINE_MS,
  })
  return outcome.kind === 'answer' && outcome.status === 200 ? parseBotSecrets(outcome.body) : null
}
