// The program of the threads that hash passwords.
import { argon2Sync } from 'node:crypto'
import { answerInBackground } from '#infra/process/background-thread'

/** Of argon2id, RFC 9106. */
export interface Hashing {
  readonly message: string
  readonly nonce: Uint8Array
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
  readonly tagLength: number
}

answerInBackground((hashing: Hashing): Uint8Array => argon2Sync('argon2id', hashing))
