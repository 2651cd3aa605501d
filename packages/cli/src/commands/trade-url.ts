// What is said where nothing names a trade URL.
import { type CommandError, usageError } from '../failure.ts'
import { hasTestKey } from '../sandbox.ts'
import type { Session } from '../session.ts'
import { shellWord } from '../shell-words.ts'

/** Any partner number is a buyer of the sandbox; this token accepts each offer. */
const OF_SANDBOX = 'https://steamcommunity.com/tradeoffer/new/?partner=42&token=accept00'

export const noTradeUrl = (session: Session, message: string): CommandError =>
  usageError(
    message,
    ...(hasTestKey(session)
      ? [
          `One of the sandbox, whose buyer accepts: --trade-url ${shellWord(OF_SANDBOX)}`,
          `Other buyers: ${session.baseUrl}/docs/sandbox`,
        ]
      : ['Its receiver finds it on the platform, on the page of who can send trade offers.']),
  )
