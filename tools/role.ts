// What a container and a unit start: `node tools/role.ts api` becomes what `npm run start:api` starts, under
// the same process id, without npm and without a shell. So a signal of the service manager reaches Node
// itself, and the flags of Node are those of package.json.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/** Each role, and the script of package.json that says how it is started. */
export const SCRIPT_OF = {
  api: 'start:api',
  worker: 'start:worker',
  migrate: 'migrate',
  signer: 'signer',
  ops: 'ops',
  backup: 'backup',
} as const

/** The arguments of Node for a role; null for a word that is none. */
export function argumentsOf(role: string): string[] | null {
  if (!Object.hasOwn(SCRIPT_OF, role)) return null
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>
  }
  const script = scripts[SCRIPT_OF[role as keyof typeof SCRIPT_OF]] ?? ''
  return script.split(' ').slice('exec node'.split(' ').length)
}

if (import.meta.main) {
  const [role = '', ...rest] = process.argv.slice(2)
  const args = argumentsOf(role)
  if (args === null) {
    const given = role === '' ? 'none was given' : `not ${JSON.stringify(role)}`
    process.stderr.write(
      `tradepost: the first argument is the role, one of ${Object.keys(SCRIPT_OF).join(', ')}; ${given}.\n`,
    )
    process.exit(1)
  }
  process.chdir(ROOT)
  process.execve?.(process.execPath, [process.execPath, ...args, ...rest], process.env)
}
