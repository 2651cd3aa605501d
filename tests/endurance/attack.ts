// `npm run attack`: attack.ts in a session of its own. Linux shares out processors by session first, and by
// process within one (autogroups of sched(7)): this session gives way to the service's as a whole.
import { spawn } from 'node:child_process'
import { join } from 'node:path'

const child = spawn(
  process.execPath,
  [join(import.meta.dirname, 'attack-session.ts'), ...process.argv.slice(2)],
  { detached: true, stdio: 'inherit' },
)
// A terminal sends its signals to this session alone.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => child.kill(name))
child.once('exit', (code) => process.exit(code ?? 1))
