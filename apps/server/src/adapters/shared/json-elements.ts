const QUOTE = 34
const BACKSLASH = 92
const OPEN_BRACKET = 91
const CLOSE_BRACKET = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

/** An element of a list that cannot be read, or a list that has no end. */
export class BrokenList extends Error {}

/**
 * Reads the objects and arrays inside the first list of a JSON text, one by one as they arrive: the bare
 * list of a file, or a list directly under the top-level object. A file of many megabytes never stands in
 * memory as a whole and never blocks the event loop for longer than one chunk takes. Numbers, texts and
 * nulls between the elements are passed over.
 */
export async function* readJsonElements(
  chunks: AsyncIterable<string>,
  maxElementChars = 1_048_576,
): AsyncGenerator<unknown, void, undefined> {
  const scan = createScan()
  let pending = ''
  for await (const chunk of chunks) {
    let elementStart = scan.isInElement() ? 0 : -1
    for (let i = 0; i < chunk.length; i++) {
      const event = scan.step(chunk.charCodeAt(i))
      if (event === 'starts') elementStart = i
      else if (event === 'ends') {
        yield parseElement(pending + chunk.slice(elementStart, i + 1))
        pending = ''
        elementStart = -1
      } else if (event === 'list-ends') return
    }
    if (elementStart >= 0) pending += chunk.slice(elementStart)
    if (pending.length > maxElementChars) throw new BrokenList('an element has no end')
  }
  throw new BrokenList('the list has no end')
}

type ScanEvent = 'starts' | 'ends' | 'list-ends' | null

/** Follows brackets and quotes; knows nothing of what is between them. */
function createScan() {
  let depth = 0
  /** The depth inside the list: 1 for a bare list, 2 for a list in an object; 0 until it begins. */
  let listDepth = 0
  let isInText = false
  let isEscaped = false

  const open = (code: number): ScanEvent => {
    depth += 1
    if (listDepth === 0) {
      if (code === OPEN_BRACKET && depth <= 2) listDepth = depth
      return null
    }
    return depth === listDepth + 1 ? 'starts' : null
  }

  const close = (): ScanEvent => {
    depth -= 1
    if (listDepth === 0) return null
    if (depth < listDepth) return 'list-ends'
    return depth === listDepth ? 'ends' : null
  }

  return {
    isInElement: () => listDepth > 0 && depth > listDepth,
    step(code: number): ScanEvent {
      if (isInText) {
        if (isEscaped) isEscaped = false
        else if (code === BACKSLASH) isEscaped = true
        else if (code === QUOTE) isInText = false
        return null
      }
      if (code === QUOTE) isInText = true
      else if (code === OPEN_BRACKET || code === OPEN_BRACE) return open(code)
      else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) return close()
      return null
    },
  }
}

function parseElement(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new BrokenList('an element is not JSON')
  }
}
