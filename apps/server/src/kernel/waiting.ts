/** A row of a queue as operators read it, with the size of the whole queue. */
export interface WaitingRow {
  readonly id: string
  /** What it is about: a trade, a withdrawal. */
  readonly refId: string | null
  /** What it is, and why it waits, in a few words. */
  readonly what: string
  readonly since: Date
  /** When it is looked at next; null: without a time. */
  readonly dueAt: Date | null
  /** All that are in the queue, and those whose time has come. */
  readonly count: number
  readonly due: number
}
