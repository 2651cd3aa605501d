// A folder as a ZIP file, in which it is a folder again.
import { readdir, readFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { zipSync } from 'fflate'

/** The same files give the same bytes: their dates are left out. */
const NO_DATE = '1980-01-01T00:00:00'

export async function zipped(folder: string): Promise<Buffer> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  const files: Record<string, Uint8Array> = {}
  for (const path of paths)
    files[`${nameOf(folder)}/${relative(folder, path)}`] = await readFile(path)
  return Buffer.from(zipSync(files, { mtime: NO_DATE }))
}

/** `docs/bruno/merchant` is unpacked as `tradepost-merchant`. */
const nameOf = (folder: string): string => `tradepost-${basename(folder)}`
