// The folder in which an all-in-one installation keeps everything. One process at a time owns it.
import { randomBytes } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { MarkFile } from '#infra/database/recovery-mark'
import { CannotStart } from '#infra/process/cannot-start'
import { startMarkOf } from '#infra/process/processes'

export interface DataFolder {
  readonly path: string
  readonly isNew: boolean
  release(): void
}

/** Rises when an older version could no longer use the folder. */
const FORMAT = 1

/** Makes the folder if need be and takes it for this process. */
export function takeDataFolder(path: string): DataFolder {
  refuseUnwritable(path)
  checkFormat(path)
  takeLock(path)
  const isNew = !existsSync(join(path, 'format.json'))
  if (isNew) writeAtomically(join(path, 'format.json'), `${JSON.stringify({ format: FORMAT })}\n`)
  return { path, isNew, release: () => rmSync(join(path, 'lock'), { force: true }) }
}

/** Makes the folder if need be; refuses one that this user may not write to. */
export function refuseUnwritable(path: string): void {
  try {
    // Not closed to others: the database may run as another user, who must pass through.
    mkdirSync(path, { recursive: true, mode: 0o711 })
  } catch (error) {
    throw new CannotStart(`DATA_DIR ${path} cannot be made: ${(error as Error).message}.`)
  }
  try {
    accessSync(path, constants.W_OK)
  } catch (error) {
    throw new CannotStart(`DATA_DIR ${path} cannot be written to: ${(error as Error).message}.`)
  }
}

/** A whole file or none, readable by its owner alone. */
export function writeAtomically(path: string, text: string): void {
  const draft = `${path}.${process.pid}.new`
  writeFileSync(draft, text, { mode: 0o600 })
  renameSync(draft, path)
}

/** Where this machine keeps its recovery mark. The folder may be shared by several processes. */
export function recoveryMarkFile(dataDir: string): MarkFile {
  const path = join(dataDir, 'recovery-mark')
  return {
    read: () => readIfThere(path),
    write: (text) => {
      mkdirSync(dataDir, { recursive: true, mode: 0o711 })
      writeAtomically(path, text)
    },
  }
}

/** Where an api process keeps the status of the service, for a start without the database. */
export function statusFile(dataDir: string): {
  read(): string | null
  write(text: string): void
} {
  const path = join(dataDir, 'status.json')
  return {
    read: () => readIfThere(path),
    write: (text) => {
      mkdirSync(dataDir, { recursive: true, mode: 0o711 })
      writeAtomically(path, text)
    },
  }
}

function checkFormat(path: string): void {
  const file = join(path, 'format.json')
  if (!existsSync(file)) return
  const { format } = JSON.parse(readFileSync(file, 'utf8')) as { format: number }
  if (format <= FORMAT) return
  throw new CannotStart(
    `DATA_DIR ${path} was written by a newer version of Tradepost. Start that version, or choose ` +
      'another DATA_DIR.',
  )
}

/** The owner is named with the moment of its start: a bare process id may have been given out again. */
function takeLock(path: string): void {
  const lock = join(path, 'lock')
  const own = JSON.stringify({ pid: process.pid, mark: startMarkOf(process.pid) })
  const draft = `${lock}.${randomBytes(4).toString('hex')}`
  writeFileSync(draft, own)
  try {
    for (let attempt = 0; attempt < 10; attempt++) {
      if (linkIfAbsent(draft, lock)) return
      const found = readIfThere(lock)
      if (found === null) continue
      if (isHeld(found)) {
        const { pid } = JSON.parse(found) as { pid: number }
        throw new CannotStart(
          `DATA_DIR ${path} is in use by another running Tradepost (process ${pid}). Stop it, or ` +
            'choose another DATA_DIR.',
        )
      }
      removeStale(lock, found)
    }
  } finally {
    rmSync(draft, { force: true })
  }
  throw new CannotStart(`DATA_DIR ${path} is being taken by other processes at this moment.`)
}

function isHeld(lock: string): boolean {
  try {
    const { pid, mark } = JSON.parse(lock) as { pid: number; mark: string | null }
    return mark !== null && startMarkOf(pid) === mark
  } catch {
    return false
  }
}

/** Moves the lock away before it is removed: what another process has put there meanwhile goes back. */
function removeStale(lock: string, stale: string): void {
  const aside = `${lock}.${randomBytes(4).toString('hex')}`
  try {
    renameSync(lock, aside)
  } catch {
    return
  }
  if (readIfThere(aside) !== stale) linkIfAbsent(aside, lock)
  rmSync(aside, { force: true })
}

function linkIfAbsent(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
