// One version for all packages of the repository. Pure, so that it can be tested without a release.

export type Json = Readonly<Record<string, unknown>>

const NUMBERS = /^(\d+)\.(\d+)\.(\d+)$/

export function isNewer(version: string, current: string): boolean {
  const [a, b] = [version, current].map((text) => NUMBERS.exec(text)?.slice(1).map(Number))
  if (a === undefined || b === undefined) return false
  const at = a.findIndex((number, i) => number !== b[i])
  return at >= 0 && (a[at] as number) > (b[at] as number)
}

const OWN = /^(tradepost|@tradepost\/.+)$/

/** A manifest or the lock file with the new version of our packages, wherever one of them is named. */
export function withVersion(file: Json, version: string, current: string): Json {
  const change = (value: unknown, key?: string): unknown => {
    if (value === null || typeof value !== 'object') {
      return key !== undefined && OWN.test(key) && value === current ? version : value
    }
    const entries = Object.entries(value)
    const isOwn = typeof (value as Json).name === 'string' && OWN.test(String((value as Json).name))
    return Object.fromEntries(
      entries.map(([name, one]) =>
        isOwn && name === 'version' && one === current
          ? [name, version]
          : [name, Array.isArray(one) ? one : change(one, name)],
      ),
    )
  }
  return change(file) as Json
}

/** The changelog with today's date at the version that was open; refuses one without an entry for it. */
export function closeChangelog(text: string, version: string, today: string): string {
  const open = `## ${version} (not yet released)`
  if (!text.includes(open)) {
    throw new Error(`CHANGELOG.md has no heading "${open}": write what merchants will notice first`)
  }
  return text.replace(open, `## ${version} (${today})`)
}
