// Words of a command that can be pasted into a shell.
import type { BehalfOptions, CommonOptions } from './cli.ts'

export const shellWord = (text: string): string =>
  /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** What a command needs to run with the same profile. */
export const profileWords = ({ profile }: CommonOptions): string =>
  profile === undefined ? '' : ` --profile ${shellWord(profile)}`

/** ... and as the same sub-user. */
export const behalfWords = ({ onBehalfOf }: BehalfOptions): string =>
  onBehalfOf === undefined ? '' : ` --on-behalf-of ${shellWord(onBehalfOf)}`
