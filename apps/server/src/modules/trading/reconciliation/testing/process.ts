// A process that notes what it sends, in a folder of its own or in one that it shares.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OrderIntent } from '#buying'
import type { Db } from '#infra/database/db'
import { type Intents, openIntents } from '#infra/database/intents'
import type { Clock } from '#infra/process/clock'
import { newId } from '#kernel/id'
import { cents, mills } from '#kernel/money'
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

/** Of an order that was sent: whose it is, and what of. */
export const lostItem = (): Omit<OrderIntent, 'market' | 'itemId' | 'attempt' | 'begunAt'> => ({
  marketAccount: 'main',
  ...{ tenantId: newId(), accountId: newId(), userExternalId: null, externalId: null },
  ...{ tradeUrl: 'https://steamcommunity.com/tradeoffer/new/?partner=1&token=accept00' },
  ...{ listingId: 1n, rawListingId: '1', game: 'cs2', catalogItemId: '00000000000000aa' },
  ...{ description: DESCRIPTION, currency: 'USD' as const, sourcingMills: mills(10_000n) },
  ...{ price: cents(1070n), houseFee: cents(50n), merchantFee: cents(20n) },
})

const DESCRIPTION: OrderIntent['description'] = {
  ...{ name: 'AK-47 | Redline', marketHashName: 'AK-47 | Redline (Field-Tested)' },
  ...{ type: 'Rifle', iconUrl: 'icon', exterior: 'Field-Tested', rarity: 'Classified' },
  ...{ color: 'd32ce6', phase: null, wear: '0.2345', paintSeed: 7, stickers: [], charm: null },
  delivery: 'instant',
}
