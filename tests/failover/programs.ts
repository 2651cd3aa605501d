// The programs of other projects that the drill runs: found on this machine, never installed.
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findBinaries } from '../../apps/server/embedded-postgres/postgres-binaries.ts'
import { noValkey } from '../../apps/server/src/infra/testing/valkey-server.ts'

export interface Programs {
  readonly patroni: string
  readonly etcd: string
  readonly haproxy: string
  /** Where PostgreSQL's own programs are. */
  readonly postgres: string
  /** Of Debian's clients; null where `postgres` has it. */
  readonly isReady: string | null
}

/** Debian keeps some of them where only root's PATH leads. */
const PATHS = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin']
export const find = (name: string): string | null =>
  PATHS.map((path) => join(path, name)).find((path) => existsSync(path)) ?? null

/** The programs, or why the drill cannot run here, with what installs them. */
export async function findPrograms(bin: string | undefined): Promise<Programs | string> {
  const postgres = bin ?? dirname((await findBinaries()).postgres)
  const own = join(postgres, 'pg_isready')
  const isReady = existsSync(own) ? null : find('pg_isready')
  const [patroni, etcd, haproxy] = [find('patroni'), find('etcd'), find('haproxy')]
  const missing = [
    patroni === null && 'patroni',
    etcd === null && 'etcd-server',
    haproxy === null && 'haproxy',
    noValkey !== false && 'redis-server',
    isReady === null && !existsSync(own) && 'postgresql-client',
  ].filter((name) => name !== false)
  if (missing.length > 0 || !patroni || !etcd || !haproxy)
    return `missing: ${missing.join(', ')} (Debian: apt-get install ${missing.join(' ')})`
  return { patroni, etcd, haproxy, postgres, isReady }
}

/** Each with its version, as a page names them. */
export function versionsOf({ patroni, etcd, haproxy, postgres }: Programs): string {
  const programs = [
    ['PostgreSQL', join(postgres, 'postgres'), '--version'],
    ['Patroni', patroni, '--version'],
    ['etcd', etcd, '--version'],
    ['HAProxy', haproxy, '-v'],
  ] as const
  return programs
    .map(([name, path, asked]) => {
      const said = execFileSync(path, [asked], { encoding: 'utf8' })
      return `${name} ${/\d+(\.\d+)+/.exec(said)?.[0] ?? 'of an unknown version'}`
    })
    .join(', ')
}

/**
 * A folder with the programs under the names that Patroni calls. npm's package has no `pg_controldata`: the
 * fields that Patroni reads are at the same places in every control file of version 18 (pg_control.h), so a
 * script reads them.
 */
export function makeBin(folder: string, { postgres, isReady }: Programs): string {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  for (const name of [
    'postgres',
    'initdb',
    'pg_ctl',
    'pg_controldata',
    'pg_rewind',
    'pg_basebackup',
  ]) {
    const path = join(postgres, name)
    if (existsSync(path)) symlinkSync(path, join(bin, name))
  }
  symlinkSync(isReady ?? join(postgres, 'pg_isready'), join(bin, 'pg_isready'))
  const controlData = join(bin, 'pg_controldata')
  if (!existsSync(controlData)) {
    writeFileSync(controlData, READ_CONTROL_FILE)
    chmodSync(controlData, 0o755)
  }
  return bin
}

const READ_CONTROL_FILE = `#!/bin/sh
file="$1/global/pg_control"
field() { od -An -t "$1" -j "$2" -N "$3" "$file" | tr -d ' '; }
case "$(field u4 16 4)" in
  0) state='starting up' ;; 1) state='shut down' ;; 2) state='shut down in recovery' ;;
  3) state='shutting down' ;; 4) state='in crash recovery' ;; 5) state='in archive recovery' ;;
  *) state='in production' ;;
esac
printf 'Database system identifier: %s\\n' "$(field u8 0 8)"
printf 'Database cluster state: %s\\n' "$state"
printf 'Latest checkpoint location: %X/%X\\n' "$(field u4 36 4)" "$(field u4 32 4)"
printf "Latest checkpoint's TimeLineID: %s\\n" "$(field u4 48 4)"
`
