// What this process has sent, or was about to send, noted in files outside the database: when a failover has
// lost the newest commits, these say which. A line is in the file before its call leaves, without a flush to
// the disk: it survives the process, and not the machine.
//
// Each process has files of its own, named by its id and the moment of its start, and begins another when one
// is large or a day old. A line is numbered and has a checksum, so that damage shows. A last line without its
// end is the trace of a crash, and was never acted on.
import {
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { CannotStart } from './cannot-start.ts'
import type { Clock } from './clock.ts'

export interface Intent {
  /** Behind which gate it left: a market, `bots` or `payments`. */
  readonly gate: string
  readonly [field: string]: string | number | null
}

export interface IntentFiles {
  /** Throws when it could not be written: then the files are put aside, and say nothing any more. */
  append(intent: Intent): void
  /** What this process appended since then, oldest first; null when its files are damaged or gone. */
  readSince(monotonicMs: number): Intent[] | null
  /**
   * What another process appended; null when its files are damaged or not here, or when this machine was
   * started since: it may have lost the newest lines.
   */
  readOther(processId: string): OtherProcess | null
  /**
   * What any process appended since then, whichever machine and database it ran on, file by file; without the
   * lines that are damaged.
   */
  readAll(since: Date): Iterable<readonly Intent[]>
  /** Begins another file once a day, and removes those that are too old or too many. */
  tidy(): void
  close(): void
}

export interface OtherProcess {
  /** For which gates it ever appended anything. */
  readonly gates: ReadonlySet<string>
  /** The newest, oldest first: more than a failover can lose. */
  readonly recent: readonly Intent[]
}

export interface IntentFilesOptions {
  readonly folder: string
  readonly processId: string
  /** The identifier of the database's cluster. */
  readonly system: string
  readonly clock: Clock
  readonly monotonicMs?: () => number
  /** Bytes after which another file is begun, and of all files together. */
  readonly fileBytes?: number
  readonly folderBytes?: number
  /** Differs after each start of the machine; null where that is unknown. */
  readonly bootId?: string | null
}

const FILE_BYTES = 8 * 2 ** 20
const FOLDER_BYTES = 2 ** 30
const DAY_MS = 24 * 3_600_000
const KEPT_MS = 7 * DAY_MS
const HEADER_BYTES = 4096

/** The first line of a file. */
interface Header extends Numbered {
  readonly version: 1
  readonly system: string
  readonly processId: string
  readonly bootId: string | null
  /** For which gates the process had appended something when it began this file. */
  readonly gates: readonly string[]
}

interface Numbered {
  /** Counts the lines of a process, those of its earlier files included. */
  readonly n: number
  /** By the clock of the process, which may be set, and by one that only goes forward. */
  readonly at: string
  readonly monotonicMs: number
}

interface Line extends Numbered {
  readonly intent: Intent
}

interface OwnFile {
  readonly path: string
  /** Monotonic. */
  readonly beganMs: number
  readonly fd: number
  bytes: number
}

/**
 * Makes the folder if need be and begins a file. Another owner, or files that others can read, keep the
 * process from starting: what is noted there decides what is bought and paid again.
 */
export function openIntentFiles(options: IntentFilesOptions): IntentFiles {
  const { folder, processId, system, clock } = options
  const { fileBytes = FILE_BYTES, folderBytes = FOLDER_BYTES } = options
  const { monotonicMs = () => performance.now(), bootId = readBootId() } = options
  prepareFolder(folder)
  const own: OwnFile[] = []
  const gates = new Set<string>()
  let lines = 0
  let isBroken = false

  const write = (file: OwnFile, content: object): void => {
    const numbered = { n: lines, at: clock.now().toISOString(), monotonicMs: monotonicMs() }
    const line = Buffer.from(lineOf({ ...numbered, ...content }))
    if (writeSync(file.fd, line) < line.length) throw new Error('the disk is full')
    lines++
    file.bytes += line.length
  }
  const startName = firstFreeName(folder, clock.now().getTime())
  const begin = (): OwnFile => {
    const path = join(folder, `${startName}-${String(own.length + 1).padStart(6, '0')}`)
    const beganMs = monotonicMs()
    const file = { path, beganMs, fd: openSync(path, CREATE, 0o600), bytes: 0 }
    own.push(file)
    write(file, { version: 1, system, processId, bootId, gates: [...gates] })
    return file
  }
  let current = firstOf(begin, folder)
  const goOn = (): void => {
    if (current.bytes < fileBytes && monotonicMs() - current.beganMs < DAY_MS) return
    const { fd } = current
    current = begin()
    closeSync(fd)
    removeOld(folder, { current: current.path, nowMs: clock.now().getTime(), folderBytes })
  }
  const putAside = (): void => {
    isBroken = true
    for (const { path } of own) {
      try {
        renameSync(path, `${path}.broken`)
      } catch {
        // It was removed for its age: nothing can be read from it.
      }
    }
  }
  removeOld(folder, { current: current.path, nowMs: clock.now().getTime(), folderBytes })
  return {
    append: (intent) => {
      if (isBroken) throw new Error('what was sent is not noted any more')
      try {
        goOn()
        write(current, { intent })
      } catch (error) {
        putAside()
        throw error
      }
      gates.add(intent.gate)
    },
    readSince: (sinceMs) => {
      if (isBroken) return null
      const first = own.findLastIndex(({ beganMs }) => beganMs <= sinceMs)
      const read = readFiles(own.slice(Math.max(first, 0)).map(({ path }) => path))
      if (read === null || read.headers.some((header) => header.system !== system)) return null
      // A file that was cut at the end of a line has no other sign of it.
      if (read.next !== lines) return null
      return read.lines.flatMap((line) => (line.monotonicMs >= sinceMs ? [line.intent] : []))
    },
    readOther: (other) => {
      const names = namesIn(folder).sort()
      const paths = names.map((name) => join(folder, name))
      const ofOther = paths.filter((path) => readHeader(path)?.processId === other)
      const read = ofOther.length === 0 ? null : readFiles(ofOther.slice(-2))
      if (read === null || bootId === null) return null
      if (read.headers.some((header) => header.system !== system || header.bootId !== bootId)) {
        return null
      }
      const recent = read.lines.map(({ intent }) => intent)
      const earlier = read.headers.flatMap((header) => header.gates)
      return { gates: new Set([...earlier, ...recent.map(({ gate }) => gate)]), recent }
    },
    readAll: (since) => readEveryFile(folder, since),
    tidy: () => {
      if (!isBroken) goOn()
    },
    close: () => {
      isBroken = true
      closeSync(current.fd)
    },
  }
}

const CREATE = constants.O_CREAT | constants.O_EXCL | constants.O_APPEND | constants.O_WRONLY

/** What is appended without a flush survives everything but a new start of the machine. Of Linux alone. */
function readBootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return null
  }
}

