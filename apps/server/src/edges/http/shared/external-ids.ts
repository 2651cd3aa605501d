import { refuseField } from './failure.ts'

/**
 * Refuses VALIDATION_FAILED when two entries of a list of the body have one external id, at the second one.
 * `indexed`: with its place in `meta.index`.
 */
export function refuseRepeatedExternalIds(
  entries: readonly { readonly externalId?: string }[],
  {
    list,
    entry,
    indexed = false,
  }: {
    readonly list: string
    /** What an entry is called. */
    readonly entry: string
    readonly indexed?: boolean
  },
): void {
  const seen = new Set<string>()
  for (const [i, { externalId }] of entries.entries()) {
    if (externalId === undefined) continue
    if (seen.has(externalId)) {
      const problem = {
        in: 'body',
        pointer: `/${list}/${i}/externalId`,
        rule: 'distinct',
        message: `must differ from the externalId of every other ${entry}`,
      } as const
      refuseField(problem, indexed ? list : undefined)
    }
    seen.add(externalId)
  }
}
