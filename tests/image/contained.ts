// A process of an image as a container runtime starts it: a root that cannot be written to but for two
// folders, a user of its own, process 1 of its own, and no variable but those of the image and the caller.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Child, type Exit, startProgram } from '../support/child.ts'
import { until } from '../support/until.ts'
import type { Image } from './build.ts'

const PATH = '/usr/sbin:/usr/bin:/sbin:/bin'

const ISOLATE = `set -e
root=$1 data=$2 user=$3; shift 3
mount --make-rprivate /
mount --bind "$root" "$root"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/tmp"
mount --bind "$data" "$root/var/lib/tradepost"
mount -o remount,bind,ro "$root"
exec chroot --userspec="$user" "$root" "$@"`

export interface Contained extends Omit<Child, 'signal' | 'end'> {
  /** Sends the signal to its process 1, and waits for the end. */
  end(name?: NodeJS.Signals): Promise<Exit>
  /** Runs the image's own health check beside it. */
  isHealthy(): Promise<boolean>
}

/** Null where namespaces can be made here; else why not. */
export function whyNotContained(): string | null {
  try {
    execFileSync('unshare', ['--mount', '--pid', '--fork', 'true'], { stdio: 'ignore' })
    return null
  } catch {
    return 'this user may not make namespaces (unshare --mount --pid)'
  }
}

/** What a runtime makes in the root before it starts anything. */
export function prepareRoot({ root }: Image): void {
  for (const name of ['dev', 'proc']) mkdirSync(join(root, name), { recursive: true })
}

export interface StartOptions {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Of this machine, at /var/lib/tradepost there. */
  readonly data: string
}

export function startContained(
  { root, config }: Image,
  { args, env, data }: StartOptions,
): Contained {
  const own = Object.fromEntries(
    config.Env.map((line): [string, string] => [
      line.slice(0, line.indexOf('=')),
      line.slice(line.indexOf('=') + 1),
    ]),
  )
  const isolation = ['--mount', '--pid', '--fork', '--kill-child=SIGKILL', 'sh', '-c', ISOLATE]
  const child = startProgram(
    'unshare',
    [...isolation, 'sh', root, data, config.User, ...config.Entrypoint, ...args],
    { env: { PATH, ...own, ...env } },
  )
  const first = (): Promise<number> =>
    until('its process 1 is there', () => {
      const children = `/proc/${child.pid}/task/${child.pid}/children`
      return Number(readFileSync(children, 'utf8').trim().split(' ')[0]) || null
    })
  return {
    ...child,
    end: async (name = 'SIGTERM') => {
      if (child.isRunning()) process.kill(await first(), name)
      return child.exited
    },
    isHealthy: async () => {
      const [, ...command] = config.Healthcheck?.Test ?? []
      const entered = ['--target', String(await first()), '--mount', '--pid', '--root']
      const user = config.User.split(':')
      const check = startProgram(
        'nsenter',
        [...entered, `--setuid=${user[0]}`, `--setgid=${user[1]}`, '--', ...command],
        { env: { PATH, ...own, ...env } },
      )
      return (await check.exited).code === 0
    },
  }
}
