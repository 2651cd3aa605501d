// The files of the look that are served as they are.
import { lookCss } from '../packages/look/src/css.ts'
import { markSvg } from '../packages/look/src/mark.ts'
import { writeOrCheck } from './generated.ts'

const command = 'npm run docs'
writeOrCheck({ path: 'packages/look/look.css', content: lookCss(), command })
writeOrCheck({ path: 'packages/look/icon.svg', content: markSvg(), command })
