// Keeps what all processes know of our bots fresh: by it sells are given to the one that has room.
import type { Job } from '#infra/jobs/jobs'

export interface WatchBotsDeps {
  readonly watchBots: (
    signal: AbortSignal,
    context: { readonly requestId: string },
  ) => Promise<void>
  readonly everyMs: number
}

export function createWatchBots({ watchBots, everyMs }: WatchBotsDeps): Job {
  return {
    name: 'watch-bots',
    everyMs,
    singleton: true,
    work: async ({ signal }) => {
      await watchBots(signal, { requestId: 'watch-bots' })
      return false
    },
  }
}
