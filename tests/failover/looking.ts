const EVERY_MS = 200

/**
 * One look at a time, until the function that it returns is called. A look that fails, as it does while the
 * database moves, is left out.
 */
export function keepLooking(look: () => Promise<void>): () => void {
  let isLooking = false
  const timer = setInterval(() => {
    if (isLooking) return
    isLooking = true
    void look()
      .catch(() => {})
      .finally(() => {
        isLooking = false
      })
  }, EVERY_MS)
  return () => clearInterval(timer)
}
