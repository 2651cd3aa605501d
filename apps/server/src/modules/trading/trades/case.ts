// What only a person can resolve is reported as a case; reconciliation keeps it.

/**
 * A supplier's contradiction, an unclear fault, an order that turned up late: an operator must look. It is
 * awaited before what it reports is recorded: after a crash the case is reported again, not forgotten.
 * `details` make it this case, `notes` differ from one sighting to the next.
 */
export type OnCase = (
  kind: string,
  details: Readonly<Record<string, unknown>>,
  notes?: Readonly<Record<string, unknown>>,
) => Promise<void> | void
