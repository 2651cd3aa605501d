// Long lists on the event loop: work on thousands of entries in one go holds up every other request.
import { setImmediate as nextTurn } from 'node:timers/promises'

/** The list in chunks of `size`; between two of them other requests are served. */
export async function* inChunks<Entry>(
  entries: readonly Entry[],
  size: number,
): AsyncGenerator<readonly Entry[], void, undefined> {
  for (let from = 0; from < entries.length; from += size) {
    if (from > 0) await nextTurn()
    yield entries.slice(from, from + size)
  }
}

/** `entries.map(change)`, a chunk at a time. */
export async function mapInChunks<Entry, Result>(
  entries: readonly Entry[],
  size: number,
  change: (entry: Entry) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  for await (const chunk of inChunks(entries, size)) {
    for (const entry of chunk) results.push(change(entry))
  }
  return results
}

/**
 * Sorts in place, as `list.sort(compare)` does: chunks of `size` are sorted, then merged, and between any
 * `size` steps other requests are served. What `compare` reads must not change meanwhile.
 */
export async function sortInChunks(
  list: Int32Array,
  size: number,
  compare: (left: number, right: number) => number,
): Promise<void> {
  for (let from = 0; from < list.length; from += size) {
    if (from > 0) await nextTurn()
    list.subarray(from, from + size).sort(compare)
  }
  let sorted = list
  let merged: Int32Array = new Int32Array(list.length)
  for (let width = size; width < list.length; width *= 2) {
    for (let from = 0; from < list.length; from += 2 * width) {
      const middle = Math.min(from + width, list.length)
      const end = Math.min(from + 2 * width, list.length)
      let left = from
      let right = middle
      for (let i = from; i < end; i++) {
        if (i % size === 0) await nextTurn()
        const isLeft =
          right === end ||
          (left < middle && compare(sorted[left] as number, sorted[right] as number) <= 0)
        merged[i] = sorted[isLeft ? left++ : right++] as number
      }
    }
    const next = sorted
    sorted = merged
    merged = next
  }
  if (sorted !== list) list.set(sorted)
}
