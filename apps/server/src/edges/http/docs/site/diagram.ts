// Draws the diagrams that pages hold in Mermaid's notation: of states, and flowcharts from left to right.
// Mermaid itself draws in the browser, with half a megabyte of script and styles that a strict policy
// forbids; ten boxes need neither. What this does not understand it refuses, so that a test notices.

interface Edge {
  readonly from: string
  readonly to: string
  readonly label: string
  readonly isDotted: boolean
}

interface Box {
  readonly name: string
  readonly lines: readonly string[]
  readonly column: number
  readonly row: number
  readonly isEnd: boolean
}

interface Sizes {
  readonly width: number
  readonly height: number
  readonly stepX: number
  readonly stepY: number
}

const STATES: Sizes = { width: 100, height: 40, stepX: 150, stepY: 68 }
const FLOW: Sizes = { width: 108, height: 48, stepX: 160, stepY: 80 }
const MARGIN = 14

/** An SVG element; `id` names its parts within the page. Its colours come from the page's styles. */
export function diagram(notation: string, id: string): string {
  const [first = ''] = notation.trim().split('\n')
  if (first.trim() === 'stateDiagram-v2') {
    const edges = stateEdges(notation)
    return draw(edges, statesOf(edges), { id, sizes: STATES, line: elbow })
  }
  if (first.trim() === 'flowchart LR') {
    const { edges, labels } = readFlow(notation)
    return draw(edges, stepsOf(edges, labels), { id, sizes: FLOW, line: curve })
  }
  throw new Error(`no diagram of this kind can be drawn: ${first}`)
}

function stateEdges(notation: string): Edge[] {
  return [...notation.matchAll(/^\s*(\w+) --> (\w+)\s*$/gm)].map(([, from = '', to = '']) => ({
    from,
    to,
    label: '',
    isDotted: false,
  }))
}

/** `a["x"] & b -- "said" --> c & d`: every one of the left to every one of the right. */
function readFlow(notation: string): { edges: Edge[]; labels: Map<string, string> } {
  const labels = new Map<string, string>()
  const edges: Edge[] = []
  const readNodes = (text: string): string[] =>
    text.split('&').map((part) => {
      const [, name = '', label] = /^\s*(\w+)(?:\[\(?"([^"]*)"\)?\])?\s*$/.exec(part) ?? []
      if (name === '') throw new Error(`no box can be read from "${part}"`)
      if (label !== undefined) labels.set(name, label)
      return name
    })
  for (const line of notation.trim().split('\n').slice(1)) {
    const pieces = line.split(/\s+(-->|-- "[^"]*" -->|-\. "[^"]*" \.->|-\.->)\s+/)
    const nodes = pieces.filter((_piece, i) => i % 2 === 0).map(readNodes)
    pieces.forEach((arrow, i) => {
      if (i % 2 === 0) return
      const label = /"([^"]*)"/.exec(arrow)?.[1] ?? ''
      const isDotted = arrow.startsWith('-.')
      for (const from of nodes[(i - 1) / 2] ?? []) {
        for (const to of nodes[(i + 1) / 2] ?? []) edges.push({ from, to, label, isDotted })
      }
    })
  }
  return { edges, labels }
}

/**
 * A state stands one column behind the last that leads to it, an end in the last column, so that no line
 * has to cross a box. The way that most go is the first row: from each state the first step that is
 * listed. The others stand below, each in a row of its own.
 */
function statesOf(edges: readonly Edge[]): Box[] {
  const columns = columnsOf(edges)
  const isEnd = (name: string): boolean => edges.every(({ from }) => from !== name)
  const main = new Set<string>()
  for (let at = edges[0]?.from; at !== undefined && !main.has(at); ) {
    main.add(at)
    const here = at
    at = edges.find(({ from }) => from === here)?.to
  }
  const last = Math.max(...columns.values())
  let row = 0
  return [...columns].map(([name, column]) => {
    if (!main.has(name)) row += 1
    return {
      name,
      lines: [name],
      column: isEnd(name) ? last : column,
      row: main.has(name) ? 0 : row,
      isEnd: isEnd(name),
    }
  })
}

