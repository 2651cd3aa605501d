// Rules about what people see: it is drawn from the tokens of packages/look.
import { eachLine, isTest, type Repository, type Rule } from './repository.ts'

const SHOWN = /^(apps|packages)\/.*\.(css|html|mjs|svg|ts|tsx)$/
/** Pictures of items have the colours of what they show. */
const HAS_COLOURS = /^packages\/look\/|^apps\/sandbox\/src\/(pictures|dataset)\//
const STYLE_SHEET = /^apps\/.*\.css$/

/** A name of an import or an anchor begins alike, and goes on. */
const COLOUR =
  /#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})(?![\w/.-])|\b(?:rgba?|hsla?|oklch|oklab\(\d)\(/i

/** Distances of up to three pixels are drawn by eye. */
const LENGTH = '(?<![\\w-])-?(?:[4-9]|\\d{2,})(?:\\.\\d+)?px|(?<![\\w-])-?[\\d.]+rem'
const TOKENS: readonly [property: RegExp, token: string][] = [
  [/^\s*font-size:.*(?:\d)(?:px|rem|em)/, '--size-…'],
  [/^\s*border(?:-[a-z-]+)?-radius:.*(?:\d)(?:px|rem|em)/, '--radius…'],
  [
    new RegExp(`^\\s*(?:(?:row-|column-)?gap|padding[a-z-]*|margin[a-z-]*):.*(?:${LENGTH})`),
    '--space-…',
  ],
]

export const lookRules: readonly Rule[] = [
  {
    name: 'colours stand in packages/look alone',
    find: (repository: Repository) =>
      eachLine(repository, SHOWN, (line, path) => {
        if (HAS_COLOURS.test(path) || isTest(path)) return null
        const found = COLOUR.exec(line)?.[0]
        return found === undefined ? null : `${found}: take a token of packages/look`
      }),
  },
  {
    name: 'sizes, radii and distances are tokens of packages/look',
    find: (repository: Repository) =>
      eachLine(repository, STYLE_SHEET, (line) => {
        const broken = TOKENS.find(([property]) => property.test(line))
        return broken === undefined ? null : `${line.trim()}: take var(${broken[1]})`
      }),
  },
]
