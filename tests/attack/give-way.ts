// Who gives way on the cores of one machine: attackers and suppliers, which have machines of their own in
// production, to everything else; and everything else to the api, as its unit says (docs/scaling-out.md).
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface GaveWay {
  /** They run only while nothing else wants a core, and end their turn at once when something does. */
  readonly isIdle: boolean
  /** This process goes on as before, and what was made for it is removed. */
  end(): void
}

/**
 * Every thread of the processes gets a core only while no other process wants it (SCHED_IDLE of sched(7)),
 * and so does their control group: Linux shares out cores by session first (autogroups), where the idle
 * threads of one session keep their turn of some milliseconds from those of another. Making a control group
 * takes root; without one the sessions get the least weight.
 */
export function giveWay(pids: readonly number[]): GaveWay {
  const group = openIdleGroup()
  for (const pid of pids) {
    execFileSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(pid)])
    weigh(pid, LAST)
    group?.add(pid)
  }
  return { isIdle: group !== null, end: () => group?.close() }
}

/**
 * The session of a process goes before all others, as CPUWeight in its unit does (docs/scaling-out.md). Only
 * root may do that: false, and nothing is changed, for anyone else.
 */
export function goFirst(pid: number): boolean {
  try {
    return weigh(pid, FIRST)
  } catch (error) {
    if (isRefused(error)) return false
    throw error
  }
}

/** Nice values of a session: a seventieth, and nine times, of what others get. */
const LAST = 19
const FIRST = -10

/** False where Linux does not share out processors by session. */
function weigh(pid: number, nice: number): boolean {
  const file = `/proc/${pid}/autogroup`
  if (!existsSync(file)) return false
  writeFileSync(file, String(nice))
  return true
}

/** Where control groups of processors are: of their first version, and of their second. */
const CONTROL_GROUPS = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup']

/** cpu.idle of cgroups(7). Null where this process may make no such group, or Linux has none. */
function openIdleGroup(): { add(pid: number): void; close(): void } | null {
  for (const parent of CONTROL_GROUPS) {
    const folder = join(parent, `tradepost-attack-${process.pid}`)
    if (!existsSync(join(parent, 'cgroup.procs'))) continue
    try {
      mkdirSync(folder)
    } catch (error) {
      if (isRefused(error)) return null
      throw error
    }
    if (!existsSync(join(folder, 'cpu.idle'))) {
      rmdirSync(folder)
      continue
    }
    writeFileSync(join(folder, 'cpu.idle'), '1')
    const put = (group: string, pid: number) =>
      writeFileSync(join(group, 'cgroup.procs'), String(pid))
    return {
      add: (pid) => put(folder, pid),
      close: () => {
        put(parent, process.pid)
        // Processes of the attack that end a moment later keep an empty group.
        try {
          rmdirSync(folder)
        } catch (error) {
          if (codeOf(error) !== 'EBUSY') throw error
        }
      },
    }
  }
  return null
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ''
const isRefused = (error: unknown): boolean => ['EPERM', 'EACCES', 'EROFS'].includes(codeOf(error))
