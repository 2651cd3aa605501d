// The killer of an installation: it ends processes of one kind at a random moment, and says when they are
// gone.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type Db, sql } from '../../../apps/server/src/infra/database/db.ts'
import { until } from '../../support/until.ts'
import type { Keeper, OwnInstallation } from '../worlds/installation.ts'
import type { Killed, Kind, Order } from './killer.ts'

export interface Kills {
  /** Within so many milliseconds. No process ids: none of the kind runs at this moment. */
  kill(kind: Kind, withinMs: number): Promise<Killed>
  end(): void
}

export interface Victims extends Pick<OwnInstallation, 'apis' | 'workers' | 'postgres'> {
  readonly signer?: Pick<Keeper, 'pids' | 'gone'>
  /** The process ids of nodes of chains that may be killed now. */
  nodePids?(): number[]
}

export function startKills(victims: Victims, seed: number): Kills {
  const { apis, workers, signer, postgres } = victims
  const killer = fork(join(import.meta.dirname, 'killer.ts'), [String(seed)])
  return {
    kill: async (kind, withinMs) => {
      killer.send({
        ...{ kind, withinMs, workers: workers.pids(), apis: apis.pids() },
        signers: signer?.pids() ?? [],
        nodes: kind === 'node' ? (victims.nodePids?.() ?? []) : [],
        postgresData: postgres.dataFolder,
      } satisfies Order)
      const [killed] = (await once(killer, 'message')) as [Killed]
      await Promise.all([apis, workers, signer].map((keeper) => keeper?.gone(killed.pids)))
      return killed
    },
    end: () => killer.disconnect(),
  }
}

export const untilDatabaseIsBack = (db: Db): Promise<unknown> =>
  until('the database is back', () => db.query(sql('', 'select 1')), { deadlineMs: 120_000 })
