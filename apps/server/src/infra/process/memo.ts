// The one way to keep an answer in memory: bounded, and only for as long as it may be late. What may be kept
// at all, and for how long, is decided in decision 0008.
import { LRUCache } from 'lru-cache'
import { withoutTenant } from '../database/tenant-context.ts'
import type { Clock } from './clock.ts'

/** Keeps the entries that were used last: so many, or so many as weigh so much together. */
export const createBoundedCache = <Value extends object | string | number>(
  max: number,
  weigh?: (value: Value) => number,
): LRUCache<string, Value> =>
  new LRUCache(weigh === undefined ? { max } : { maxSize: max, sizeCalculation: weigh })

/** Makes the value when it is first asked for. */
export function lazily<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** The value of a pure function by its text, for the texts that were asked for last. */
export function memoized<Value extends object>(
  max: number,
  compute: (text: string) => Value,
): (text: string) => Value {
  const known = new LRUCache<string, Value>({ max, memoMethod: (text) => compute(text) })
  return (text) => known.memo(text)
}

export interface MemoRules<Value> {
  readonly clock: Clock
  /** A value is given out for so long from the moment it was asked for. */
  readonly freshMs: number
  /** A value that must not be kept, such as "not found"; everything is kept by default. */
  readonly isKept?: (value: Value) => boolean
}

export interface KeyedMemo<Value> {
  (key: string, load: () => Promise<Value>): Promise<Value>
  /** Forgets every value; a load that is under way is given to those who wait for it, and to no other. */
  forget(): void
}

/** Reads of one key within `freshMs` share one load. A failure reaches its callers and is not kept. */
export function createKeyedMemo<Value>({
  clock,
  freshMs,
  max,
  isKept = () => true,
}: MemoRules<Value> & { readonly max: number }): KeyedMemo<Value> {
  const known = createBoundedCache<{ readonly value: Promise<Value>; readonly atMs: number }>(max)
  const recall = (key: string, load: () => Promise<Value>): Promise<Value> => {
    const nowMs = clock.now().getTime()
    const found = known.get(key)
    // A clock that was set back makes nothing fresh again.
    if (found !== undefined && nowMs >= found.atMs && nowMs - found.atMs < freshMs) {
      return found.value
    }
    const entry = { value: withoutTenant(load), atMs: nowMs }
    known.set(key, entry)
    const forget = (): void => {
      if (known.peek(key) === entry) known.delete(key)
    }
    entry.value.then((value) => {
      if (!isKept(value)) forget()
    }, forget)
    return entry.value
  }
  return Object.assign(recall, { forget: () => known.clear() })
}

/** The same for one value. */
export function createMemo<Value>(
  load: () => Promise<Value>,
  rules: MemoRules<Value>,
): () => Promise<Value> {
  const memo = createKeyedMemo({ ...rules, max: 1 })
  return () => memo('', load)
}
