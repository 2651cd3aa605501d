// The file of PLATFORM_CALL_KINDS: what the platform expects of a call changes more often than we release.
import { readFileSync } from 'node:fs'
import { CannotStart } from '#infra/process/cannot-start'
import { CALL_KINDS, type CallKinds, readCallKinds } from '../adapters/game-platform/call-kinds.ts'

export function openCallKinds(path: string | null): CallKinds {
  if (path === null) return CALL_KINDS
  try {
    return readCallKinds(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new CannotStart(
      `PLATFORM_CALL_KINDS names a file that cannot be used: ${(error as Error).message}.`,
    )
  }
}
