// Follows the market by its socket while a page that shows it is visible: when a listing that fits the
// page's filter changes, the page reads anew. An account may have five sockets; without one, pages read at
// their own pace.
import type { QueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'

/** Between two reads: a market that changes all the time makes no page read more often. */
const READ_EVERY_MS = 1000
const FIRST_RETRY_MS = 2000
const LAST_RETRY_MS = 60_000
/** No token opens it now, or all sockets are taken: another attempt a second later would end alike. */
const REFUSED = new Set([4001, 4003, 4008])

const CHANGES = new Set(['market.new', 'market.update', 'market.remove', 'market.gap'])

export interface MarketFollowing {
  /** As `scope=filter` of the socket takes it. */
  readonly filter: Readonly<Record<string, string>>
  /** The routes whose answers change with the market. */
  readonly reads: readonly string[]
}

/** Until it is stopped. */
export function followMarket(queries: QueryClient, { filter, reads }: MarketFollowing): () => void {
  let stop = (): void => {}
  const onVisibility = (): void => {
    stop()
    stop = document.hidden ? () => {} : keepSocket(filter, readSoon)
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  const readSoon = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined
      for (const read of reads) void queries.invalidateQueries({ queryKey: [read] })
    }, READ_EVERY_MS)
  }
  document.addEventListener('visibilitychange', onVisibility)
  onVisibility()
  return () => {
    document.removeEventListener('visibilitychange', onVisibility)
    clearTimeout(timer)
    stop()
  }
}

/** Open until it is stopped, and again after it was lost. */
function keepSocket(filter: MarketFollowing['filter'], onChange: () => void): () => void {
  let socket: WebSocket | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let retryMs = FIRST_RETRY_MS
  let isStopped = false
  const again = (): void => {
    if (isStopped) return
    timer = setTimeout(() => void open(), retryMs)
    retryMs = Math.min(LAST_RETRY_MS, retryMs * 2)
  }
  const open = async (): Promise<void> => {
    try {
      const { token } = await call('getLiveMarketToken', {})
      if (isStopped) return
      const query = new URLSearchParams({ token, scope: 'filter', ...filter })
      const address = new URL(`/market/live?${query}`, location.origin)
      address.protocol = address.protocol.replace('http', 'ws')
      socket = new WebSocket(address)
    } catch {
      return again()
    }
    socket.onopen = () => {
      retryMs = FIRST_RETRY_MS
    }
    socket.onmessage = ({ data }: MessageEvent<string>) => {
      const { event } = JSON.parse(data) as { readonly event: string }
      if (CHANGES.has(event)) onChange()
    }
    socket.onclose = ({ code }) => {
      if (REFUSED.has(code)) retryMs = LAST_RETRY_MS
      again()
    }
  }
  void open()
  return () => {
    isStopped = true
    clearTimeout(timer)
    if (socket !== null) {
      socket.onclose = null
      socket.close()
    }
  }
}
