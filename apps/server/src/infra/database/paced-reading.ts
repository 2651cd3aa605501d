// Results of statements, read from the connections of a pool a little in each round of the event loop.
// Otherwise a result of megabytes, or many that arrive together, are parsed in one round, and a request of
// another tenant waits for all of it.
import type { Readable } from 'node:stream'

/** Some hundred rows: 1 to 2 ms of parsing. */
const BYTES_A_ROUND = 64 * 1024

/** Has a stream read in turn with the others that were given to the same pace. */
export type PacedReading = (stream: Readable) => void

/**
 * What has come is always parsed. Once the streams together have brought `bytesARound` in a round, each that
 * brings more is not read further until its turn; one of them has a turn in each round that follows.
 */
export function createPacedReading(bytesARound = BYTES_A_ROUND): PacedReading {
  const paused: Readable[] = []
  let bytesRead = 0
  let endsRound = false

  const endRound = (): void => {
    bytesRead = 0
    const next = paused.shift()
    endsRound = paused.length > 0
    if (endsRound) setImmediate(endRound)
    next?.resume()
  }
  return (stream) => {
    stream.on('data', (chunk: Buffer) => {
      bytesRead += chunk.length
      if (!endsRound) {
        endsRound = true
        setImmediate(endRound)
      }
      if (bytesRead < bytesARound) return
      stream.pause()
      paused.push(stream)
    })
  }
}
