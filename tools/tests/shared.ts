// What the test files of a group share.
const endings: (() => Promise<unknown>)[] = []

/** When the last file of the group has ended; what was begun last ends first. */
export const whenGroupEnds = (end: () => Promise<unknown>): void => void endings.push(end)

export async function endAll(): Promise<void> {
  for (let end = endings.pop(); end; end = endings.pop()) await end()
}
