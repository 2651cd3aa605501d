// Three members with Patroni, one etcd and HAProxy before them, on the loopback address and in one folder.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  choosePostgresUser,
  chownTree,
  commandAs,
  type PostgresUser,
} from '../../apps/server/embedded-postgres/postgres-user.ts'
import { findFreePort } from '../../apps/server/src/infra/process/ports.ts'
import { openWire, type Wire } from '../../apps/server/src/infra/testing/wire.ts'
import { until } from '../support/until.ts'
import { openClient } from './client.ts'
import { haproxyConfig, type MemberPlace, type Passwords, patroniConfig } from './config.ts'
import { makeBin, type Programs } from './programs.ts'

export interface Member extends MemberPlace {
  /** What Patroni's interface says of it; null where it does not answer. */
  state(): Promise<MemberState | null>
  isPrimary(): Promise<boolean>
  startPatroni(): void
  /** Of PostgreSQL and, where asked, of Patroni: every process. */
  signal(name: NodeJS.Signals, of: 'postgres' | 'both'): void
  /** No one reaches it, and it does not reach etcd; what runs there goes on. */
  cut(): Promise<void>
  reconnect(): Promise<void>
}

export interface MemberState {
  readonly state: string
  readonly role: string
  readonly replication?: readonly {
    readonly application_name: string
    readonly sync_state: string
  }[]
}

export interface Failover {
  readonly members: readonly Member[]
  /** Through HAProxy, as the service's role. */
  readonly url: string
  primary(): Promise<Member | null>
  /** One primary, and every other member streams from it, one of them synchronously. */
  untilWhole(): Promise<Member>
  switchOver(from: Member): Promise<void>
  /** No standby receives anything more from this primary. */
  holdBack(from: Member): Promise<void>
  /** Ends what it started, at once. */
  end(): void
}

const WHOLE_WITHIN_MS = 120_000

export async function startFailover({
  folder,
  programs,
  memberCount,
  isAsync,
  canCut,
}: {
  readonly folder: string
  readonly programs: Programs
  readonly memberCount: number
  readonly isAsync: boolean
  /** Each member reaches etcd through a relay of its own. */
  readonly canCut: boolean
}): Promise<Failover> {
  const children = new Set<ChildProcess>()
  const members: Member[] = []
  const end = (): void => {
    for (const child of children) child.kill('SIGKILL')
    for (const member of members) member.signal('SIGKILL', 'both')
  }
  process.once('exit', end)
  chmodSync(folder, 0o711)
  const bin = makeBin(folder, programs)
  const place = join(folder, 'members')
  mkdirSync(place)
  const user = await choosePostgresUser(join(bin, 'postgres'), place)
  const run = createRunner({ folder, children })
  const [etcdPort, peerPort, port, replicaPort] = await freePorts(4)
  const passwords: Passwords = {
    rest: randomBytes(12).toString('hex'),
    superuser: randomBytes(12).toString('hex'),
    replication: randomBytes(12).toString('hex'),
  }
  run('etcd', [
    programs.etcd,
    ...['--name', 'drill', '--data-dir', join(folder, 'etcd')],
    ...['--listen-client-urls', `http://127.0.0.1:${etcdPort}`],
    ...['--advertise-client-urls', `http://127.0.0.1:${etcdPort}`],
    ...['--listen-peer-urls', `http://127.0.0.1:${peerPort}`],
    ...['--initial-advertise-peer-urls', `http://127.0.0.1:${peerPort}`],
    '--enable-v2',
    ...['--initial-cluster', `drill=http://127.0.0.1:${peerPort}`],
  ])
  for (let i = 1; i <= memberCount; i++) {
    const [postgresPort = 0, restPort = 0] = await freePorts(2)
    const name = `db${i}`
    const wires = {
      postgres: await openWire(`tcp://127.0.0.1:${postgresPort}`),
      rest: await openWire(`tcp://127.0.0.1:${restPort}`),
      etcd: await openWire(`tcp://127.0.0.1:${etcdPort}`),
    }
    const reached = {
      postgres: portOf(wires.postgres),
      rest: portOf(wires.rest),
      etcd: canCut ? portOf(wires.etcd) : (etcdPort ?? 0),
    }
    const memberPlace = { name, postgresPort, restPort, data: join(place, name, 'data'), reached }
    const file = join(place, name, 'patroni.yml')
    mkdirSync(join(place, name), { mode: 0o700 })
    writeFileSync(file, patroniConfig(memberPlace, { bin, passwords, isAsync, canCut }))
    chownTree(join(place, name), user.owner)
    members.push(
      createMember(memberPlace, {
        run,
        user,
        file,
        programs,
        passwords,
        wires: Object.values(wires),
      }),
    )
  }
  const haproxy = join(folder, 'haproxy.cfg')
  writeFileSync(haproxy, haproxyConfig(members, { port: port ?? 0, replicaPort: replicaPort ?? 0 }))
  run('haproxy', [programs.haproxy, '-db', '-f', haproxy])

  const primary = async (): Promise<Member | null> => {
    const found = await Promise.all(members.map((member) => member.isPrimary()))
    return members[found.indexOf(true)] ?? null
  }
  const untilWhole = (): Promise<Member> =>
    until(
      'the cluster is whole',
      async () => {
        const leader = await primary()
        const replication = (await leader?.state())?.replication ?? []
        const isWhole =
          replication.length === memberCount - 1 &&
          (isAsync || replication.some(({ sync_state }) => sync_state === 'sync'))
        return leader !== null && isWhole ? leader : null
      },
      { everyMs: 250, deadlineMs: WHOLE_WITHIN_MS },
    )

  try {
    // The first one alone, so that it is known which has the database.
    members[0]?.startPatroni()
    const first = await until('the first member is the primary', primary, {
      everyMs: 250,
      deadlineMs: WHOLE_WITHIN_MS,
    })
    const servicePassword = randomBytes(12).toString('hex')
    const client = await openClient(first.postgresPort, passwords.superuser)
    try {
      await client.query(`create role tradepost login password '${servicePassword}'`)
      await client.query('grant pg_read_all_stats to tradepost')
      await client.query('create database tradepost owner tradepost')
    } finally {
      await client.end()
    }
    for (const member of members.slice(1)) member.startPatroni()
    await untilWhole()
    return {
      members,
      url: `postgres://tradepost:${servicePassword}@127.0.0.1:${port}/tradepost`,
      primary,
      untilWhole,
      switchOver: async (from) => {
        const response = await fetch(`http://127.0.0.1:${from.restPort}/switchover`, {
          method: 'POST',
          headers: {
            authorization: `Basic ${Buffer.from(`patroni:${passwords.rest}`).toString('base64')}`,
            'content-type': 'application/json',
          },
          body: JSON.stringify({ leader: from.name }),
        })
        if (!response.ok) throw new Error(`switchover: ${response.status} ${await response.text()}`)
      },
      holdBack: (from) => holdBack(from, passwords.superuser),
      end,
    }
  } catch (error) {
    end()
    throw error
  }
}

