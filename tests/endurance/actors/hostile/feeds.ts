// Requests that wait: long polls of the event feed, half of them left by their client, and sockets of many
// users, one more for each than it may have.
import type { Client } from '../../../support/client.ts'
import { tokenOf, wsUrl } from '../../../support/sockets.ts'
import type { AttackDeps } from './deps.ts'

const POLLS = 40
const WAIT_SECONDS = 8
const USERS = 12
const SOCKETS_EACH = 6
const HELD_MS = 5000

export interface Feeds {
  step(): Promise<void>
}

export function createFeeds({
  merchant,
  userNames,
  tally,
  throwDice,
}: AttackDeps & {
  readonly merchant: Client
  readonly userNames: readonly string[]
}): Feeds {
  const holdSockets = async (): Promise<void> => {
    const from = Math.floor(throwDice() * userNames.length)
    const users = [...userNames, ...userNames].slice(from, from + USERS)
    const held = users.map(async (behalf) => {
      const token = await tokenOf(merchant, ['market', 'user'], behalf).catch(() => null)
      if (token === null) return
      const path = throwDice() < 0.7 ? '/user/live' : '/market/live'
      const url = wsUrl(merchant.baseUrl, path, { token })
      await Promise.all(Array.from({ length: SOCKETS_EACH }, () => hold(url, HELD_MS)))
      tally.count('sockets held', SOCKETS_EACH)
    })
    await Promise.all(held)
  }
  return {
    step: async () => {
      const newest = await merchant.call('listMerchantEvents', { query: { limit: 1 } })
      const after = tally.served('event feed', newest).data?.items[0]?.id ?? 'start'
      const polls = Array.from({ length: POLLS }, async (_, i) => {
        const query = i % 4 === 0 ? DEAR : { after, wait: WAIT_SECONDS }
        const isLeft = i % 2 === 1
        const left = { deadlineMs: Math.ceil(1 + throwDice() * 4000) }
        try {
          const answer = await merchant.call('listMerchantEvents', { query, ...(isLeft && left) })
          tally.served('event feed', answer)
        } catch (error) {
          if (!isLeft || !isTimeout(error)) throw error
          tally.count('event feed: left')
        }
      })
      await Promise.all([...polls, holdSockets()])
    },
  }
}

/** From the beginning, for a type that hardly any event has. */
const DEAR = { after: 'start', type: 'trade.reverted', limit: 100 }

const isTimeout = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'TimeoutError'

const hold = (url: string, ms: number): Promise<void> =>
  new Promise((resolve) => {
    const ws = new WebSocket(url)
    const timer = setTimeout(() => ws.close(), ms)
    ws.addEventListener('error', () => {})
    ws.addEventListener('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })
