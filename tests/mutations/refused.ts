// Statements that a guard of the database must refuse, tried and taken back.
import assert from 'node:assert/strict'
import {
  type Db,
  sql,
  type Tx,
  violatedConstraint,
} from '../../apps/server/src/infra/database/db.ts'
import { newId } from '../../apps/server/src/kernel/id.ts'

export type Statement = readonly [text: string, ...values: unknown[]]

export const run = <Row>(
  by: Db | Tx,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> =>
  by.query<Row & object>(sql(`guard.${newId()}`, text), [...values]) as Promise<Row[]>

/** What a test throws so that a transaction leaves nothing. */
export class TakenBack extends Error {}

/** The statements are refused by this constraint; whatever they did is taken back. */
export async function refusedIn(
  db: Db,
  name: string,
  ...statements: readonly Statement[]
): Promise<void> {
  const doing = db.transaction(async (tx) => {
    for (const [text, ...values] of statements) await run(tx, text, values)
    throw new TakenBack(`${name} lets it through`)
  })
  await assert.rejects(doing, (error) => {
    assert.ok(!(error instanceof TakenBack), String(error))
    assert.equal(violatedConstraint(error), name, String(error))
    return true
  })
}
