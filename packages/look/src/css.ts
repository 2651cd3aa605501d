// The tokens as custom properties. The theme is the system's, or the one that a reader chose (`data-theme`).
import { COLOURS, FONTS, HEIGHTS, RADII, SHADOWS, SPACES, TYPE } from './tokens.ts'

export const lookCss = (): string => `/* Made from packages/look/src/tokens.ts. */
:root {
  color-scheme: light dark;
${properties()
  .map(([name, value]) => `  --${name}: ${value};`)
  .join('\n')}
}
:root[data-theme="light"] {
  color-scheme: light;
}
:root[data-theme="dark"] {
  color-scheme: dark;
}
`

type Property = readonly [name: string, value: string]

function properties(): readonly Property[] {
  return [
    ...Object.entries(COLOURS).map(
      ([name, { light, dark }]): Property => [
        name,
        light === dark ? light : `light-dark(${light}, ${dark})`,
      ],
    ),
    ...Object.entries(SHADOWS),
    ...Object.entries(FONTS),
    ...Object.entries(TYPE).flatMap(([name, { size, leading }]): Property[] => [
      [`size-${name}`, `${size}px`],
      [`leading-${name}`, `${leading}px`],
    ]),
    ...SPACES.map((px): Property => [`space-${px}`, `${px}px`]),
    ...Object.entries(RADII).map(([name, px]): Property => [named('radius', name), `${px}px`]),
    ...Object.entries(HEIGHTS).map(([name, px]): Property => [named('height', name), `${px}px`]),
  ]
}

/** `radius` is what most have, `radius-small` a kind of it. */
const named = (family: string, name: string): string => (name === '' ? family : `${family}-${name}`)
