import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BACKGROUNDS, COLOURS, type Shade, TEXT } from './tokens.ts'

const THEMES = ['light', 'dark'] as const satisfies readonly (keyof Shade)[]

type Colour = keyof typeof COLOURS

/** As WCAG 2.2 defines it, of colours as `#rrggbb`. */
function contrastOf(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

function luminanceOf(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

const contrast = (text: Colour, background: Colour, theme: keyof Shade): number =>
  contrastOf(COLOURS[text][theme], COLOURS[background][theme])

test('text has a contrast of 4.5 on every background, in both themes', () => {
  for (const theme of THEMES) {
    for (const text of TEXT) {
      for (const background of BACKGROUNDS) {
        const ratio = contrast(text, background, theme)
        assert.ok(ratio >= 4.5, `${text} on ${background}, ${theme}: ${ratio.toFixed(2)}`)
      }
    }
    assert.ok(contrast('on-accent', 'accent', theme) >= 4.5, theme)
  }
})

test('the border of what can be pressed has a contrast of 3, in both themes', () => {
  for (const theme of THEMES) {
    for (const background of BACKGROUNDS) {
      assert.ok(contrast('control', background, theme) >= 3, `${background}, ${theme}`)
    }
  }
})
