// How a server in a folder is reached: its port and its password, kept in a file of mode 600.
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { commandLineOf } from '../src/infra/process/processes.ts'

/** The name of the database, and of its owner. */
export const DATABASE = 'tradepost'

export interface Access {
  readonly password: string
  readonly port: number
}

export const urlOf = ({ password, port }: Access, database: string): string =>
  `postgres://${DATABASE}:${password}@127.0.0.1:${port}/${database}`

export function readAccess(folder: string): Access | null {
  const file = accessFile(folder)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Access) : null
}

/** Atomic, because a half-written file would lose the password of the database. */
export function writeAccess(folder: string, access: Access): void {
  const file = accessFile(folder)
  writeFileSync(`${file}.new`, `${JSON.stringify(access)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

const accessFile = (folder: string): string => join(folder, 'access.json')

/** The process that the server's own file names, whether or not it lives. */
export function readServerPid(data: string): number | null {
  const file = join(data, 'postmaster.pid')
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0
  return Number.isInteger(pid) && pid > 0 ? pid : null
}

/** A bare process id may have been given out again: the command line must name the folder. */
export const isServerOf = (pid: number, data: string): boolean =>
  commandLineOf(pid)?.includes(`-D ${data} -p `) === true

/** The URL of a server that runs in the folder, started by another process; null when none does. */
export function findRunningPostgres(folder: string): string | null {
  const access = readAccess(folder)
  const data = join(folder, 'data')
  const pid = readServerPid(data)
  if (!access || pid === null || !isServerOf(pid, data)) return null
  return urlOf(access, DATABASE)
}

/** Folders of the servers of ours that run on this machine, of any user. Linux alone lists them. */
export function listRunningFolders(): string[] {
  if (!existsSync('/proc/self')) return []
  const folders = readdirSync('/proc').flatMap((name) => {
    const data = / -D (.+\/data) -p \d+/.exec(commandLineOf(Number(name)) ?? '')?.[1]
    return data === undefined ? [] : [dirname(data)]
  })
  return [...new Set(folders)]
}
