// JavaScript runtimes beside the Node.js that runs the tests: what `npm ci` in packages/sdk/runtimes has
// installed, and what is on the PATH.
import { execFileSync } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const MODULES = join(import.meta.dirname, '../../runtimes/node_modules')
const ON_DEMAND = {
  bun: join(MODULES, '@oven/bun-linux-x64/bin'),
  deno: join(MODULES, '@deno/linux-x64-glibc'),
  workerd: join(MODULES, '@cloudflare/workerd-linux-64/bin'),
} as const

function find(name: string): string[] {
  const own = Object.entries(ON_DEMAND).flatMap(([key, folder]) => (key === name ? [folder] : []))
  const path = (process.env.PATH ?? '').split(delimiter)
  return [...own, ...path, '/usr/bin', '/usr/local/bin']
    .map((folder) => join(folder, name))
    .filter((file) => existsSync(file))
}

/** A program and what stands before the script that it is to run. */
export type Runtime = readonly [string, ...string[]]

export const HOW_TO_INSTALL = 'run npm ci in packages/sdk/runtimes'

/** This Node.js and others from version 20 on, Bun and Deno, as far as they are here. */
export function runtimes(): Runtime[] {
  const nodes = new Map([[process.version, process.execPath]])
  for (const path of new Set(find('node').map((one) => realpathSync(one)))) {
    const version = execFileSync(path, ['--version'], { encoding: 'utf8', timeout: 10_000 }).trim()
    if (Number(/^v(\d+)/.exec(version)?.[1]) >= 20 && !nodes.has(version)) nodes.set(version, path)
  }
  const [bun] = find('bun')
  const [deno] = find('deno')
  return [
    ...[...nodes.values()].map((path): Runtime => [path]),
    ...(bun === undefined ? [] : [[bun] as const]),
    ...(deno === undefined ? [] : [[deno, 'run', '--allow-all'] as const]),
  ]
}

/** Of those that every release is tried on. */
export const absentRuntimes = (): string[] =>
  Object.keys(ON_DEMAND).filter((name) => find(name).length === 0)

/** The runtime of Cloudflare Workers; null where it is not installed. */
export const workerd = (): string | null => find('workerd')[0] ?? null
