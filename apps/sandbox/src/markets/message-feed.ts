/**
 * Sends messages in order, or, for a while, each of them twice with the duplicate one message late: a
 * reader then sees an old message after a newer one.
 */
export interface MessageFeed<T> {
  publish(message: T): void
  repeatNext(count: number): void
}

export function createMessageFeed<T>(send: (message: T) => void): MessageFeed<T> {
  let repeatsLeft = 0
  let late: { readonly message: T } | null = null
  return {
    publish(message) {
      send(message)
      if (late !== null) send(late.message)
      late = null
      if (repeatsLeft === 0) return
      repeatsLeft -= 1
      late = { message }
    },
    repeatNext(count) {
      repeatsLeft = count
    },
  }
}
