// Who gets the cores of one machine first, as the units say (docs/scaling-out.md): the api and the database,
// then the worker. Attackers and suppliers have machines of their own in production: they take what is left.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Processes, and all that they start from then on, that share what their control group gets. */
export interface Party {
  readonly name: string
  readonly pids: readonly number[]
  /** CPUWeight of systemd.resource-control(5), 100 where a unit has none; idle: what no other group wants. */
  readonly weight: number | 'idle'
}

export interface SharedProcessors {
  /** False: nothing was changed but for idle parties, which have the least weight that there is. */
  readonly isWeighted: boolean
  /** Processes are where they were, and the groups are removed. */
  end(): void
}

/**
 * Making control groups takes root and a kernel that has `cpu.idle`. Every thread of an idle party is one of
 * SCHED_IDLE in any case: it ends its turn at once when another of its group wants the core.
 */
export function shareProcessors(parties: readonly Party[]): SharedProcessors {
  const groups = openGroups(parties)
  for (const { name, pids, weight } of parties) {
    if (weight === 'idle') pids.forEach(makeIdle)
    groups?.put(pids, name)
  }
  return { isWeighted: groups !== null, end: () => groups?.close() }
}

/** A process, those that it has started, and theirs. */
export function withChildren(pid: number): number[] {
  const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  return [pid, ...pids.map(Number).flatMap(withChildren)]
}

/** A session has a weight of its own where Linux shares out cores by session (autogroups of sched(7)). */
function makeIdle(pid: number): void {
  execFileSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(pid)])
  const session = `/proc/${pid}/autogroup`
  if (existsSync(session)) writeFileSync(session, '19')
}

/** Where control groups of processors are, and the file and the scale of their weights: versions 1 and 2. */
const CONTROLLERS = [
  { root: '/sys/fs/cgroup/cpu', file: 'cpu.shares', perWeight: 1024 / 100 },
  { root: '/sys/fs/cgroup', file: 'cpu.weight', perWeight: 1 },
]

interface Groups {
  put(pids: readonly number[], name: string): void
  close(): void
}

/** Null where this process may make no such group, or Linux has none. */
function openGroups(parties: readonly Party[]): Groups | null {
  const controller = CONTROLLERS.find(({ root }) => existsSync(join(root, 'cgroup.procs')))
  if (controller === undefined) return null
  const { root, file, perWeight } = controller
  const folderOf = (name: string) => join(root, `tradepost-attack-${process.pid}-${name}`)
  const made: string[] = []
  const removeAll = (): void => made.forEach(removeGroup)
  try {
    for (const { name, weight } of parties) {
      const folder = folderOf(name)
      mkdirSync(folder)
      made.push(folder)
      if (weight === 'idle') writeFileSync(join(folder, 'cpu.idle'), '1')
      else writeFileSync(join(folder, file), String(Math.round(weight * perWeight)))
    }
  } catch (error) {
    removeAll()
    if (REFUSALS.includes(codeOf(error))) return null
    throw error
  }
  const move = (pid: number, folder: string): void => {
    try {
      writeFileSync(join(folder, 'cgroup.procs'), String(pid))
    } catch (error) {
      // It has ended.
      if (codeOf(error) !== 'ESRCH') throw error
    }
  }
  return {
    put: (pids, name) => {
      for (const pid of pids) move(pid, folderOf(name))
    },
    close: () => {
      for (const folder of made) {
        const pids = readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean)
        for (const pid of pids) move(Number(pid), root)
      }
      removeAll()
    },
  }
}

function removeGroup(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    // A process that ends is in its group until its parent has asked how.
    if (codeOf(error) !== 'EBUSY') throw error
  }
}

/** No root, no writable file system, a kernel without the file. */
const REFUSALS = ['EPERM', 'EACCES', 'EROFS', 'ENOENT']

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ''
