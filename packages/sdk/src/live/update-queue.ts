// Updates for iterators. An iterator that is slower than the updates receives the latest one of each listing,
// so that its queue never grows beyond the number of listings.
import { withResolvers } from './connection.ts'

export interface UpdateQueue<Update> {
  /** An update with a key replaces the one that waits under that key. */
  push(update: Update, key?: string): void
  /** No update follows. Iterators throw the error, if there is one. */
  end(error?: unknown): void
  /** Updates from now on. Each iterator receives all of them. */
  iterate(): AsyncIterableIterator<Update>
}

export function createUpdateQueue<Update>(): UpdateQueue<Update> {
  const readers = new Set<Reader<Update>>()
  let failure: { readonly error: unknown } | null = null
  let lastKey = 0
  return {
    push: (update, key) => {
      const under = key ?? ++lastKey
      for (const reader of readers) reader.push(under, update)
    },
    end: (error) => {
      failure ??= { error }
      for (const reader of readers) reader.end(error)
    },
    iterate: () => {
      const reader = createReader<Update>((gone) => readers.delete(gone))
      if (failure === null) readers.add(reader)
      else reader.end(failure.error)
      return reader.iterator
    },
  }
}

interface Reader<Update> {
  readonly iterator: AsyncIterableIterator<Update>
  push(key: string | number, update: Update): void
  end(error: unknown): void
}

function createReader<Update>(onGone: (reader: Reader<Update>) => void): Reader<Update> {
  const waiting = new Map<string | number, Update>()
  let wake: (() => void) | null = null
  let isOver = false
  let error: unknown
  const wakeUp = (): void => {
    wake?.()
    wake = null
  }
  const close = (): void => {
    isOver = true
    waiting.clear()
    onGone(reader)
    wakeUp()
  }
  const next = async (): Promise<IteratorResult<Update, undefined>> => {
    for (;;) {
      const [first] = waiting
      if (first !== undefined) {
        waiting.delete(first[0])
        return { done: false, value: first[1] }
      }
      if (isOver) {
        if (error === undefined) return { done: true, value: undefined }
        const reason = error
        error = undefined
        throw reason
      }
      const { promise, resolve } = withResolvers<void>()
      wake = () => resolve(undefined)
      await promise
    }
  }
  const reader: Reader<Update> = {
    push: (key, update) => {
      // Moved to the end: listings are ordered by their latest update.
      waiting.delete(key)
      waiting.set(key, update)
      wakeUp()
    },
    end: (reason) => {
      isOver = true
      error = reason
      onGone(reader)
      wakeUp()
    },
    iterator: {
      next,
      return: async () => {
        close()
        return { done: true, value: undefined }
      },
      [Symbol.asyncIterator]() {
        return this
      },
    },
  }
  return reader
}
