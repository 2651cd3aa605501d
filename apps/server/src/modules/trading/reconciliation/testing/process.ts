// A process that notes what it sends, in a folder of its own or in one that it shares.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Db } from '#infra/database/db'
import { type Intents, openIntents } from '#infra/database/intents'
import type { Clock } from '#infra/process/clock'
import type { LostFinders } from '../intent-kinds.ts'

/** For gates in front of which no payments leave. */
export const noPayments: LostFinders = { payments: async () => [], addresses: async () => [] }

export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'tradepost-intents-'))

export interface TestProcess {
  readonly intents: Intents
  readonly folder: string
  close(): Promise<void>
}

export async function startProcess({
  db,
  clock,
  gates,
  folder = temporaryFolder(),
}: {
  readonly db: Db
  readonly clock: Clock
  readonly gates: readonly string[]
  readonly folder?: string
}): Promise<TestProcess> {
  const onBroken = (error: unknown): never => {
    throw error
  }
  const intents = await openIntents({ db, clock, folder, gates, onBroken })
  return {
    intents,
    folder,
    close: async () => {
      await intents.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
