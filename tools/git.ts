// What git knows of the repository.
import { execFileSync } from 'node:child_process'

/** Runs git with arguments that make it end each name with a zero byte, and returns the names. */
export function gitNames(root: string, ...args: readonly string[]): string[] {
  const names = execFileSync('git', ['-c', 'safe.directory=*', ...args], {
    cwd: root,
    encoding: 'utf8',
  })
  return names.split('\0').filter((name) => name !== '')
}

const NEW = ['--others', '--exclude-standard']

/** What git knows, and what it would take in: not what is ignored, such as installed packages. */
export const listFiles = (root: string): string[] =>
  gitNames(root, 'ls-files', '-z', '--cached', ...NEW)

export const listNewFiles = (root: string): string[] => gitNames(root, 'ls-files', '-z', ...NEW)
