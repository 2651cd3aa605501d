/** Does work that may ask how many rounds of the event loop have served others since it began. */
export async function countingRounds<T>(work: (rounds: () => number) => Promise<T>): Promise<T> {
  let count = 0
  let isOver = false
  const next = (): void => {
    count++
    if (!isOver) setImmediate(next)
  }
  setImmediate(next)
  try {
    return await work(() => count)
  } finally {
    isOver = true
  }
}
