/** A queue between one writer that cannot wait (a socket) and one reader. */
export interface Channel<T> {
  /** False when the queue is full: the piece is lost, and the writer must put a gap in its place. */
  push(piece: T): boolean
  /** Empties the queue and puts this piece in. */
  replaceAll(piece: T): void
  close(): void
  read(): AsyncGenerator<T, void, undefined>
}

export function createChannel<T>(capacity: number): Channel<T> {
  let queue: T[] = []
  let isClosed = false
  let notify: (() => void) | null = null

  const changed = (): void => {
    notify?.()
    notify = null
  }

  return {
    push(piece) {
      if (isClosed || queue.length >= capacity) return isClosed
      queue.push(piece)
      changed()
      return true
    },
    replaceAll(piece) {
      queue = [piece]
      changed()
    },
    close() {
      isClosed = true
      changed()
    },
    async *read() {
      for (;;) {
        const pieces = queue
        queue = []
        yield* pieces
        if (queue.length > 0) continue
        if (isClosed) return
        await new Promise<void>((resolve) => {
          notify = resolve
        })
      }
    },
  }
}
