// For the tests of background threads.
import { getPriority } from 'node:os'
import { answerInBackground } from '../process/background-thread.ts'

answerInBackground((input: string): string => {
  if (input === 'throw') throw new Error('cannot')
  if (input === 'end') process.exit()
  return input === 'priority' ? String(getPriority()) : input.toUpperCase()
})
