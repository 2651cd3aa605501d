// The statements of the server, and which of them reach beyond one tenant.
import ts from 'typescript'
import { statements } from '../sql-names.ts'
import { rootOf, TABLES } from './tables.ts'

export interface Statement {
  readonly name: string
  readonly text: string
}

/** Those that a file makes with `sql(name, text)`; what is put together elsewhere stands as `{name}`. */
export function statementsIn(source: string): Statement[] {
  const file = ts.createSourceFile('', source, ts.ScriptTarget.Latest)
  const constants = new Map<string, string>()
  const textOf = (node: ts.Expression): string => {
    if (ts.isStringLiteralLike(node)) return node.text
    if (ts.isIdentifier(node)) return constants.get(node.text) ?? `{${node.text}}`
    if (!ts.isTemplateExpression(node)) return '{}'
    const rest = node.templateSpans.map(
      ({ expression, literal }) => textOf(expression) + literal.text,
    )
    return node.head.text + rest.join('')
  }
  const noteConstants = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && node.initializer && ts.isIdentifier(node.name)) {
      constants.set(node.name.text, textOf(node.initializer))
    }
    ts.forEachChild(node, noteConstants)
  }
  // Twice: a text may use a constant that stands below it.
  noteConstants(file)
  noteConstants(file)
  const found: Statement[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      const [name, text] = node.arguments
      if (node.expression.text === 'sql' && name && text) {
        found.push({ name: textOf(name), text: textOf(text) })
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

/** The functions and views of the migrations, each as the last one makes it. */
export function functionsIn(migrations: readonly string[]): Statement[] {
  const found = new Map<string, string>()
  for (const text of migrations.flatMap((each) => statements(each.replace(/--[^\n]*/g, '')))) {
    const name = CREATES.exec(text)?.[1]
    if (name !== undefined) found.set(name, text)
  }
  return [...found].map(([name, text]) => ({ name, text }))
}

const CREATES = /create\s+(?:or\s+replace\s+)?(?:function|view)\s+([a-z_]+\.[a-z_]+)/i
const QUALIFIED = /(?<![\w.])[a-z_]+\.[a-z_]+(?!\w)/g

const tablesIn = (text: string): string[] =>
  [...new Set(text.match(QUALIFIED))].filter((name) => name in TABLES)

const isTenants = (table: string): boolean => ['tenant', 'account'].includes(rootOf(table) ?? '')

/** Rows of tenants together with rows that all tenants share; rows that are the same everywhere are not. */
export function isMixed({ text }: Statement): boolean {
  const tables = tablesIn(text)
  return (
    tables.some(isTenants) && tables.some((table) => rootOf(table) === 'shared' && !isSame(table))
  )
}

const isSame = (table: string): boolean => {
  const found = TABLES[table]
  return found?.kind === 'shared' && found.isSameEverywhere
}

/**
 * Rows of tenants that no parameter says the tenant, the account or the row of. An insert says whose its row
 * is. Functions are left out: they name their parameters.
 */
export const isOverTenants = ({ text }: Statement): boolean =>
  tablesIn(text).some(isTenants) && !/^\s*insert\s/.test(text) && !BOUND.test(text)

const BOUND = /\b(\w*id|\w*hash|\w*ref)\)?\s*(=|is not distinct from)\s*(any\s*)?\(?\s*\$\d/
