// One entry of the event registry: what an outbox row of one type holds, and how it is shown.
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

export interface EventEntry<SubjectType extends string = string, Subject = never, Data = unknown> {
  readonly subjectType: SubjectType
  /** The key under which the outbox stores the event once. */
  dedupeKey(type: string, subjectId: string, payload: unknown): string
  /** The event's data from the subject as it is now. Throws when the payload is not of this type. */
  render(subject: Subject, payload: unknown): Data
}

interface Definition<Payload, Subject, Data> {
  render(subject: Subject, payload: Payload): Data
  /** Of an event that can happen several times to one subject: the part that it is about. */
  partOf?(payload: Payload): string
}

/** Binds a family's subject; its events are then declared one by one, each with its payload. */
export const entriesAbout =
  <Subject>() =>
  <const SubjectType extends string>(subjectType: SubjectType) =>
  <Payload extends TSchema, Data>(
    payloadSchema: Payload,
    { render, partOf }: Definition<Static<Payload>, Subject, Data>,
  ): EventEntry<SubjectType, Subject, Data> => {
    const validator = Compile(payloadSchema)
    const parse = (payload: unknown): Static<Payload> => {
      if (validator.Check(payload)) return payload as Static<Payload>
      const [error] = validator.Errors(payload)
      throw new Error(`invalid event payload: ${error?.instancePath ?? ''} ${error?.message ?? ''}`)
    }
    return {
      subjectType,
      dedupeKey: (type, subjectId, payload) =>
        `${type}:${partOf ? partOf(parse(payload)) : subjectId}`,
      render: (subject, payload) => render(subject, parse(payload)),
    }
  }
