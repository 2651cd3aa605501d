// The look of the pages: files that a browser reads. The sandbox shares no code with the service.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const LOOK_CSS = readFileSync(
  fileURLToPath(import.meta.resolve('@tradepost/look/look.css')),
  'utf8',
)
export const ICON_SVG = readFileSync(
  fileURLToPath(import.meta.resolve('@tradepost/look/icon.svg')),
  'utf8',
)
