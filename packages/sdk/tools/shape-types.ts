// TypeScript out of the JSON schemas of the OpenAPI document.

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly description?: string
  readonly title?: string
  readonly pattern?: string
  readonly default?: unknown
}

/** `in` is what callers write: they may leave out and leave undefined. `out` is what they read. */
export type Direction = 'in' | 'out'

const refName = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

/** The declaration of a named shape. */
export function declarationOf(name: string, schema: Schema, direction: Direction): string {
  const comment = jsdoc(schema.description, '')
  if (schema.oneOf !== undefined) {
    return `${comment}export type ${name} = ${exactlyOne(schema, direction)}\n`
  }
  return schema.properties === undefined
    ? `${comment}export type ${name} = ${typeOf(schema, direction)}\n`
    : `${comment}export interface ${name} ${objectOf(schema, direction)}\n`
}

export function typeOf(schema: Schema, direction: Direction): string {
  if (schema.$ref !== undefined) return refName(schema.$ref)
  if (schema.anyOf !== undefined) {
    return schema.anyOf.map((one) => typeOf(one, direction)).join(' | ')
  }
  if (schema.enum !== undefined) return schema.enum.map((value) => literal(value)).join(' | ')
  if (schema.const !== undefined) return literal(schema.const)
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? [])
  if (types.length === 0) throw new Error(`no type in ${JSON.stringify(schema)}`)
  return types.map((type) => typeNamed(type, schema, direction)).join(' | ')
}

function typeNamed(type: string, schema: Schema, direction: Direction): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type
    case 'number':
    case 'integer':
      return 'number'
    case 'array':
      return arrayOf(schema, direction)
    case 'object':
      return schema.properties === undefined
        ? `Record<string, ${mapValueOf(schema, direction)}>`
        : objectOf(schema, direction)
    default:
      throw new Error(`unknown type ${type}`)
  }
}

const mapValueOf = ({ additionalProperties }: Schema, direction: Direction): string =>
  typeof additionalProperties === 'object' ? typeOf(additionalProperties, direction) : 'unknown'

function arrayOf(schema: Schema, direction: Direction): string {
  if (schema.items === undefined) throw new Error('an array of nothing')
  const item = typeOf(schema.items, direction)
  if (schema.minItems !== undefined && schema.minItems === schema.maxItems) {
    return `[${Array.from({ length: schema.minItems }, () => item).join(', ')}]`
  }
  const list = /[ {]/.test(item) ? `(${item})[]` : `${item}[]`
  return direction === 'in' ? `readonly ${list}` : list
}

function objectOf(schema: Schema, direction: Direction): string {
  return `{\n${fieldsOf(schema, direction).join('\n')}\n}`
}

function fieldsOf(schema: Schema, direction: Direction): string[] {
  const required = new Set(schema.required ?? [])
  return Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const isRequired = required.has(name) && property.default === undefined
    return fieldOf({ name, schema: property, isRequired, direction })
  })
}

export function fieldOf(field: {
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
  readonly direction: Direction
  readonly type?: string
  readonly description?: string | undefined
}): string {
  const { name, schema, isRequired, direction } = field
  const type = field.type ?? typeOf(schema, direction)
  const comment = jsdoc(field.description ?? schema.description, '  ')
  const orUndefined = direction === 'in' && !isRequired ? ' | undefined' : ''
  return `${comment}  ${name}${isRequired ? '' : '?'}: ${type}${orUndefined}`
}

/** Branches that each require one property: the others of them must then be absent. */
function exactlyOne(schema: Schema, direction: Direction): string {
  const choices = (schema.oneOf ?? []).map(({ required = [] }) => {
    const [name] = required
    if (name === undefined || required.length !== 1) throw new Error('a branch requires one field')
    return name
  })
  const { oneOf: _, ...base } = schema
  const variants = choices.map((chosen) =>
    objectOf(
      {
        ...base,
        required: [...(base.required ?? []), chosen],
        properties: Object.fromEntries(
          Object.entries(base.properties ?? {}).filter(
            ([name]) => name === chosen || !choices.includes(name),
          ),
        ),
      },
      direction,
    ).replace(
      /\n}$/,
      `\n${choices
        .filter((name) => name !== chosen)
        .map((name) => `  ${name}?: undefined`)
        .join('\n')}\n}`,
    ),
  )
  return variants.join(' | ')
}

export const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value)

const COMMENT_COLUMNS = 96

export function jsdoc(text: string | undefined, indent: string): string {
  if (text === undefined || text === '') return ''
  const lines = wrap(text.replaceAll('*/', '* /'), COMMENT_COLUMNS - indent.length)
  return lines.length === 1
    ? `${indent}/** ${lines[0]} */\n`
    : `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`
}

function wrap(text: string, columns: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = []
    let line = ''
    for (const word of paragraph.split(' ')) {
      if (line !== '' && line.length + word.length + 1 > columns) {
        lines.push(line)
        line = word
      } else line = line === '' ? word : `${line} ${word}`
    }
    return [...lines, line]
  })
}

/** Every shape that a schema names, at any depth. */
export function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) =>
    key === '$ref' && typeof part === 'string' && part.startsWith('#/components/schemas/')
      ? [refName(part)]
      : namesIn(part),
  )
}
