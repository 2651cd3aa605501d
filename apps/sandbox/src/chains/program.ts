import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

/**
 * The path of anvil's own program for this machine; null when its package is not installed for it. The
 * `anvil` command of the main package is a script around it: a signal to the script would not reach the node.
 */
export function findAnvil(
  platform: string = process.platform,
  architecture: string = process.arch,
): string | null {
  const name = `@foundry-rs/anvil-${platform}-${ARCHITECTURES[architecture] ?? architecture}`
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`)
    const program = join(dirname(manifest), 'bin/anvil')
    return existsSync(program) ? program : null
  } catch {
    return null
  }
}
