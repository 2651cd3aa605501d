// News for those who iterate. Who is slower than the news finds the latest of each listing instead of all
// of it, so that waiting news never grows beyond what there is.
import { withResolvers } from './connection.ts'

export interface NewsQueue<News> {
  /** News with a key takes the place of what waits under that key. */
  push(news: News, key?: string): void
  /** Nothing comes any more; with an error, whoever iterates gets it. */
  end(error?: unknown): void
  /** From now on. Each iteration gets everything. */
  iterate(): AsyncIterableIterator<News>
}

export function createNewsQueue<News>(): NewsQueue<News> {
  const readers = new Set<Reader<News>>()
  let ending: { readonly error: unknown } | null = null
  let lastKey = 0
  return {
    push: (news, key) => {
      const under = key ?? ++lastKey
      for (const reader of readers) reader.push(under, news)
    },
    end: (error) => {
      ending ??= { error }
      for (const reader of readers) reader.end(error)
    },
    iterate: () => {
      const reader = createReader<News>((gone) => readers.delete(gone))
      if (ending === null) readers.add(reader)
      else reader.end(ending.error)
      return reader.iterator
    },
  }
}

interface Reader<News> {
  readonly iterator: AsyncIterableIterator<News>
  push(key: string | number, news: News): void
  end(error: unknown): void
}

function createReader<News>(onGone: (reader: Reader<News>) => void): Reader<News> {
  const waiting = new Map<string | number, News>()
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
  const next = async (): Promise<IteratorResult<News, undefined>> => {
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
  const reader: Reader<News> = {
    push: (key, news) => {
      // Behind what came since: the order of different listings is that of their latest news.
      waiting.delete(key)
      waiting.set(key, news)
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
