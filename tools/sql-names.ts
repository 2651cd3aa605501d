// What a text of SQL names: tables and functions of schemas. Pure, so that the wall that is built on it
// can be shown to hold.

export interface SchemaNames {
  readonly tables: ReadonlySet<string>
  readonly functions: ReadonlySet<string>
}

export interface Hole {
  /** The schema that the text speaks for. */
  readonly subject: string
  readonly kind: 'table' | 'function'
  /** With its schema. */
  readonly name: string
}

/** From a module to those that it may depend on, each with the reason. */
export type Arrows = Readonly<Record<string, Readonly<Record<string, string>>>>

// A partition is a part of its table, and named by no one.
const CREATES =
  /\bcreate\s+(?:or\s+replace\s+)?(?:unlogged\s+)?(table|function|materialized\s+view|view)\s+(?:if\s+not\s+exists\s+)?([a-z_]+\.[a-z_]+)(?!\w|\s+partition\s+of\b)/gi
const QUALIFIED = /(?<![\w.])([a-z_]+)\.([a-z_]+)(?!\w)/g
const SUBJECT =
  /^\s*(?:create|alter|drop|comment\s+on|insert\s+into|update|delete\s+from|grant|select|with|do)\b[^;]*?(?<![\w.'])([a-z_]+)\.[a-z_]+/i

/** The tables and functions that migrations make. */
export function readNames(migrations: readonly string[]): SchemaNames {
  const made = migrations.flatMap((text) => [...withoutComments(text).matchAll(CREATES)])
  const ofKind = (wanted: boolean): Set<string> =>
    new Set(
      made
        .filter(([, kind = '']) => (kind.toLowerCase() === 'function') === wanted)
        .map(([, , name = '']) => name),
    )
  return { tables: ofKind(false), functions: ofKind(true) }
}

const TABLE =
  /\b(create|drop)\s+(?:unlogged\s+)?table\s+(?:if\s+(?:not\s+)?exists\s+)?([a-z_]+\.[a-z_]+)(?!\w|\s+partition\s+of\b)/gi

/** The tables that are there after these migrations, views left out. */
export function readTables(migrations: readonly string[]): Set<string> {
  const tables = new Set<string>()
  for (const [, verb = '', name = ''] of migrations.flatMap((text) => [
    ...withoutComments(text).matchAll(TABLE),
  ])) {
    if (verb.toLowerCase() === 'create') tables.add(name)
    else tables.delete(name)
  }
  return tables
}

/** Tables that a text names although they are of another schema than the text's. */
export function tableHoles(text: string, names: SchemaNames, owner?: string): Hole[] {
  return foreignNames(text, owner)
    .filter(({ name }) => names.tables.has(name))
    .map(({ subject, name }) => ({ subject, kind: 'table', name }))
}

/** Functions that a text calls although no arrow leads to their schema. Those of infra are open to all. */
export function arrowHoles(
  text: string,
  names: SchemaNames,
  arrows: Arrows,
  owner?: string,
): Hole[] {
  return foreignCalls(text, names, owner)
    .filter(({ subject, schema }) => schema !== 'infra' && !(schema in (arrows[subject] ?? {})))
    .map(({ subject, name }) => ({ subject, kind: 'function', name }))
}

/** The calls of functions of other schemas than the text's. */
export const foreignCalls = (text: string, names: SchemaNames, owner?: string): ForeignName[] =>
  foreignNames(text, owner).filter(({ name }) => names.functions.has(name))

interface ForeignName {
  readonly subject: string
  readonly schema: string
  readonly name: string
}

function foreignNames(text: string, owner?: string): ForeignName[] {
  const pieces = owner === undefined ? statements(withoutComments(text)) : [withoutComments(text)]
  return pieces.flatMap((piece) => {
    const subject = owner ?? SUBJECT.exec(piece)?.[1] ?? ''
    return [...piece.matchAll(QUALIFIED)]
      .map(([name, schema = '']) => ({ subject, schema, name }))
      .filter(({ schema }) => schema !== subject)
  })
}

/** The statements of a script; a function's body, between its $$, belongs to its statement. */
export function statements(text: string): string[] {
  const parts = text.split(/(\$\w*\$)/)
  const found: string[] = []
  let current = ''
  let quote: string | null = null
  for (const part of parts) {
    if (/^\$\w*\$$/.test(part)) {
      quote = quote === null ? part : quote === part ? null : quote
      current += part
    } else if (quote !== null) {
      current += part
    } else {
      const [first = '', ...rest] = splitOutsideQuotes(part)
      current += first
      for (const next of rest) {
        found.push(current)
        current = next
      }
    }
  }
  return [...found, current].filter((statement) => statement.trim() !== '')
}

function splitOutsideQuotes(text: string): string[] {
  const pieces = ['']
  let quoted = false
  for (const character of text) {
    if (character === "'") quoted = !quoted
    if (character === ';' && !quoted) pieces.push('')
    else pieces[pieces.length - 1] += character
  }
  return pieces
}

function withoutComments(text: string): string {
  return text.replace(/--[^\n]*/g, '').replace(/\/\*[\s\S]*?\*\//g, '')
}
