// The repository as the rules of tidy see it: texts by their paths, and nothing else.

export interface Repository {
  readonly files: ReadonlyMap<string, string>
}

export interface Finding {
  readonly path: string
  /** Counted from 1; absent when the finding is about the whole file or a missing one. */
  readonly line?: number
  readonly message: string
}

export interface Rule {
  /** A sentence that is true of a tidy repository. */
  readonly name: string
  readonly find: (repository: Repository) => Finding[]
}

export const describe = ({ path, line, message }: Finding): string =>
  `${path}${line === undefined ? '' : `:${line}`}: ${message}`

export const repositoryOf = (files: Readonly<Record<string, string>>): Repository => ({
  files: new Map(Object.entries(files)),
})

/** The files whose path matches, with their paths. */
export function filesAt(repository: Repository, pattern: RegExp): [path: string, text: string][] {
  return [...repository.files].filter(([path]) => pattern.test(path))
}

/** A finding for each line of the matching files that `check` has a word about. */
export function eachLine(
  repository: Repository,
  pattern: RegExp,
  check: (line: string, path: string) => string | null,
): Finding[] {
  return filesAt(repository, pattern).flatMap(([path, text]) =>
    text.split('\n').flatMap((content, i) => {
      const message = check(content, path)
      return message === null ? [] : [{ path, line: i + 1, message }]
    }),
  )
}

export const isTest = (path: string): boolean =>
  /\.test\.ts$|\/(testing|conformance)\/|^tests\//.test(path)
