// What the test files of a group share.
const cleanups: (() => Promise<unknown>)[] = []

/** When the last file of the group has ended; what was begun last ends first. */
export const whenGroupEnds = (end: () => Promise<unknown>): void => void cleanups.push(end)

export async function endAll(): Promise<void> {
  for (let end = cleanups.pop(); end; end = cleanups.pop()) await end()
}
