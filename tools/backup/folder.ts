// The folder of the copies:
//   base/<name>/data/…          the files of the database, with the log that makes them consistent
//   base/<name>/manifest.json   what they are, with a checksum of each; no secret
//   wal/<segment>.gz            the log since the first of them, as the server archives it
//   rehearsed.json              when a copy was last restored and found right
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Applied } from '../../apps/server/src/infra/database/schema-history.ts'
import { CannotStart } from '../../apps/server/src/infra/process/cannot-start.ts'
import { isAlive } from '../../apps/server/src/infra/process/processes.ts'
import { writeAtomically } from '../../apps/server/src/main/data-folder.ts'

/** Rises when an older version could no longer restore the copy. */
const FORMAT = 1

export interface Manifest {
  readonly format: number
  readonly startedAt: string
  /** From this time on it can be restored. */
  readonly finishedAt: string
  readonly way: 'pg_basebackup' | 'files'
  readonly postgres: string
  readonly systemIdentifier: string
  readonly timeline: number
  readonly segmentBytes: number
  /** Segments of the log: the first that a restore reads, and the last that the copy itself has. */
  readonly firstSegment: string
  readonly lastSegment: string
  readonly database: string
  /** The superuser that the server was initialised with. */
  readonly owner: string
  /** A server with smaller ones does not recover the copy. */
  readonly leastSettings: Readonly<Record<string, string>>
  readonly migrations: readonly Applied[]
  /** Names of the keys that seal secrets, the current one first. */
  readonly keyIds: readonly string[]
  readonly bytes: number
  readonly files: readonly CopiedFile[]
}

export interface CopiedFile {
  /** Below `data/`. */
  readonly path: string
  readonly bytes: number
  readonly sha256: string
}

export interface Copy {
  readonly name: string
  readonly folder: string
  readonly manifest: Manifest
}

export interface Rehearsal {
  readonly at: string
  readonly copy: string
  readonly seconds: number
}

export interface CopyFolder {
  readonly path: string
  readonly base: string
  readonly wal: string
}

export const copyFolderAt = (path: string): CopyFolder => {
  const whole = resolve(path)
  return { path: whole, base: join(whole, 'base'), wal: join(whole, 'wal') }
}

/** Makes it where it is missing, and removes what a copy that was killed has left. */
export function openForWriting(path: string): CopyFolder {
  const folder = copyFolderAt(path)
  // The server puts the name into a shell command.
  if (/['"%\\\n]/.test(folder.path)) {
    throw new CannotStart(`The name ${folder.path} has a quote, a percent sign or a backslash.`)
  }
  try {
    for (const part of [folder.base, folder.wal]) mkdirSync(part, { recursive: true, mode: 0o711 })
  } catch (error) {
    throw new CannotStart(`${folder.path} cannot be made: ${(error as Error).message}.`)
  }
  for (const name of readdirSync(folder.base)) {
    const pid = /^[.]new-(\d+)$/.exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid)))
      rmSync(join(folder.base, name), { recursive: true })
  }
  return folder
}

/** The whole ones, oldest first. Refuses a folder that is none. */
export function listCopies({ path, base }: CopyFolder): Copy[] {
  if (!existsSync(base))
    throw new CannotStart(`${path} has no copies: npm run backup -- --to ${path}`)
  return readdirSync(base)
    .filter((name) => !name.startsWith('.'))
    .sort()
    .map((name) => ({ name, folder: join(base, name), manifest: readManifest(join(base, name)) }))
}

function readManifest(folder: string): Manifest {
  let manifest: Manifest
  try {
    manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest
  } catch (error) {
    throw new CannotStart(`The manifest of ${folder} cannot be read: ${(error as Error).message}.`)
  }
  if (manifest.format <= FORMAT) return manifest
  throw new CannotStart(`${folder} was written by a newer version of Tradepost. Use that version.`)
}

export function writeManifest(folder: string, about: Omit<Manifest, 'format'>): Manifest {
  const manifest = { format: FORMAT, ...about }
  writeAtomically(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 1)}\n`)
  return manifest
}

/** Of what was thrown while a file was written there: a sentence where its disk is full. */
export function namedWhereFull(error: unknown, path: string): unknown {
  const isFull =
    (error as NodeJS.ErrnoException).code === 'ENOSPC' || /No space left/.test(String(error))
  return isFull ? new CannotStart(`The disk of ${path} is full: nothing was kept.`) : error
}

export function readRehearsal({ path }: CopyFolder): Rehearsal | null {
  const file = join(path, 'rehearsed.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Rehearsal) : null
}

export const writeRehearsal = ({ path }: CopyFolder, rehearsal: Rehearsal): void =>
  writeAtomically(join(path, 'rehearsed.json'), `${JSON.stringify(rehearsal)}\n`)

/** Removes all but the newest copies, and the log that only they need. Returns their names. */
export function removeOldCopies(folder: CopyFolder, keep: number): string[] {
  const copies = listCopies(folder)
  const old = copies.slice(0, Math.max(0, copies.length - keep))
  for (const copy of old) rmSync(copy.folder, { recursive: true })
  const first = copies[old.length]?.manifest.firstSegment
  if (old.length === 0 || first === undefined) return []
  for (const name of readdirSync(folder.wal)) {
    const segment = /^([0-9A-F]{24})[.]gz$/.exec(name)?.[1]
    // Behind its timeline, a name counts upwards.
    if (segment && segment.slice(8) < first.slice(8)) rmSync(join(folder.wal, name))
  }
  return old.map(({ name }) => name)
}

export interface Archived {
  readonly segment: string
  readonly archivedAt: Date
}

/** The log in the archive, in its order. */
export function listArchived({ wal }: CopyFolder): Archived[] {
  if (!existsSync(wal)) return []
  return readdirSync(wal)
    .map((name) => /^([0-9A-F]{24})[.]gz$/.exec(name)?.[1])
    .filter((segment) => segment !== undefined)
    .sort((a, b) => (a.slice(8) < b.slice(8) ? -1 : 1))
    .map((segment) => ({ segment, archivedAt: statSync(join(wal, `${segment}.gz`)).mtime }))
}

export interface Reach {
  /** Up to when the copy can be restored: the end of the unbroken log behind it. */
  readonly until: Date
  /** The first segment that is missing although later ones are there. */
  readonly missing: string | null
}

/** How far the log reaches from a copy on, over all timelines that follow its own. */
export function reachOf({ manifest }: Copy, archived: readonly Archived[]): Reach {
  const perLog = 0x1_0000_0000 / manifest.segmentBytes
  const numberOf = (segment: string): number =>
    Number.parseInt(segment.slice(8, 16), 16) * perLog + Number.parseInt(segment.slice(16), 16)
  const hex = (value: number): string => value.toString(16).toUpperCase().padStart(8, '0')
  let at = numberOf(manifest.lastSegment)
  let until = new Date(manifest.finishedAt)
  for (const { segment, archivedAt } of archived) {
    if (Number.parseInt(segment.slice(0, 8), 16) < manifest.timeline) continue
    const number = numberOf(segment)
    if (number > at + 1) {
      const missing = at + 1
      const name = `${segment.slice(0, 8)}${hex(Math.floor(missing / perLog))}${hex(missing % perLog)}`
      return { until, missing: name }
    }
    if (number <= at && archivedAt < until) continue
    at = Math.max(at, number)
    until = archivedAt
  }
  return { until, missing: null }
}
