// The drawings of the diagrams that pages hold in Mermaid's notation. Mermaid draws in the browser, with half
// a megabyte of script and with styles that a strict policy forbids; two diagrams that hardly ever change are
// SVG files. Each holds the notation that it draws, and takes its colours from the page's styles.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './pages.ts'

export const DRAWINGS = join(ROOT, 'docs/diagrams')

const NOTATION = /<metadata>.*<\/metadata>\n/s

/** A changed notation is refused, so that its drawing is changed with it. */
export function drawingOf(notation: string): string {
  const drawing = readdirSync(DRAWINGS)
    .map((name) => readFileSync(join(DRAWINGS, name), 'utf8'))
    .find((text) => text.includes(`<metadata><![CDATA[\n${notation}]]></metadata>`))
  if (drawing === undefined) throw new Error(`no file in docs/diagrams draws this:\n${notation}`)
  const svg = drawing.replace(NOTATION, '')
  return `<div class="diagram" tabindex="0" role="region" aria-label="Diagram">${svg}</div>\n`
}
