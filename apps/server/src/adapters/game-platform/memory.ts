// What the processes know together of our bots: which refresh token is good now, and how each of them does.
import type { Db, Tx } from '#infra/database/db'
import {
  deleteStoredValue,
  listStoredValues,
  readStoredValue,
  writeStoredValue,
} from '#infra/database/stored-values'
import type { SecretBox } from '#infra/process/secrets'

export interface BotState {
  readonly online: boolean
  readonly activeOffers: number
  readonly freeSlots: number
  readonly restrictedUntil: Date | null
  readonly seenAt: Date
}

export interface BotMemory {
  readRefreshToken(platformId: string): Promise<string | null>
  /** Written before the token is used: the renewal has spoilt the one before. */
  writeRefreshToken(platformId: string, token: string): Promise<void>
  readState(platformId: string): Promise<BotState | null>
  readStates(): Promise<ReadonlyMap<string, BotState>>
  writeState(platformId: string, state: BotState): Promise<void>
}

/** How the bots are, without their sessions. */
export type StateMemory = Pick<BotMemory, 'readState' | 'readStates' | 'writeState'>

const STATE = 'bot:'
const SESSION = 'bot-session:'

/** As if it had never been seen; one that is configured is seen again. False: it never was. */
export const forgetBot = (tx: Tx, platformId: string): Promise<boolean> =>
  deleteStoredValue(tx, `${STATE}${platformId}`)

/** `secrets` seals the tokens; a process that never acts as a bot has none. */
export function createBotMemory({
  db,
  secrets,
}: {
  readonly db: Db
  readonly secrets: SecretBox | null
}): BotMemory {
  const write = (name: string, value: object): Promise<void> =>
    db.transaction((tx) => writeStoredValue(tx, name, value))

  return {
    async readRefreshToken(platformId) {
      const stored = await readStoredValue<{ sealed: string }>(db, `${SESSION}${platformId}`)
      return stored === null || secrets === null ? null : secrets.open(stored.sealed, platformId)
    },
    async writeRefreshToken(platformId, token) {
      if (secrets === null) throw new Error('a process without a sealing key renews no session')
      await write(`${SESSION}${platformId}`, { sealed: secrets.seal(token, platformId) })
    },
    async readState(platformId) {
      const stored = await readStoredValue<StoredState>(db, `${STATE}${platformId}`)
      return stored === null ? null : stateOf(stored)
    },
    async readStates() {
      const values = await listStoredValues<StoredState>(db, STATE)
      return new Map(values.map(({ name, value }) => [name.slice(STATE.length), stateOf(value)]))
    },
    writeState: (platformId, state) => write(`${STATE}${platformId}`, state),
  }
}

/** As JSON has it: times are texts. */
type StoredState = Omit<BotState, 'restrictedUntil' | 'seenAt'> & {
  readonly restrictedUntil: string | null
  readonly seenAt: string
}

const stateOf = ({ restrictedUntil, seenAt, ...rest }: StoredState): BotState => ({
  ...rest,
  restrictedUntil: restrictedUntil === null ? null : new Date(restrictedUntil),
  seenAt: new Date(seenAt),
})
