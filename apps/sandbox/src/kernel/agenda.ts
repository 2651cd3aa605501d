/** A queue of entries by due time; entries of equal times are taken in the order of addition. */
export interface Agenda<T> {
  add(atMs: number, what: T): void
  /** Takes the next entry when it is due. */
  takeDue(nowMs: number): T | undefined
  nextAtMs(): number | null
}

interface Entry<T> {
  readonly atMs: number
  readonly order: number
  readonly what: T
}

/** A binary heap: thousands of orders may be under way, and each moves about five times. */
export function createAgenda<T>(): Agenda<T> {
  const heap: Entry<T>[] = []
  let added = 0

  return {
    add(atMs, what) {
      added += 1
      heap.push({ atMs, order: added, what })
      rise(heap, heap.length - 1)
    },
    takeDue(nowMs) {
      const first = heap[0]
      if (first === undefined || first.atMs > nowMs) return undefined
      const last = heap.pop()
      if (last !== undefined && heap.length > 0) {
        heap[0] = last
        sink(heap)
      }
      return first.what
    },
    nextAtMs: () => heap[0]?.atMs ?? null,
  }
}

function isSooner<T>(one: Entry<T>, other: Entry<T>): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order)
}

function rise<T>(heap: Entry<T>[], start: number): void {
  let index = start
  while (index > 0) {
    const parent = (index - 1) >> 1
    if (!swapIfSooner(heap, index, parent)) return
    index = parent
  }
}

function sink<T>(heap: Entry<T>[]): void {
  let index = 0
  for (;;) {
    const left = 2 * index + 1
    const right = left + 1
    const leftEntry = heap[left]
    if (leftEntry === undefined) return
    const rightEntry = heap[right]
    const child = rightEntry !== undefined && isSooner(rightEntry, leftEntry) ? right : left
    if (!swapIfSooner(heap, child, index)) return
    index = child
  }
}

function swapIfSooner<T>(heap: Entry<T>[], child: number, parent: number): boolean {
  const lower = heap[child]
  const upper = heap[parent]
  if (lower === undefined || upper === undefined || !isSooner(lower, upper)) return false
  heap[child] = upper
  heap[parent] = lower
  return true
}
