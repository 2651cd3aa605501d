// Puts the unit files of deploy/systemd into docs/scaling-out.md: the worker's whole, of the others what
// differs.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOrNull, replaceRegion, writeOrCheck } from './generated.ts'

const PAGE = 'docs/scaling-out.md'
const FOLDER = join(import.meta.dirname, '../deploy/systemd')
const OTHERS = ['api.service', 'signer.service', 'backup.service', 'backup.timer']

const worker = linesOf('worker.service')
const blocks = [
  block('worker.service', worker, ''),
  ...OTHERS.map((name) => block(name, linesOf(name).filter(isOwn), 'Of ')),
]

writeOrCheck({
  path: PAGE,
  content: replaceRegion(readOrNull(PAGE) ?? '', 'units', blocks.join('\n\n')),
  command: 'node tools/units-page.ts',
})

function linesOf(name: string): string[] {
  return readFileSync(join(FOLDER, `tradepost-${name}`), 'utf8')
    .trimEnd()
    .split('\n')
}

/** A section stays as a heading where a line of it differs. */
function isOwn(line: string, index: number, lines: readonly string[]): boolean {
  if (!line.startsWith('[')) return line !== '' && !worker.includes(line)
  const next = lines.findIndex((other, at) => at > index && other.startsWith('['))
  return lines
    .slice(index + 1, next < 0 ? undefined : next)
    .some((other) => other !== '' && !worker.includes(other))
}

function block(name: string, lines: readonly string[], prefix: string): string {
  return `\`\`\`ini\n# ${prefix}/etc/systemd/system/tradepost-${name}\n${lines.join('\n')}\n\`\`\``
}
