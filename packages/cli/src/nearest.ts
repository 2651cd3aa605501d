// What a mistyped word probably meant.

/** The name that a few letters turn the word into: one for each three of them, and one at least. */
export function nearest(word: string, names: readonly string[]): string | null {
  const most = Math.max(1, Math.floor(word.length / 3))
  const [first] = names
    .map((name) => ({ name, distance: distanceOf(word, name) }))
    .filter(({ name, distance }) => distance <= Math.min(most, Math.floor(name.length / 3) || 1))
    .sort((one, other) => one.distance - other.distance)
  return first?.name ?? null
}

/** Letters to insert, delete, replace, or swap with the next one: optimal string alignment. */
function distanceOf(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, j) => j)]
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Number.POSITIVE_INFINITY
  for (let i = 1; i <= one.length; i++) {
    rows.push([i])
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1]
      const isSwap = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      rows[i]?.push(
        Math.min(
          at(i - 1, j) + 1,
          at(i, j - 1) + 1,
          at(i - 1, j - 1) + (isSame ? 0 : 1),
          isSwap ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
  }
  return at(one.length, other.length)
}
