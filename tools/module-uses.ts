// Which module uses which, by import. Pure, so that the check that is built on it can be tested.
import { posix } from 'node:path'
import type { Arrows } from './sql-names.ts'

/** One module uses another, by an import or by a call in SQL. */
export interface Use {
  readonly from: string
  readonly to: string
}

const SPECIFIER = /\b(?:from|import)\s*\(?\s*'([^']+)'/g
const MODULE_PATH = /^apps\/server\/src\/modules\/[^/]+\/([^/]+)\//

/** The other modules that a file of a module imports, by their doors (`#ledger`) or by a path. */
export function importUses(path: string, text: string): Use[] {
  const from = MODULE_PATH.exec(path)?.[1]
  if (from === undefined) return []
  return [...text.matchAll(SPECIFIER)].flatMap(([, specifier = '']) => {
    const to = moduleOf(path, specifier)
    return to === undefined || to === from ? [] : [{ from, to }]
  })
}

function moduleOf(path: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) {
    return MODULE_PATH.exec(posix.join(posix.dirname(path), specifier))?.[1]
  }
  return /^#(?:ports\/)?([a-z-]+)$/.exec(specifier)?.[1]
}

/** Declared arrows along which nothing goes. */
export function unusedArrows(arrows: Arrows, uses: readonly Use[]): Use[] {
  const used = new Set(uses.map(({ from, to }) => `${from} ${to}`))
  return Object.entries(arrows).flatMap(([from, targets]) =>
    Object.keys(targets)
      .filter((to) => !used.has(`${from} ${to}`))
      .map((to) => ({ from, to })),
  )
}
