// Chance that a seed repeats.

/** Numbers from 0 up to, and without, 1. */
export type Dice = () => number

/** The same seed throws the same numbers. */
export function diceOf(seed: number): Dice {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export type Pick = <Value>(values: readonly Value[]) => Value

/** One of several values. */
export const pickWith =
  (throwDice: Dice): Pick =>
  (values) =>
    values[Math.floor(throwDice() * values.length)] as (typeof values)[number]

export function shuffled<Value>(values: readonly Value[], throwDice: Dice): Value[] {
  return values
    .map((value) => ({ value, place: throwDice() }))
    .sort((left, right) => left.place - right.place)
    .map(({ value }) => value)
}

export interface Deck<Value> {
  next(): Value
  /** Comes again when all others have come. */
  putBack(value: Value): void
}

/** All of the values in a random order, and again in another one. */
export function deckOf<Value>(values: readonly Value[], throwDice: Dice): Deck<Value> {
  let due: Value[] = []
  return {
    next: () => {
      if (due.length === 0) due = shuffled(values, throwDice)
      return due.pop() as Value
    },
    putBack: (value) => {
      due.unshift(value)
    },
  }
}
