// A client whose pauses take no time and are remembered.
import { Tradepost } from '../client.ts'
import type { TradepostOptions } from '../options.ts'

export interface PausedClient {
  readonly tradepost: Tradepost
  /** The pauses before further attempts. */
  readonly pausesMs: number[]
}

export function aClient(baseUrl: string, options: Partial<TradepostOptions> = {}): PausedClient {
  const pausesMs: number[] = []
  let ids = 0
  const tradepost = new Tradepost({
    apiKey: 'tp_test_key',
    baseUrl,
    ...options,
    runtime: {
      random: () => 0.5,
      newId: () => `made-${++ids}`,
      sleep: async (durationMs) => {
        pausesMs.push(durationMs)
      },
      ...options.runtime,
    },
  })
  return { tradepost, pausesMs }
}
