// JSON Pointers (RFC 6901) in answers about refused fields.

/** A caller chose the names below; an answer does not carry a name of a hundred kilobytes back. */
const MAX_NAME_LENGTH = 128

export function pointerTo(parent: string, name: string): string {
  const clipped = name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name
  return `${parent}/${clipped.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** From the outermost on. */
export const namesIn = (pointer: string): string[] =>
  pointer
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
