// A module's tables are its own. Every name in SQL is written with its schema, and a schema bears its
// module's name, so ownership can be read: `ledger.posting` in a text of the module buying is a hole in a
// wall. A call of another schema's function is no hole where an arrow between the modules exists: such
// functions are the door that a module has in the database.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { moduleArrows, moduleSubjects } from './module-arrows.ts'
import { importUses, type Use, unusedArrows } from './module-uses.ts'
import {
  type Arrows,
  arrowHoles,
  foreignCalls,
  type Hole,
  readNames,
  tableHoles,
} from './sql-names.ts'

const ROOT = join(import.meta.dirname, '..')
const SERVER = 'apps/server'

/** What operations keep stands above the modules, and may call each of them. */
const arrows: Arrows = { ...moduleArrows, operations: moduleSubjects }

const migrations = globSync(`${SERVER}/migrations/[0-9]*.sql`, { cwd: ROOT }).sort()
const names = readNames(migrations.map(read))
const holes = [...migrations.flatMap(holesOfMigration), ...sourceFiles().flatMap(holesOfSource)]

const unused = unusedArrows(moduleArrows, [
  ...sourceFiles().flatMap((path) => importUses(path, read(path))),
  ...migrations.flatMap((path) => callUses(read(path))),
  ...sourceFiles().flatMap((path) =>
    textsIn(path).flatMap((text) => callUses(text, ownerOf(path))),
  ),
])

for (const hole of new Set(holes)) console.error(hole)
for (const { from, to } of unused) {
  console.error(`tools/module-arrows.ts: no import and no SQL of ${from} uses its arrow to ${to}`)
}
if (holes.length + unused.length > 0) process.exitCode = 1

function callUses(text: string, owner?: string): Use[] {
  return foreignCalls(text, names, owner).map(({ subject, schema }) => ({
    from: subject,
    to: schema,
  }))
}

/** A migration may touch what its own schemas hold; each statement speaks for the schema it is about. */
function holesOfMigration(path: string): string[] {
  return tableHoles(read(path), names)
    .concat(arrowHoles(read(path), names, arrows))
    .map((hole) => describe(path, hole))
}

function holesOfSource(path: string): string[] {
  const owner = ownerOf(path)
  return textsIn(path)
    .flatMap((text) => [
      ...tableHoles(text, names, owner),
      ...(owner in arrows ? arrowHoles(text, names, arrows, owner) : []),
    ])
    .map((hole) => describe(path, hole))
}

/** Tests and the builders of their environments may look at any table: they check what is written there. */
function sourceFiles(): string[] {
  return globSync(`${SERVER}/src/**/*.ts`, { cwd: ROOT })
    .filter((path) => !/\.test\.ts$|\/(testing|conformance)\//.test(path))
    .sort()
}

/** The schema that a file may name: its module's; for infra, infra; for an edge, none. */
function ownerOf(path: string): string {
  const [, layer = '', module = ''] = /src\/(\w+)\/(?:\w+\/([\w-]+))?/.exec(path) ?? []
  return layer === 'modules' ? module : layer
}

/** The string and template literals of a file: SQL lives nowhere else. */
function textsIn(path: string): string[] {
  const file = ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest)
  const texts: string[] = []
  const visit = (node: ts.Node): void => {
    if (
      ts.isStringLiteralLike(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddleOrTemplateTail(node)
    ) {
      texts.push(node.text)
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return texts
}

function describe(path: string, { subject, kind, name }: Hole): string {
  return kind === 'table'
    ? `${path}: ${subject} names ${name}`
    : `${path}: ${subject} calls ${name}, and no arrow leads there`
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}
