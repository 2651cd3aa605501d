// Keys and positions between runs, in a file that only its owner can read.
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
  /** The interface that the key belongs to; a merchant's when left out. */
  readonly speaks?: 'partner'
  /** Signs what `listen` forwards. */
  readonly listenSecret?: string
  /** The control interface of the sandbox behind the service. */
  readonly sandboxUrl?: string
}

/** The position of `listen`. In a file of its own, because it is written with every event. */
export interface Listening {
  /** The address it forwarded to. */
  readonly forwardTo?: string | undefined
  /** The last processed event, and its service. */
  readonly place?: { readonly baseUrl: string; readonly eventId: string } | undefined
}

export const DEFAULT_PROFILE = 'default'

const fileIn = (folder: string): string => join(folder, 'profiles.json')

const listeningFileIn = (folder: string, name: string): string =>
  join(folder, `listening-${encodeURIComponent(name)}.json`)

/** The profile, empty when it was never written. */
export const readProfile = (folder: string, name: string): Profile =>
  (readObject(fileIn(folder)) as Profiles)[name] ?? {}

/** Merges the change into the profile; undefined removes a field. */
export function changeProfile(
  folder: string,
  name: string,
  change: { readonly [Field in keyof Profile]?: Profile[Field] | undefined },
): void {
  const all = readObject(fileIn(folder)) as Profiles
  writeObject(folder, fileIn(folder), { ...all, [name]: { ...all[name], ...change } })
}

/** False when there was none. */
export function deleteProfile(folder: string, name: string): boolean {
  rmSync(listeningFileIn(folder, name), { force: true })
  const { [name]: gone, ...rest } = readObject(fileIn(folder)) as Profiles
  if (gone === undefined) return false
  if (Object.keys(rest).length > 0) writeObject(folder, fileIn(folder), rest)
  else rmSync(fileIn(folder))
  return true
}

export const readListening = (folder: string, name: string): Listening =>
  readObject(listeningFileIn(folder, name))

export const writeListening = (folder: string, name: string, listening: Listening): void =>
  writeObject(folder, listeningFileIn(folder, name), listening)

type Profiles = Readonly<Record<string, Profile>>

function readObject(path: string): object {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new CommandError(`${path} cannot be read: ${(error as Error).message}`)
  }
  // A copied file may have another mode.
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600)
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // Reported below.
  }
  throw new CommandError(`${path} is damaged.`, undefined, ['Remove it and log in again.'])
}

/** A reader sees the old file or the new one, and only the owner can read either. */
function writeObject(folder: string, path: string, value: object): void {
  const next = `${path}.${process.pid}.tmp`
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(next, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
    renameSync(next, path)
  } catch (error) {
    throw new CommandError(`${path} cannot be written: ${(error as Error).message}`)
  }
}
