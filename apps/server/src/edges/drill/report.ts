// What the drill found, on the terminal and as a page of Markdown.
import type { Finding } from '#kernel/check'
import { cut } from '#kernel/text'

export interface PartReport {
  readonly part: string
  readonly lines: readonly { readonly check: string; readonly finding: Finding }[]
}

const MOST_DETAIL = 400

/** One line: what a counterpart says may have line breaks, and marks of Markdown. */
const plain = (text: string): string =>
  cut(text.replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]+/gu, ' '), MOST_DETAIL).replace(
    /[\\`*_<>[\]|#]/g,
    (mark) => `\\${mark}`,
  )

export function resultOf({ kind, detail }: Finding): string {
  switch (kind) {
    case 'as_expected':
      return `as expected (${plain(detail)})`
    case 'differs':
      return `differs: ${plain(detail)}`
    case 'not_tried':
      return `not tried (${plain(detail)})`
  }
}

/** One thing that differs makes the part differ; a part of which nothing could be tried was not tried. */
export function endOf({ lines }: PartReport): string {
  const count = (kind: Finding['kind']): number =>
    lines.filter(({ finding }) => finding.kind === kind).length
  const differing = count('differs')
  if (differing > 0) return `differs: ${differing} of ${lines.length} checks`
  return count('as_expected') > 0 ? 'as expected' : 'not tried'
}

export function reportOf(
  parts: readonly PartReport[],
  { begunAt, endedAt }: { readonly begunAt: Date; readonly endedAt: Date | null },
): string {
  const until = endedAt === null ? 'not ended' : `ended ${endedAt.toISOString()}`
  const sections = parts.map((part) => {
    const lines = part.lines.map(({ check, finding }) => `- ${plain(check)}: ${resultOf(finding)}`)
    return [`## ${part.part}: ${endOf(part)}`, '', ...lines].join('\n')
  })
  const head = `# Drill\n\nBegun ${begunAt.toISOString()}, ${until}. What is secret is left out.`
  return `${[head, ...sections].join('\n\n')}\n`
}
