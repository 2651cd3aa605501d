// Draws the diagrams of states that docs/states.md holds in Mermaid's notation. Mermaid itself draws in the
// browser, with half a megabyte of script and styles that a strict policy forbids; ten boxes need neither.

interface Edge {
  readonly from: string
  readonly to: string
}

interface Box {
  readonly name: string
  readonly column: number
  readonly row: number
  readonly isEnd: boolean
}

const BOX = { width: 100, height: 40 }
const STEP = { x: 150, y: 68 }
const MARGIN = 14

/** An SVG element; `id` names its parts within the page. Its colours come from the page's styles. */
export function stateDiagram(notation: string, id: string): string {
  const edges = edgesOf(notation)
  const boxes = layOut(edges)
  const width = MARGIN * 2 + BOX.width + STEP.x * Math.max(...boxes.map(({ column }) => column))
  const height = MARGIN * 2 + BOX.height + STEP.y * Math.max(...boxes.map(({ row }) => row))
  const said = edges.map(({ from, to }) => `${from} to ${to}`).join(', ')
  return [
    `<div class="diagram" tabindex="0" role="region" aria-label="Diagram">`,
    `<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Steps: ${said}">`,
    `<defs><marker id="${id}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>`,
    ...edges.map((edge) => drawEdge(edge, boxes, id)),
    ...boxes.map(drawBox),
    '</svg></div>\n',
  ].join('')
}

function edgesOf(notation: string): Edge[] {
  return [...notation.matchAll(/^\s*(\w+) --> (\w+)\s*$/gm)].map(([, from = '', to = '']) => ({
    from,
    to,
  }))
}

/**
 * A state stands one column behind the last that leads to it, an end in the last column, so that no line
 * has to cross a box. The way that most go is the first row: from each state the first step that is
 * listed. The others stand below, each in a row of its own.
 */
function layOut(edges: readonly Edge[]): Box[] {
  const names = [...new Set(edges.flatMap(({ from, to }) => [from, to]))]
  const columns = new Map<string, number>()
  const columnOf = (name: string): number => {
    const known = columns.get(name)
    if (known !== undefined) return known
    const before = edges.filter(({ to }) => to === name).map(({ from }) => columnOf(from))
    const column = before.length === 0 ? 0 : Math.max(...before) + 1
    columns.set(name, column)
    return column
  }
  const isEnd = (name: string): boolean => edges.every(({ from }) => from !== name)
  const main = new Set<string>()
  for (let at = names[0]; at !== undefined && !main.has(at); ) {
    main.add(at)
    const here = at
    at = edges.find(({ from }) => from === here)?.to
  }
  const last = Math.max(...names.map(columnOf))
  let row = 0
  return names.map((name) => {
    if (!main.has(name)) row += 1
    const column = isEnd(name) ? last : columnOf(name)
    return { name, column, row: main.has(name) ? 0 : row, isEnd: isEnd(name) }
  })
}

function drawBox({ name, column, row, isEnd }: Box): string {
  const x = MARGIN + column * STEP.x
  const y = MARGIN + row * STEP.y
  return (
    `<g class="${isEnd ? 'end' : 'step'}"><rect x="${x}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="8"/>` +
    `<text x="${x + BOX.width / 2}" y="${y + BOX.height / 2 + 5}" text-anchor="middle">${name}</text></g>`
  )
}

function drawEdge({ from, to }: Edge, boxes: readonly Box[], tip: string): string {
  const [start, end] = [from, to].map((name) => boxes.find((box) => box.name === name))
  if (start === undefined || end === undefined) return ''
  const left = (box: Box): number => MARGIN + box.column * STEP.x
  const middle = (box: Box): number => MARGIN + box.row * STEP.y + BOX.height / 2
  if (start.row === end.row) {
    return `<path class="edge" d="M${left(start) + BOX.width} ${middle(start)} H${left(end)}" marker-end="url(#${tip})"/>`
  }
  // Down from the lower edge, then across: it meets no box, since ends stand further right.
  const x = left(start) + BOX.width / 2
  const bottom = middle(start) + BOX.height / 2
  const y = middle(end)
  return `<path class="edge" d="M${x} ${bottom} V${y - 12} Q${x} ${y} ${x + 12} ${y} H${left(end)}" marker-end="url(#${tip})"/>`
}
