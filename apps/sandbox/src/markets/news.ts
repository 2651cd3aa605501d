/**
 * Sends pieces of news in order, or, for a while, each of them twice with the repeat one piece
 * late, as networks do: a reader then sees an old piece after a newer one.
 */
export interface News<T> {
  publish(piece: T): void
  repeatNext(count: number): void
}

export function createNews<T>(send: (piece: T) => void): News<T> {
  let repeatsLeft = 0
  let late: { readonly piece: T } | null = null
  return {
    publish(piece) {
      send(piece)
      if (late !== null) send(late.piece)
      late = null
      if (repeatsLeft === 0) return
      repeatsLeft -= 1
      late = { piece }
    },
    repeatNext(count) {
      repeatsLeft = count
    },
  }
}
