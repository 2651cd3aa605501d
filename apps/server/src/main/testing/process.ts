// A process with a life cycle, to be signalled by a test. Its argument says what goes wrong.
import { createLog } from '#infra/process/log'
import { runProcess } from '../lifecycle.ts'

const mode = process.argv[2]
const say = (word: string): void => void process.stdout.write(`${word}\n`)

await runProcess(
  async (lifecycle) => {
    lifecycle.onStop('first', () => say('first ended'))
    lifecycle.onStop('second', async () => {
      say('ending')
      if (mode === 'slow') await new Promise((resolve) => setTimeout(resolve, 60_000))
      say('second ended')
    })
    lifecycle.onAbandon(() => say('abandoned'))
    setInterval(() => {}, 1000)
    if (mode === 'bug') throw new Error('a bug')
    if (mode === 'starting') {
      say('ready')
      await new Promise((resolve) => setTimeout(resolve, 300))
      lifecycle.proceed()
      say('started all the same')
    }
    say('ready')
    if (mode === 'exception') {
      setTimeout(() => {
        throw new Error('out of nowhere')
      })
    }
    if (mode === 'rejection') void Promise.reject(new Error('unhandled'))
    return createLog({ level: 'info' })
  },
  { once: mode === 'once' },
)
