// Renders outbox events for every consumer: webhooks, sockets and the event feed. Each event succeeds or
// fails alone, so that one that cannot be rendered holds up no other.
import type { EventEntry } from './entry.ts'

export interface RenderableEvent {
  readonly eventType: string
  readonly subjectId: string
  /** Details that the subject itself does not keep. */
  readonly payload: Readonly<Record<string, unknown>>
}

export type RenderedEvent<Data = unknown> =
  | { readonly data: Data; readonly error?: undefined }
  | { readonly error: Error }

export type RenderEvents<Data = unknown> = <Event extends RenderableEvent>(
  events: readonly Event[],
) => Promise<RenderedEvent<Data>[]>

/** Reads the subjects with these ids; an absent one is left out. */
export type SubjectReader<Subject> = (
  ids: readonly string[],
) => Promise<readonly (Subject & { readonly id: string })[]>

type Entries = Readonly<Record<string, EventEntry<string, never>>>
type SubjectTypeOf<Known extends Entries> = Known[keyof Known]['subjectType']
type DataOf<Known extends Entries> = ReturnType<Known[keyof Known]['render']>
type SubjectOf<Known extends Entries, Type extends string> = Parameters<
  Extract<Known[keyof Known], { readonly subjectType: Type }>['render']
>[0]

export interface RendererDeps<Known extends Entries> {
  readonly entries: Known
  /** One reader for each type of subject: a family without its reader does not compile. */
  readonly readers: {
    readonly [Type in SubjectTypeOf<Known>]: SubjectReader<SubjectOf<Known, Type>>
  }
  /** A failure to read that concerns the whole batch, such as a lost database connection. */
  isReadFailure(error: unknown): boolean
  onFailed(event: RenderableEvent, error: Error): void
}

type Subjects = ReadonlyMap<string, unknown>

export function createEventRenderer<Known extends Entries>(
  deps: RendererDeps<Known>,
): RenderEvents<DataOf<Known>> {
  const entryOf = (type: string): EventEntry<string, never> | undefined =>
    Object.hasOwn(deps.entries, type) ? deps.entries[type] : undefined

  return async (events) => {
    // One read for a batch: many of its events are about the same subject.
    const bySubjectType = Map.groupBy(events, ({ eventType }) => entryOf(eventType)?.subjectType)
    const subjects = new Map<string, Subjects>()
    for (const [type, group] of bySubjectType) {
      if (type === undefined) continue
      const read = (deps.readers as Readonly<Record<string, SubjectReader<unknown>>>)[type]
      const ids = [...new Set(group.map(({ subjectId }) => subjectId))]
      if (read) subjects.set(type, await readApart(read, ids, deps.isReadFailure))
    }
    return events.map((event) => {
      try {
        const entry = entryOf(event.eventType)
        if (!entry) throw new Error(`unknown event type ${event.eventType}`)
        const subject = subjects.get(entry.subjectType)?.get(event.subjectId)
        if (subject instanceof Error) throw subject
        if (!subject) throw new Error(`the ${entry.subjectType} of the event was not found`)
        return { data: entry.render(subject as never, event.payload) as DataOf<Known> }
      } catch (thrown) {
        const error = thrown instanceof Error ? thrown : new Error(String(thrown))
        deps.onFailed(event, error)
        return { error }
      }
    })
  }
}

/** By id; when a stored subject cannot be read, all are read one by one and that one is its error. */
async function readApart(
  read: SubjectReader<unknown>,
  ids: readonly string[],
  isReadFailure: (error: unknown) => boolean,
): Promise<Subjects> {
  try {
    return new Map((await read(ids)).map((subject) => [subject.id, subject]))
  } catch (error) {
    if (isReadFailure(error)) throw error
    if (ids.length === 1) return new Map(ids.map((id) => [id, error]))
  }
  const apart = new Map<string, unknown>()
  for (const id of ids)
    for (const each of await readApart(read, [id], isReadFailure)) apart.set(...each)
  return apart
}
