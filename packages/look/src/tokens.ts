// The colours, sizes, radii and distances of what people see: dashboard, documentation, reference, status
// page, console, mails and statements. Style sheets take them as custom properties from look.css, which is
// made from this file; what knows no style sheets (mails, PDF) takes the values of the light theme from here.

export interface Shade {
  readonly light: string
  readonly dark: string
}

const shade = (light: string, dark: string): Shade => ({ light, dark })

/** As `#rrggbb`, so that a PDF can take them too. */
export const COLOURS = {
  paper: shade('#ffffff', '#0e1115'),
  surface: shade('#f6f7f9', '#151a20'),
  hover: shade('#eceff3', '#1f262e'),
  ink: shade('#15181c', '#e8ebef'),
  'ink-2': shade('#454d57', '#b4bcc6'),
  'ink-3': shade('#5f6874', '#949eaa'),
  line: shade('#dfe3e8', '#2a323b'),
  control: shade('#7a8391', '#6f7a88'),
  accent: shade('#1a56c4', '#86b0ff'),
  'on-accent': shade('#ffffff', '#0e1115'),
  good: shade('#12693a', '#63cc90'),
  warn: shade('#7d4e00', '#e2b052'),
  bad: shade('#b0231a', '#ff938a'),
  info: shade('#0a5c93', '#73bff5'),
  /** Keywords of a program. */
  plum: shade('#8a2c5d', '#f29cc3'),
  /** The same in both themes: a QR code, and the paper of a mail. */
  white: shade('#ffffff', '#ffffff'),
  black: shade('#000000', '#000000'),
} as const satisfies Readonly<Record<string, Shade>>

/** Text on each background that it is set on has a contrast of at least 4.5 (WCAG 1.4.3). */
export const TEXT = [
  ...['ink', 'ink-2', 'ink-3', 'accent', 'good', 'warn', 'bad', 'info', 'plum'],
] as const satisfies readonly (keyof typeof COLOURS)[]
export const BACKGROUNDS = [
  'paper',
  'surface',
  'hover',
] as const satisfies readonly (keyof typeof COLOURS)[]

interface Type {
  /** CSS pixels. */
  readonly size: number
  /** CSS pixels from line to line. */
  readonly leading: number
}

export const TYPE = {
  fine: { size: 12, leading: 16 },
  small: { size: 13, leading: 20 },
  text: { size: 14, leading: 20 },
  /** Of texts that are read from the beginning to the end. */
  prose: { size: 16, leading: 26 },
  section: { size: 16, leading: 24 },
  title: { size: 20, leading: 28 },
  figure: { size: 24, leading: 32 },
  display: { size: 28, leading: 36 },
} as const satisfies Readonly<Record<string, Type>>

/** CSS pixels. Distances of at most 3 are drawn by eye, and stand where they are used. */
export const SPACES = [4, 6, 8, 10, 12, 16, 24, 32, 48] as const

/** CSS pixels. */
export const RADII = { small: 4, '': 6, large: 10, round: 999 } as const

/** Of what is pressed, in CSS pixels: on a desk, in a dense row, under a finger. */
export const HEIGHTS = { '': 36, small: 28, touch: 44 } as const

export const FONTS = {
  sans: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  mono: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, "DejaVu Sans Mono", monospace',
} as const

/** What opens above a page casts a shadow, and what is modal dims the page below it. */
export const SHADOWS = {
  shadow: '0 12px 40px rgb(0 0 0 / 30%)',
  'shadow-small': '0 6px 20px rgb(0 0 0 / 20%)',
  shade: 'rgb(0 0 0 / 45%)',
} as const
