// Colours for terminals.

export interface Paint {
  bold(text: string): string
  dim(text: string): string
  good(text: string): string
  bad(text: string): string
  warn(text: string): string
}

const style =
  (open: number, close: number) =>
  (text: string): string =>
    `\u001b[${open}m${text}\u001b[${close}m`

const same = (text: string): string => text

const COLOURS: Paint = {
  bold: style(1, 22),
  dim: style(2, 22),
  good: style(32, 39),
  bad: style(31, 39),
  warn: style(33, 39),
}

const PLAIN: Paint = { bold: same, dim: same, good: same, bad: same, warn: same }

/** On a terminal, unless `NO_COLOR` is set to anything or the terminal is a dumb one. */
export const paintOf = (isTerminal: boolean, env: Readonly<NodeJS.ProcessEnv>): Paint =>
  isTerminal && !env.NO_COLOR && env.TERM !== 'dumb' ? COLOURS : PLAIN

/** The colour of a trade's status. */
export function statusPaint(paint: Paint, status: string): (text: string) => string {
  if (status === 'completed' || status === 'settled') return paint.good
  if (['failed', 'declined', 'reverted', 'canceled'].includes(status)) return paint.bad
  return paint.warn
}
