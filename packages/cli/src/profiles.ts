// Keys and places between runs: one file for the person alone.
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { CommandError } from './failure.ts'

export interface Profile {
  readonly baseUrl?: string
  readonly apiKey?: string
  /** Signs what `listen` forwards. */
  readonly listenSecret?: string
  /** Where `listen` forwarded to last. */
  readonly forwardTo?: string
  /** The last event that `listen` dealt with, and the service that told it. */
  readonly place?: { readonly baseUrl: string; readonly eventId: string }
  /** The control interface of the sandbox behind the service. */
  readonly sandboxUrl?: string
}

export const DEFAULT_PROFILE = 'default'

const fileIn = (folder: string): string => join(folder, 'profiles.json')

/** The profile, empty when it was never written. */
export const readProfile = (folder: string, name: string): Profile => readAll(folder)[name] ?? {}

/** Writes the change over what is there; undefined takes a field away. */
export function changeProfile(
  folder: string,
  name: string,
  change: { readonly [Field in keyof Profile]?: Profile[Field] | undefined },
): void {
  const all = readAll(folder)
  const fields = Object.entries({ ...all[name], ...change }).filter(
    ([, value]) => value !== undefined,
  )
  writeAll(folder, { ...all, [name]: Object.fromEntries(fields) })
}

/** False when there was none. */
export function deleteProfile(folder: string, name: string): boolean {
  const { [name]: gone, ...rest } = readAll(folder)
  if (gone === undefined) return false
  if (Object.keys(rest).length > 0) writeAll(folder, rest)
  else rmSync(fileIn(folder))
  return true
}

type Profiles = Readonly<Record<string, Profile>>

function readAll(folder: string): Profiles {
  const path = fileIn(folder)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new CommandError(`${path} cannot be read: ${(error as Error).message}`)
  }
  // Somebody may have copied it with other rights.
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600)
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Profiles
  } catch {
    // Told below.
  }
  throw new CommandError(`${path} is damaged.`, undefined, ['Remove it and log in again.'])
}

/** A reader sees the old file or the new one, and nobody else sees either. */
function writeAll(folder: string, profiles: Profiles): void {
  const path = fileIn(folder)
  const next = `${path}.${process.pid}.tmp`
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(next, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 })
    renameSync(next, path)
  } catch (error) {
    throw new CommandError(`${path} cannot be written: ${(error as Error).message}`)
  }
}
