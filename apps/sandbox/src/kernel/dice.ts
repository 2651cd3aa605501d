// Stateless pseudo-random numbers: each depends on its words only, the seed among them. A restart, or another
// order of calls, gives the same numbers.

/** 32 evenly spread bits for these words. FNV-1a, then the finaliser of MurmurHash3. */
export function throwDice(...words: readonly (string | number)[]): number {
  let hash = 0x811c9dc5
  const text = words.join('\u0000')
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** An integer in [from, to], both included. */
export function throwBetween(
  from: number,
  to: number,
  ...words: readonly (string | number)[]
): number {
  return from + (throwDice(...words) % (to - from + 1))
}

export function pick<T>(choices: readonly T[], ...words: readonly (string | number)[]): T {
  const choice = choices[throwDice(...words) % choices.length]
  if (choice === undefined) throw new Error('nothing to pick from')
  return choice
}

/** Lower-case hex digits. */
export function throwHex(digits: number, ...words: readonly (string | number)[]): string {
  let hex = ''
  for (let round = 0; hex.length < digits; round += 1) {
    hex += throwDice(round, ...words)
      .toString(16)
      .padStart(8, '0')
  }
  return hex.slice(0, digits)
}

/** Shaped like a random UUID (version 4), but the same one each time. */
export function throwUuid(...words: readonly (string | number)[]): string {
  const hex = throwHex(32, ...words)
  const variant = '89ab'[throwDice('variant', ...words) % 4]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`
}