function firstOf(begin: () => OwnFile, folder: string): OwnFile {
  try {
    return begin()
  } catch (error) {
    throw new CannotStart(`${folder} cannot be written to: ${(error as Error).message}.`)
  }
}

function prepareFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new CannotStart(`${folder} cannot be made: ${(error as Error).message}.`)
  }
  refuseUnsafe(folder, 'directory')
  for (const name of readdirSync(folder)) refuseUnsafe(join(folder, name), 'file')
}

function refuseUnsafe(path: string, wanted: 'directory' | 'file'): void {
  // Another process may have removed it in this moment.
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return
  if (wanted === 'directory' ? !found.isDirectory() : !found.isFile()) {
    throw new CannotStart(`${path} is no ${wanted}. Remove it.`)
  }
  if (process.getuid !== undefined && found.uid !== process.getuid()) {
    throw new CannotStart(
      `${path} belongs to user ${found.uid}, this process to user ${process.getuid()}. Start it as ` +
        'that user, or give it another DATA_DIR.',
    )
  }
  if ((found.mode & 0o077) !== 0) {
    const mode = (found.mode & 0o777).toString(8)
    throw new CannotStart(
      `${path} has mode ${mode}, and other users may reach it. What it says decides what is sent: make ` +
        `sure that it is as Tradepost wrote it, and \`chmod go= ${path}\`.`,
    )
  }
}

