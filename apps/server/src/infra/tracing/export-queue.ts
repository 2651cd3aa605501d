// Spans on their way out: one batch at a time, and a bounded number that waits. What a collector does not
// take in time is dropped and counted; nothing else waits for it.

export interface ExportQueueOptions<Ended> {
  /** One batch; false when the collector did not take it. It has a deadline of its own and never rejects. */
  readonly send: (spans: readonly Ended[]) => Promise<boolean>
  /** Spans that wait, those under way aside. */
  readonly most: number
  readonly batch: number
  /** A batch that is not full leaves after so long. */
  readonly everyMs: number
  readonly onDropped: (reason: 'queue_full' | 'not_taken', count: number) => void
}

export interface ExportQueue<Ended> {
  add(span: Ended): void
  waiting(): number
  /** Sends what waits, for at most so long; what is left is dropped. */
  stop(deadlineMs: number): Promise<void>
}

export function createExportQueue<Ended>(options: ExportQueueOptions<Ended>): ExportQueue<Ended> {
  const { send, most, batch, everyMs, onDropped } = options
  let waiting: Ended[] = []
  let sending: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined

  const sendAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const spans = waiting.slice(0, batch)
      waiting = waiting.slice(batch)
      if (!(await send(spans))) onDropped('not_taken', spans.length)
    }
  }
  const begin = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    sending ??= sendAll().finally(() => {
      sending = null
    })
    return sending
  }

  return {
    add: (span) => {
      if (waiting.length === most) return onDropped('queue_full', 1)
      waiting.push(span)
      if (sending !== null) return
      if (waiting.length >= batch) void begin()
      else timer ??= setTimeout(() => void begin(), everyMs).unref()
    },
    waiting: () => waiting.length,
    stop: async (deadlineMs) => {
      let late: NodeJS.Timeout | undefined
      const deadline = new Promise<void>((resolve) => {
        late = setTimeout(resolve, deadlineMs)
      })
      await Promise.race([begin(), deadline])
      clearTimeout(late)
      if (waiting.length > 0) onDropped('not_taken', waiting.length)
      waiting = []
    },
  }
}
