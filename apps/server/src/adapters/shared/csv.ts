/**
 * Reads comma-separated text as it arrives (RFC 4180: quoted fields, doubled quotes, line breaks inside
 * quotes). Rows longer than `maxRowChars` are given up, so that a file without line breaks cannot fill
 * the memory.
 */
export async function* readCsvRows(
  chunks: AsyncIterable<string>,
  maxRowChars = 65_536,
): AsyncGenerator<readonly string[], void, undefined> {
  let rest = ''
  for await (const chunk of chunks) {
    rest += chunk
    let start = 0
    for (;;) {
      const end = endOfRow(rest, start)
      if (end < 0) break
      const row = rest.slice(start, rest[end - 1] === '\r' ? end - 1 : end)
      start = end + 1
      if (row !== '') yield splitRow(row)
    }
    rest = rest.slice(start)
    if (rest.length > maxRowChars) throw new Error('a row of the file has no end')
  }
  if (rest.trim() !== '') yield splitRow(rest.replace(/\r$/, ''))
}

/** The line break that ends the row, or -1. A break between quotes belongs to the field. */
function endOfRow(text: string, start: number): number {
  let from = start
  for (;;) {
    const end = text.indexOf('\n', from)
    if (end < 0 || hasEvenQuotes(text.slice(start, end))) return end
    from = end + 1
  }
}

function hasEvenQuotes(text: string): boolean {
  return !text.includes('"') || text.split('"').length % 2 === 1
}

function splitRow(row: string): readonly string[] {
  if (!row.includes('"')) return row.split(',')
  const cells: string[] = []
  for (let at = 0; at <= row.length; ) {
    const end = endOfCell(row, at)
    const cell = row.slice(at, end)
    cells.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell)
    at = end + 1
  }
  return cells
}

/** The comma that ends the cell, or the end of the row. */
function endOfCell(row: string, start: number): number {
  let end = row.indexOf(',', start)
  while (end >= 0 && !hasEvenQuotes(row.slice(start, end))) end = row.indexOf(',', end + 1)
  return end < 0 ? row.length : end
}