/** A process id may be given out again in the same millisecond once the clock was set back. */
function firstFreeName(folder: string, startedMs: number): string {
  const names = namesIn(folder)
  for (let ms = startedMs; ; ms++) {
    const name = `${process.pid}-${ms}`
    if (!names.some((each) => each.startsWith(`${name}-`))) return name
  }
}

const NAME = /^(?<start>\d+-\d+)-\d{6}$/
/** Also of those that were put aside. */
const ANY_NAME = /^\d+-\d+-\d{6}(\.broken)?$/
const namesIn = (folder: string): string[] => readdirSync(folder).filter((name) => NAME.test(name))

const lineOf = (content: object): string => {
  const json = JSON.stringify(content)
  return `${checksum(json)} ${json}\n`
}

const checksum = (json: string): string => crc32(json).toString(16).padStart(8, '0')

interface Read {
  readonly headers: readonly Header[]
  readonly lines: readonly Line[]
  /** The number that the next line would have. */
  readonly next: number
}

/** Files of one process, one after the other; null when a line of them is damaged or lacking. */
function readFiles(paths: readonly string[]): Read | null {
  const headers: Header[] = []
  const lines: Line[] = []
  let next: number | null = null
  for (const path of paths) {
    const [header, ...rest] = readLines(path) ?? []
    if (!isHeader(header)) return null
    headers.push(header)
    next ??= header.n
    for (const line of [header, ...rest]) {
      if (line === null || line.n !== next) return null
      next++
    }
    lines.push(...(rest as Line[]))
  }
  return { headers, lines, next: next ?? 0 }
}

function* readEveryFile(folder: string, since: Date): Iterable<readonly Intent[]> {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name)
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (!ANY_NAME.test(name) || found === undefined || found.mtimeMs < since.getTime()) continue
    yield (readLines(path) ?? []).flatMap((line) =>
      line !== null && 'intent' in line && new Date(line.at) >= since ? [line.intent] : [],
    )
  }
}

const isHeader = (line: Header | Line | null | undefined): line is Header =>
  line != null && 'version' in line && line.version === 1

/** The beginning of a file is enough for it. */
function readHeader(path: string): Header | null {
  const bytes = Buffer.alloc(HEADER_BYTES)
  try {
    const fd = openSync(path, 'r')
    const length = readSync(fd, bytes)
    closeSync(fd)
    const [line = ''] = bytes.toString('utf8', 0, length).split('\n')
    const header = parse(line)
    return isHeader(header) ? header : null
  } catch {
    return null
  }
}

/** Null for a line that is damaged; what follows the last end of a line is left out. */
function readLines(path: string): (Header | Line | null)[] | null {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return null
  }
  return text.split('\n').slice(0, -1).map(parse)
}

function parse(line: string): Header | Line | null {
  const json = line.slice(9)
  if (line.slice(0, 9) !== `${checksum(json)} `) return null
  return JSON.parse(json) as Header | Line
}

/**
 * Removes what is older than a week, then the oldest until all of it fits. The newest file of a process goes
 * last: it may write to it, and begins another every day.
 */
function removeOld(
  folder: string,
  {
    current,
    nowMs,
    folderBytes,
  }: { readonly current: string; readonly nowMs: number; readonly folderBytes: number },
): void {
  const files = readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const found = lstatSync(join(folder, name), { throwIfNoEntry: false })
      return found === undefined ? [] : [{ name, bytes: found.size, ms: found.mtimeMs }]
    })
  const newest = new Map(files.map(({ name }) => [NAME.exec(name)?.groups?.start ?? name, name]))
  const isNewest = ({ name }: { readonly name: string }): boolean =>
    [...newest.values()].includes(name)
  let bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const inTurn = files.toSorted(
    (one, other) => Number(isNewest(one)) - Number(isNewest(other)) || one.ms - other.ms,
  )
  for (const file of inTurn) {
    const isOurs = join(folder, file.name) === current
    if (isOurs || (nowMs - file.ms <= KEPT_MS && bytes <= folderBytes)) continue
    rmSync(join(folder, file.name), { force: true })
    bytes -= file.bytes
  }
}