/**
 * By its list of who may connect, which Patroni writes at a start alone. What is changed at a standby it
 * repairs within seconds.
 */
async function holdBack({ postgresPort, data }: Member, password: string): Promise<void> {
  const ask = async (text: string): Promise<string> => {
    const client = await openClient(postgresPort, password)
    try {
      const { rows } = await client.query<{ answer: string }>(text)
      return rows[0]?.answer ?? ''
    } finally {
      await client.end()
    }
  }
  const loadedAt = 'select pg_conf_load_time()::text answer'
  const file = join(data, 'pg_hba.conf')
  writeFileSync(file, `host replication all 127.0.0.1/32 reject\n${readFileSync(file, 'utf8')}`)
  const before = await ask(loadedAt)
  await ask('select pg_reload_conf()')
  await until('the list is read', async () => (await ask(loadedAt)) !== before)
  await ask('select pg_terminate_backend(pid) from pg_stat_replication')
  await until(
    'no standby is connected',
    async () => (await ask('select count(*)::text answer from pg_stat_replication')) === '0',
  )
}

const portOf = ({ url }: Wire): number => Number(new URL(url).port)

const freePorts = async (count: number): Promise<number[]> => {
  const ports = new Set<number>()
  while (ports.size < count) ports.add(await findFreePort())
  return [...ports]
}

type Run = (
  name: string,
  command: readonly string[],
  options?: {
    readonly user?: PostgresUser
    readonly env?: Readonly<Record<string, string>>
  },
) => ChildProcess

/** In sessions of their own: Ctrl-C reaches the drill, which ends them last. */
const createRunner =
  ({ folder, children }: { folder: string; children: Set<ChildProcess> }): Run =>
  (name, command, { user, env = {} } = {}) => {
    const { file, args, ids } = commandAs(
      user ?? { prefix: [], ids: null, owner: { uid: 0, gid: 0 } },
      command,
    )
    const log = openSync(join(folder, `${name}.log`), 'a')
    const child = spawn(file, args, {
      ...ids,
      detached: true,
      stdio: ['ignore', log, log],
      env: { PATH: process.env.PATH, LANG: 'C.UTF-8', HOME: folder, ...env },
    })
    children.add(child)
    child.on('error', () => {})
    child.on('exit', () => children.delete(child))
    return child
  }

function createMember(
  place: MemberPlace,
  {
    run,
    user,
    file,
    programs,
    passwords,
    wires,
  }: {
    readonly wires: readonly Wire[]
    readonly run: Run
    readonly user: PostgresUser
    readonly file: string
    readonly programs: Programs
    readonly passwords: Passwords
  },
): Member {
  let patroni: ChildProcess | null = null
  const ask = async (path: string): Promise<Response | null> =>
    fetch(`http://127.0.0.1:${place.reached.rest}${path}`, {
      signal: AbortSignal.timeout(1500),
    }).catch(() => null)
  return {
    ...place,
    state: async () => {
      const response = await ask('/patroni')
      return response === null ? null : ((await response.json()) as MemberState)
    },
    isPrimary: async () => {
      const response = await ask('/primary')
      await response?.body?.cancel()
      return response?.status === 200
    },
    startPatroni: () => {
      if (patroni?.exitCode === null && patroni.signalCode === null) return
      patroni = run(place.name, [programs.patroni, file], {
        user,
        env: { DRILL_PASSWORD: passwords.superuser },
      })
    },
    signal: (name, of) => {
      if (of === 'both') patroni?.kill(name)
      for (const pid of serverProcesses(place.data)) signalTo(pid, name)
    },
    cut: async () => {
      await Promise.all(wires.map((wire) => wire.cut()))
    },
    reconnect: async () => {
      await Promise.all(wires.map((wire) => wire.restore()))
    },
  }
}

/** The server of this folder with its children. */
function serverProcesses(data: string): number[] {
  let pid: number
  try {
    pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
    if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(data)) return []
  } catch {
    return []
  }
  const children = readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && parentOf(name) === pid,
  )
  return [pid, ...children.map(Number)]
}

function parentOf(pid: string): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return null
  }
}

function signalTo(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended meanwhile.
  }
}
