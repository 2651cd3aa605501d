// What can be known of another process on this machine. A bare process id proves little: ids are given
// out again, quickly so in containers, so an id is always compared with a command line or a start time.
import { type ChildProcess, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !isZombie(pid)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The command line of a process with spaces between its words; null when it is gone. */
export function commandLineOf(pid: number): string | null {
  return (
    fromProc(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ').trim() ??
    fromPs(pid, 'command=') ??
    null
  )
}

/** A text that differs between two processes which were given the same id; null when it is gone. */
export function startMarkOf(pid: number): string | null {
  const stat = fromProc(`/proc/${pid}/stat`)
  // The second field is the name in brackets and may itself contain spaces and brackets.
  if (stat) return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  return fromPs(pid, 'lstart=')
}

export async function waitForEnd(pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs
  while (isAlive(pid)) {
    if (Date.now() > deadline) return false
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return true
}

/**
 * Calls `act` once the child has ended: at once where it already has, of which its event says nothing to who
 * listens late. A child that was waited for until it answers may have ended in the same moment.
 */
export function whenEnded(
  child: ChildProcess,
  act: (code: number | null, signal: NodeJS.Signals | null) => void,
): void {
  const { exitCode, signalCode } = child
  if (exitCode === null && signalCode === null) child.once('exit', act)
  else act(exitCode, signalCode)
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // Gone already, which is what the signal was for.
  }
}

/** Ended, but its parent has not asked for its exit code: container inits often never do. */
function isZombie(pid: number): boolean {
  const stat = fromProc(`/proc/${pid}/stat`)
  return stat?.slice(stat.lastIndexOf(')') + 2).startsWith('Z') ?? false
}

function fromProc(path: string): string | null {
  try {
    return readFileSync(path, 'utf8') || null
  } catch {
    return null
  }
}

function fromPs(pid: number, field: string): string | null {
  if (process.platform === 'linux') return null
  try {
    return execFileSync('ps', ['-o', field, '-p', String(pid)], { encoding: 'utf8' }).trim() || null
  } catch {
    return null
  }
}
