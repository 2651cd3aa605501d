// A process of an image as podman starts it, with the isolation that deploy/compose.yml asks of a runtime.
import { execFileSync, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { startProgram } from '../support/child.ts'
import type { Image } from './build.ts'
import type { Contained, StartOptions } from './contained.ts'

/** As deploy/compose.yml has it; but the network, which leads to the database and markets of this machine. */
const ISOLATION = [
  ...['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'all'],
  ...['--security-opt', 'no-new-privileges', '--network', 'host'],
]

/** Its own lines, of a machine without systemd, where it runs no health check by itself. */
const OF_PODMAN = /^time="[^"]+" level=\w+ msg=.*\n/gm

/** Why not, in words; false where it is. */
export const noPodman: string | false =
  spawnSync('podman', ['--version']).error !== undefined &&
  'podman is missing (Debian: apt-get install podman)'

export function startByPodman(
  { storage, tag }: Image,
  { args, env, data }: StartOptions,
): Contained {
  const name = `tradepost-${randomUUID()}`
  const podman = (...rest: readonly string[]): string[] => [...storage, ...rest]
  const child = startProgram(
    'podman',
    podman(
      ...['run', '--rm', '--name', name, ...ISOLATION],
      ...['--volume', `${data}:/var/lib/tradepost`],
      ...Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
      ...[tag, ...args],
    ),
    { env: process.env },
  )
  return {
    ...child,
    stderr: () => child.stderr().replace(OF_PODMAN, ''),
    end: async (signal = 'SIGTERM') => {
      if (child.isRunning())
        execFileSync('podman', podman('kill', '--signal', signal, name), { stdio: 'ignore' })
      return child.exited
    },
    isHealthy: async () => {
      const check = startProgram('podman', podman('healthcheck', 'run', name), { env: process.env })
      return (await check.exited).code === 0
    },
  }
}
