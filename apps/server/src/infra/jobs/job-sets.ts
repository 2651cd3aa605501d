// Sets of jobs that come and go while a process runs: one for each of some things that have jobs.
import type { Job, RunningJobs } from './jobs.ts'

export interface JobSets<Owner> {
  /** Those that have jobs from now on; the sets of others end with their work. One call at a time. */
  set(owners: readonly Owner[]): Promise<void>
}

export function createJobSets<Owner>({
  jobsOf,
  start,
}: {
  jobsOf(owner: Owner): readonly Job[]
  start(owner: Owner, jobs: readonly Job[]): Promise<RunningJobs>
}): JobSets<Owner> {
  const running = new Map<Owner, RunningJobs>()
  return {
    set: async (owners) => {
      const gone = [...running].filter(([owner]) => !owners.includes(owner))
      // Before others begin: the jobs of the next may have the same names.
      await Promise.all(
        gone.map(async ([owner, jobs]) => {
          running.delete(owner)
          await jobs.stop()
        }),
      )
      for (const owner of owners) {
        if (!running.has(owner)) running.set(owner, await start(owner, jobsOf(owner)))
      }
    },
  }
}
