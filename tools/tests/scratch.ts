// Where the tests of a run keep what is thrown away: their databases, data folders and profiles of browsers.
import { mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from '../../apps/server/src/infra/process/processes.ts'

export interface Scratch {
  readonly folder: string
  close(): void
}

const IN_MEMORY = '/dev/shm'
/** More than a whole run has at once, beside its processes. */
const LEAST_BYTES = 8 * 1024 ** 3

/**
 * In memory where Linux has enough of it: to make and drop a database, which has a thousand files, takes 0.06
 * s of a processor there and 0.7 s on ext4, which passes over every inode that was deleted within the last
 * minute to find a free one. Processes of the run find the folder as their TMPDIR. `onLeft` gets folders of
 * killed runs before they are removed.
 */
export async function openScratch(onLeft: (folder: string) => Promise<void>): Promise<Scratch> {
  const onDisk = tmpdir()
  for (const parent of new Set([onDisk, IN_MEMORY])) await sweep(parent, onLeft)
  const folder = join(hasMemory() ? IN_MEMORY : onDisk, `tradepost-test-${process.pid}`)
  mkdirSync(folder)
  process.env.TMPDIR = folder
  return {
    folder,
    close: () => {
      process.env.TMPDIR = onDisk
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY)
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === IN_MEMORY)
    const runsPrograms = mount !== undefined && !/\bnoexec\b/.test(mount)
    return runsPrograms && bavail * bsize >= LEAST_BYTES && freemem() >= 2 * LEAST_BYTES
  } catch {
    return false
  }
}

async function sweep(parent: string, onLeft: (folder: string) => Promise<void>): Promise<void> {
  let names: string[] = []
  try {
    names = readdirSync(parent)
  } catch {
    // There is no such folder on this system.
  }
  for (const name of names) {
    const pid = Number(/^tradepost-test-(\d+)$/.exec(name)?.[1])
    if (!pid || isAlive(pid)) continue
    await onLeft(join(parent, name))
    rmSync(join(parent, name), { recursive: true, force: true })
  }
}
