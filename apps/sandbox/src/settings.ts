// Readers of settings from the environment. Each stops the start with one sentence that names the variable.

export type Environment = Readonly<Record<string, string | undefined>>

/** A setting that cannot be used. The message names the variable. */
export class ConfigFault extends Error {}

export function textSetting(environment: Environment, name: string, fallback: string): string {
  const value = environment[name]
  return value === undefined || value === '' ? fallback : value
}

export function integerSetting(
  environment: Environment,
  name: string,
  {
    fallback,
    least = 0,
    most,
  }: { readonly fallback: number; readonly least?: number; readonly most: number },
): number {
  const value = textSetting(environment, name, String(fallback))
  const number = /^\d{1,12}$/.test(value) ? Number(value) : Number.NaN
  if (!(number >= least && number <= most)) {
    throw new ConfigFault(
      `${name} must be a whole number from ${least} to ${most}, not "${value}".`,
    )
  }
  return number
}

/** Accepted keys, separated by commas; each has an account of its own. */
export function keysSetting(
  environment: Environment,
  name: string,
  fallback: string,
): readonly string[] {
  const list = textSetting(environment, name, fallback)
    .split(',')
    .map((key) => key.trim())
  if (list.some((key) => key === '')) throw new ConfigFault(`${name} must not hold an empty key.`)
  return list
}

type Choices = Readonly<Record<string, readonly string[]>>

/** A JSON object that overrides some defaults; an unknown field or one of another kind is refused. */
export function objectSetting<T extends object>(
  environment: Environment,
  name: string,
  { defaults, choices }: { readonly defaults: T; readonly choices: Choices },
): T {
  const overrides = parseObject(name, textSetting(environment, name, '{}'))
  for (const [field, value] of Object.entries(overrides)) {
    const normal = (defaults as Record<string, unknown>)[field]
    if (normal === undefined) throw new ConfigFault(`${name} has no setting "${field}".`)
    const allowed = choices[field]
    const isGood =
      allowed === undefined
        ? typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
        : allowed.includes(String(value))
    if (!isGood) {
      throw new ConfigFault(
        `${name}: ${field} must be ${allowed === undefined ? 'a whole number' : allowed.join(' or ')}.`,
      )
    }
  }
  return { ...defaults, ...overrides }
}

function parseObject(name: string, json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch {
    // Not JSON: refused below.
  }
  throw new ConfigFault(`${name} must be a JSON object.`)
}
