// Node's flags of our processes: those that an operator gets are those that are tested and measured.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

/** What the script of package.json that starts this file of apps/server/src/main says to Node. */
export function flagsOf(role: string, root: string = ROOT): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>
  }
  const script = Object.values(scripts).find((text) => text.endsWith(`/main/${role}.ts`))
  return script?.split(' ').filter((word) => word.startsWith('--')) ?? []
}
