// Where lines leave the process. A write to the system for each of them cost a tenth of a small request, so
// lines of everyday business are gathered for a moment; a warning or an error leaves at once, with all
// that were said before it. A kill loses what was gathered, which is at most the last moment's routine.
import { pino } from 'pino'
import { terminalText } from './log-terminal.ts'

const GATHERED_MS = 50
const GATHERED_BYTES = 8 * 1024
const ROUTINE = /^\{"level":"(?:trace|debug|info)"/

/** Where lines go: on a terminal as text for a person, otherwise as they are. */
export function openOutput(): { write(line: string): void } {
  if (!process.stdout.isTTY) return gatherLines()
  const hasColors = process.stdout.hasColors()
  return {
    write: (line) => {
      process.stdout.write(terminalText(line, { hasColors }))
    },
  }
}

/** Lines to stdout, in their order. */
function gatherLines(): { write(line: string): void } {
  const stdout = pino.destination({ dest: 1, sync: true })
  let gathered = ''
  let isDue = false
  // Handed to the system and no further: to wait for a disk twenty times a second would stop all requests.
  const flush = (): void => {
    isDue = false
    if (gathered === '') return
    const lines = gathered
    gathered = ''
    stdout.write(lines)
  }
  process.on('exit', () => {
    flush()
    stdout.flushSync()
  })
  return {
    write(line) {
      gathered += line
      if (gathered.length >= GATHERED_BYTES || !ROUTINE.test(line)) flush()
      else if (!isDue) {
        isDue = true
        // Nothing keeps a process alive only to write its lines: its exit does that.
        setTimeout(flush, GATHERED_MS).unref()
      }
    },
  }
}
