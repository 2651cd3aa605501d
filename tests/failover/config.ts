// The files of deploy/failover, led to this machine's loopback address. What is replaced must be there: so
// the files that the drill runs are those that an operator takes.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../support/child.ts'

export interface MemberPlace {
  readonly name: string
  readonly postgresPort: number
  readonly restPort: number
  readonly data: string
  /** The ports under which the others reach it, and the one under which it reaches etcd. */
  readonly reached: { readonly postgres: number; readonly rest: number; readonly etcd: number }
}

export interface Passwords {
  readonly rest: string
  readonly superuser: string
  readonly replication: string
}

type Replacement = readonly [from: string | RegExp, to: string]

function replaced(file: string, replacements: readonly Replacement[]): string {
  let text = readFileSync(join(ROOT, 'deploy/failover', file), 'utf8')
  for (const [from, to] of replacements) {
    if (text.split(from).length === 1)
      throw new Error(`deploy/failover/${file} has no ${String(from)}`)
    text = text.replaceAll(from, to)
  }
  return text
}

export const patroniConfig = (
  { name, postgresPort, restPort, data, reached }: MemberPlace,
  {
    bin,
    passwords,
    isAsync,
    canCut,
  }: {
    readonly bin: string
    readonly passwords: Passwords
    readonly isAsync: boolean
    readonly canCut: boolean
  },
): string =>
  replaced('patroni.yml', [
    ['name: db1', `name: ${name}`],
    [' listen: 10.0.0.21:8008', ` listen: 127.0.0.1:${restPort}`],
    ['connect_address: 10.0.0.21:8008', `connect_address: 127.0.0.1:${reached.rest}`],
    [' listen: 10.0.0.21:5432', ` listen: 127.0.0.1:${postgresPort}`],
    ['connect_address: 10.0.0.21:5432', `connect_address: 127.0.0.1:${reached.postgres}`],
    // Patroni asks etcd for its own address: a member that is cut off from a relay would reach it there.
    [
      /hosts: 10\.0\.0\.21:2379.*/g,
      `hosts: 127.0.0.1:${reached.etcd}${canCut ? '\n  use_proxies: true' : ''}`,
    ],
    ['protocol: https', 'protocol: http'],
    [/^ +(certfile|keyfile|cacert|cert|key|ssl_cert_file|ssl_key_file): .*\n/gm, ''],
    ["ssl: 'on'", "ssl: 'off'"],
    ['hostssl', 'host   '],
    ['10.0.0.0/24', '127.0.0.1/32'],
    ['CHANGE-ME-1', passwords.rest],
    ['CHANGE-ME-2', passwords.superuser],
    ['CHANGE-ME-3', passwords.replication],
    ['bin_dir: /usr/lib/postgresql/18/bin', `bin_dir: ${bin}`],
    ['data_dir: /var/lib/postgresql/18/tradepost', `data_dir: ${data}`],
    ['mode: automatic', "mode: 'off'"],
    ['synchronous_mode: true', `synchronous_mode: ${!isAsync}`],
    // A standby that is held back is promoted all the same.
    ['maximum_lag_on_failover: 1048576', `maximum_lag_on_failover: ${isAsync ? 1e12 : 1_048_576}`],
    ['create_replica_methods: [basebackup]', replicaMethods(bin)],
  ])

/** Without sockets in a folder that every user may write to. */
const replicaMethods = (bin: string): string => {
  const settings = "parameters:\n    unix_socket_directories: ''"
  if (existsSync(join(bin, 'pg_basebackup')))
    return `create_replica_methods: [basebackup]\n  ${settings}`
  const command = `${process.execPath} ${join(import.meta.dirname, 'clone.ts')}`
  return `create_replica_methods: [clone]\n  clone:\n    command: ${command}\n  ${settings}`
}

export function haproxyConfig(
  members: readonly MemberPlace[],
  { port, replicaPort }: { readonly port: number; readonly replicaPort: number },
): string {
  const servers = members
    .map(
      ({ name, reached }) =>
        `  server ${name} 127.0.0.1:${reached.postgres} check port ${reached.rest}\n`,
    )
    .join('')
  return replaced('haproxy-database.cfg', [
    ['bind 127.0.0.1:5432', `bind 127.0.0.1:${port}`],
    ['bind 127.0.0.1:5433', `bind 127.0.0.1:${replicaPort}`],
    [/( +server db\d .*\n)+/g, servers],
  ])
}
