// HAProxy with the file that an operator of Compose takes, led to two api processes of this machine.
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '../../apps/server/src/infra/process/ports.ts'
import { ROOT } from '../support/child.ts'
import { until } from '../support/until.ts'

export interface HaProxy {
  readonly url: string
  stop(): Promise<void>
}

export async function startHaProxy(
  program: string,
  { folder, apis }: { readonly folder: string; readonly apis: readonly [number, number] },
): Promise<HaProxy> {
  const port = await findFreePort()
  let text = readFileSync(join(ROOT, 'deploy/compose/haproxy.cfg'), 'utf8')
  for (const [from, to] of [
    ['bind :8080', `bind 127.0.0.1:${port}`],
    ['resolvers compose\n  parse-resolv-conf\n', ''],
    [' resolvers compose init-addr libc,none', ''],
    ['api-1:3000', `127.0.0.1:${apis[0]}`],
    ['api-2:3000', `127.0.0.1:${apis[1]}`],
  ] as const) {
    if (!text.includes(from)) throw new Error(`deploy/compose/haproxy.cfg has no ${from}`)
    text = text.replace(from, to)
  }
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, text)
  const child = spawn(program, ['-db', '-f', file], { stdio: 'ignore' })
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const url = `http://127.0.0.1:${port}`
  await until('the balancer serves', async () => (await fetch(`${url}/readyz`)).ok, {
    deadlineMs: 30_000,
  })
  return {
    url,
    stop: async () => {
      kill()
      await ended
      process.off('exit', kill)
    },
  }
}
