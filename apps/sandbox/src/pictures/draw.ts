// A drawing (SVG) of an item: the outline of its type, the colours of its finish, the scratches of its wear.
import { hashOf, randomOf, STREAM } from '../dataset/random.ts'
import type { CatalogueItem } from '../dataset/types.ts'
import { type Finish, finishOf } from './finish.ts'
import { shapeOf } from './shapes.ts'

export function drawItem(item: CatalogueItem): string {
  const finish = finishOf(`${item.name} ${item.phase ?? ''}`)
  const chance = hashOf(item.weapon ?? item.name)
  const shape = shapeOf(item.itemType, item.weapon, (chance % 100) / 100)
  const painted = shape.painted.join('')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 256 256" width="256" height="256">
<defs>
<clipPath id="c"><path d="${painted}"/></clipPath>
<radialGradient id="r"><stop stop-color="#${item.rarityColor}" stop-opacity=".38"/><stop offset="1" stop-color="#${item.rarityColor}" stop-opacity="0"/></radialGradient>
<linearGradient id="s" x2="0" y2="1"><stop stop-color="#fff" stop-opacity=".32"/><stop offset=".45" stop-color="#fff" stop-opacity="0"/><stop offset="1" stop-color="#000" stop-opacity=".4"/></linearGradient>
<linearGradient id="p" x2="0" y2="1"><stop stop-color="#5a606c"/><stop offset="1" stop-color="#23262d"/></linearGradient>
<linearGradient id="f" x2="1" y2=".35">${finish.colours.map((colour, at) => `<stop offset="${at / 2}" stop-color="${colour}"/>`).join('')}</linearGradient>
</defs>
<circle cx="128" cy="128" r="126" fill="url(#r)"/>
${steel(shape.plain)}
<g clip-path="url(#c)">${patternOf(finish, hashOf(item.name))}${scratchesOf(item)}<rect width="256" height="256" fill="url(#s)"/></g>
<path d="${painted}" fill="none" stroke="#14161a" stroke-width="3" stroke-linejoin="round"/>
${steel(shape.over ?? [])}
<path d="${(shape.lines ?? []).join('')}" fill="none" stroke="#000" stroke-opacity=".42" stroke-width="2.5" stroke-linecap="round"/>
</svg>`
}

const steel = (paths: readonly string[]): string =>
  `<path d="${paths.join('')}" fill="url(#p)" fill-rule="evenodd" stroke="#14161a" stroke-width="2" stroke-linejoin="round"/>`

/** Fills the square; the outline cuts it. */
function patternOf({ colours: [ground, middle, bright], pattern }: Finish, chance: number): string {
  const random = randomOf(chance, STREAM.picture)
  const one = (most: number): number => random.between(0, most)
  const many = (count: number, draw: (at: number) => string): string =>
    Array.from({ length: count }, (_, at) => draw(at)).join('')
  const back = `<rect width="256" height="256" fill="${ground}"/>`
  const line = (path: string, colour: string, width: number): string =>
    `<path d="${path}" fill="none" stroke="${colour}" stroke-width="${width}"/>`
  switch (pattern) {
    case 'plain':
      return `<rect width="256" height="256" fill="${middle}"/>${line(`M0 ${90 + one(60)}h256`, bright, 8)}`
    case 'fade':
      return '<rect width="256" height="256" fill="url(#f)"/>'
    case 'stripes':
      return (
        back +
        many(12, (at) => line(`M${at * 26 - 20} 0l-40 256`, at % 3 ? middle : bright, 7 + one(6)))
      )
    case 'camouflage':
      return (
        back +
        many(26, (at) => {
          const colour = at % 2 ? middle : bright
          return `<ellipse cx="${one(256)}" cy="${one(256)}" rx="${10 + one(24)}" ry="${6 + one(14)}" fill="${colour}" transform="rotate(${one(60) - 30} 128 128)"/>`
        })
      )
    case 'facets':
      return (
        back +
        many(34, (at) => {
          const [x, y] = [one(256), one(256)]
          const colour = [middle, bright, ground][at % 3]
          return `<path d="M${x} ${y}l${20 + one(30)} ${one(20) - 10}l-${one(30)} ${14 + one(28)}z" fill="${colour}"/>`
        })
      )
    case 'waves':
      return (
        back +
        many(9, (at) => {
          const y = at * 26 + one(14)
          return line(`M-10 ${y}q40 -34 80 0t80 0t80 0t80 0`, at % 2 ? middle : bright, 6 + one(8))
        })
      )
    case 'dots':
      return (
        back +
        many(
          60,
          (at) =>
            `<circle cx="${one(256)}" cy="${one(256)}" r="${3 + one(8)}" fill="${at % 2 ? middle : bright}"/>`,
        )
      )
    case 'web':
      return (
        back +
        many(12, (at) =>
          line(
            `M128 128L${128 + Math.round(200 * Math.cos(at * 0.52))} ${128 + Math.round(200 * Math.sin(at * 0.52))}`,
            middle,
            3,
          ),
        ) +
        many(
          7,
          (at) =>
            `<circle cx="128" cy="128" r="${14 + at * 20}" fill="none" stroke="${at % 2 ? middle : bright}" stroke-width="3"/>`,
        )
      )
    case 'swirl':
      return (
        back +
        many(12, (at) => {
          const [x, y] = [one(256), one(256)]
          return line(
            `M${x} ${y}c${one(90)} ${one(90) - 60} ${one(60)} ${one(120)} ${60 + one(90)} ${one(60) - 30}`,
            at % 3 ? middle : bright,
            8 + one(16),
          )
        })
      )
    case 'panels':
      return (
        back +
        many(5, (at) => {
          const x = at * 54 + one(18) - 10
          return `<path d="M${x} 60l26 0l-22 150h-26z" fill="${at % 2 ? bright : middle}"/>`
        }) +
        line('M0 126h256', bright, 4)
      )
  }
}

/** The hash of the picture of a worn thing ends with how worn it is. */
function scratchesOf({ iconUrl, name }: CatalogueItem): string {
  const count = iconUrl.endsWith('_heavy') ? 46 : iconUrl.endsWith('_medium') ? 18 : 0
  const random = randomOf(hashOf(name), STREAM.picture, 1)
  const one = (most: number): number => random.between(0, most)
  const path = Array.from(
    { length: count },
    () => `M${one(256)} ${one(256)}l${4 + one(26)} ${one(14) - 7}`,
  ).join('')
  return `<path d="${path}" stroke="#cfd2d6" stroke-opacity=".55" stroke-width="2"/>`
}
