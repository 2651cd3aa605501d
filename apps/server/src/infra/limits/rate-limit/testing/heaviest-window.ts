/** The most that any window holds of what was let through: each of them that begins with an entry. */
export function heaviestWindow(
  entries: readonly { readonly at: number; readonly cost: number }[],
  windowMs: number,
): number {
  const sorted = [...entries].sort((one, other) => one.at - other.at)
  let [heaviest, sum, from] = [0, 0, 0]
  for (const { at, cost } of sorted) {
    sum += cost
    while ((sorted[from]?.at ?? at) <= at - windowMs) sum -= sorted[from++]?.cost ?? 0
    heaviest = Math.max(heaviest, sum)
  }
  return heaviest
}
