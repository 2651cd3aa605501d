// The mark: a signpost at which two ways part, on a square of the accent. Drawn in a box of 32 units.
import { COLOURS } from './tokens.ts'

/** Rounded as apps of phones are. */
export const MARK_RADIUS = 7

/** The post, the board to the right, the board to the left. */
export const MARK_PATH =
  'M14.5 5h3v2.5h4l4.5 4-4.5 4h-4v1h3.5v8h-3.5V28h-3v-3.5h-4l-4.5-4 4.5-4h4v-1H11v-8h3.5z'

/** The mark as a file: an icon is shown on backgrounds that no theme of ours chooses. */
export const markSvg = (): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="${MARK_RADIUS}" fill="${COLOURS.accent.light}"/><path d="${MARK_PATH}" fill="${COLOURS.white.light}"/></svg>\n`