/** Columns of a flow are centred on each other. */
function stepsOf(edges: readonly Edge[], labels: ReadonlyMap<string, string>): Box[] {
  const columns = columnsOf(edges)
  const heights = new Map<number, number>()
  for (const column of columns.values()) heights.set(column, (heights.get(column) ?? 0) + 1)
  const highest = Math.max(...heights.values())
  const used = new Map<number, number>()
  return [...columns].map(([name, column]) => {
    const before = used.get(column) ?? 0
    used.set(column, before + 1)
    return {
      name,
      lines: (labels.get(name) ?? name).split('<br/>'),
      column,
      row: before + (highest - (heights.get(column) ?? 0)) / 2,
      isEnd: false,
    }
  })
}

/** One behind the last that leads there, by name, in the order in which the names appear. */
function columnsOf(edges: readonly Edge[]): Map<string, number> {
  const columns = new Map<string, number>()
  const columnOf = (name: string): number => {
    const known = columns.get(name)
    if (known !== undefined) return known
    const before = edges.filter(({ to }) => to === name).map(({ from }) => columnOf(from))
    const column = before.length === 0 ? 0 : Math.max(...before) + 1
    columns.set(name, column)
    return column
  }
  for (const name of new Set(edges.flatMap(({ from, to }) => [from, to]))) columnOf(name)
  return columns
}

interface Place {
  readonly x: number
  readonly y: number
}

/** From the places of two boxes, the path of a line. */
type Line = (start: Place, end: Place, sizes: Sizes) => string

function draw(
  edges: readonly Edge[],
  boxes: readonly Box[],
  { id, sizes, line }: { readonly id: string; readonly sizes: Sizes; readonly line: Line },
): string {
  const width = MARGIN * 2 + sizes.width + sizes.stepX * Math.max(...boxes.map((box) => box.column))
  const height = MARGIN * 2 + sizes.height + sizes.stepY * Math.max(...boxes.map((box) => box.row))
  const placeOf = (name: string): Place => {
    const box = boxes.find((one) => one.name === name)
    return {
      x: MARGIN + (box?.column ?? 0) * sizes.stepX,
      y: MARGIN + (box?.row ?? 0) * sizes.stepY,
    }
  }
  const said = edges.map(({ from, to }) => `${from} to ${to}`).join(', ')
  const lines = edges.map(({ from, to, isDotted }) => {
    const dots = isDotted ? ' stroke-dasharray="5 5"' : ''
    const path = line(placeOf(from), placeOf(to), sizes)
    return `<path class="edge"${dots} d="${path}" marker-end="url(#${id})"/>`
  })
  // What is said of several lines to one box is said once, below it: between the boxes it would be crossed.
  const words = [
    ...new Map(edges.map(({ to, label }) => [`${to} ${label}`, { to, label }])).values(),
  ]
    .filter(({ label }) => label !== '')
    .map(({ to, label }) => {
      const { x, y } = placeOf(to)
      return `<text class="said" x="${x + sizes.width / 2}" y="${y + sizes.height + 18}">${escaped(label)}</text>`
    })
  return [
    `<div class="diagram" tabindex="0" role="region" aria-label="Diagram">`,
    `<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Steps: ${said}">`,
    `<defs><marker id="${id}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>`,
    ...lines,
    ...words,
    ...boxes.map((box) => drawBox(box, placeOf(box.name), sizes)),
    '</svg></div>\n',
  ].join('')
}

const LINE_HEIGHT = 18

function drawBox({ lines, isEnd }: Box, { x, y }: Place, { width, height }: Sizes): string {
  const top = y + height / 2 + 5 - ((lines.length - 1) * LINE_HEIGHT) / 2
  const words = lines.map(
    (text, i) =>
      `<text x="${x + width / 2}" y="${top + i * LINE_HEIGHT}" text-anchor="middle">${escaped(text)}</text>`,
  )
  return (
    `<g class="${isEnd ? 'end' : 'step'}">` +
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="8"/>${words.join('')}</g>`
  )
}

/** Down from the lower edge, then across: it meets no box, since ends stand further right. */
function elbow(start: Place, end: Place, { width, height }: Sizes): string {
  const middle = end.y + height / 2
  if (start.y === end.y) return `M${start.x + width} ${middle} H${end.x}`
  const x = start.x + width / 2
  return `M${x} ${start.y + height} V${middle - 12} Q${x} ${middle} ${x + 12} ${middle} H${end.x}`
}

function curve(start: Place, end: Place, { width, height }: Sizes): string {
  const [x1, y1] = [start.x + width, start.y + height / 2]
  const [x2, y2] = [end.x, end.y + height / 2]
  const bend = (x2 - x1) / 2
  return `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`
}

const escaped = (text: string): string =>
  text.replace(/[&<>]/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[char] ?? '')
