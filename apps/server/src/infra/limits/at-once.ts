// Many calls of the same kind, a bounded number of them under way.

/**
 * The answers in the order of the entries, at most `limit` asked for at once. After the first failure nothing
 * further is asked for: who tries again would add to what goes on.
 */
export async function mapAtOnce<Entry, Answer>(
  entries: readonly Entry[],
  limit: number,
  ask: (entry: Entry) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = []
  let next = 0
  const work = async (): Promise<void> => {
    for (let i = next++; i < entries.length; i = next++) {
      try {
        answers[i] = await ask(entries[i] as Entry)
      } catch (error) {
        next = entries.length
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, entries.length) }, work))
  return answers
}
