// What a figure must be read beside: the machine, and how busy others kept it.
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'

export interface MachineDetails {
  readonly cpu: string
  readonly cores: number
  readonly memoryGib: number
  readonly node: string
  readonly kernel: string
}

export const machineDetails = (): MachineDetails => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
  memoryGib: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  kernel: `${process.platform} ${process.arch}`,
})

/** Over one and five minutes. */
export const loadAverages = (): [number, number] => {
  const [one = 0, five = 0] = loadavg()
  return [round(one), round(five)]
}

const round = (value: number): number => Math.round(value * 100) / 100

/** CPU time that a process has used so far, of user and system together. */
export function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name in brackets may itself contain spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** Of a server of PostgreSQL: its processes of now, and those that have ended. */
export function cpuSecondsOfServer(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ended = (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND
  return (
    children
      .map(Number)
      .map(cpuSecondsOf)
      .reduce((sum, each) => sum + each, 0) +
    cpuSecondsOf(pid) +
    ended
  )
}

/** Linux has counted in hundredths of a second towards user space for ever. */
const TICKS_PER_SECOND = 100

export function memoryOf(pid: number): { residentMb: number; peakMb: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const megabytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024
  return { residentMb: megabytes('VmRSS'), peakMb: megabytes('VmHWM') }
}

/** From then on `peakMb` is the peak since now (proc(5), clear_refs). */
export function forgetPeakOf(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}
