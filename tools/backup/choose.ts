// Which copy leads to a moment, and whether the log between the two is whole.
import { CannotStart } from '../../apps/server/src/infra/process/cannot-start.ts'
import { type Copy, type CopyFolder, listArchived, listCopies, reachOf } from './folder.ts'

export interface Wanted {
  /** Null: the newest. */
  readonly name: string | null
  /** Null: the end of the log. */
  readonly at: Date | null
}

/** Refuses in words: no copy, a moment before the first or after the last, a gap before it. */
export function chooseCopy(folder: CopyFolder, { name, at }: Wanted): Copy {
  const copies = listCopies(folder).filter((copy) => name === null || copy.name === name)
  const [first] = copies
  if (!first) throw new CannotStart(`${folder.path} has no copy${name === null ? '' : ` ${name}`}.`)
  const copy = copies.findLast(
    ({ manifest }) => at === null || Date.parse(manifest.finishedAt) <= at.getTime(),
  )
  if (!copy) {
    throw new CannotStart(
      `The first copy is of ${first.manifest.finishedAt}: nothing leads to before it.`,
    )
  }
  const { until, missing } = reachOf(copy, listArchived(folder))
  if (missing !== null && (at === null || at > until)) {
    throw new CannotStart(
      `The segment ${missing} of the log is missing: the copy ${copy.name} leads to ${until.toISOString()} ` +
        'and no further (--at).',
    )
  }
  return copy
}
