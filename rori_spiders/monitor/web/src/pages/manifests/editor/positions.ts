/** Where line *line* (from 1) of *text* begins. */
export function lineStart(text: string, line: number): number {
  let at = 0
  for (let number = 1; number < line; number += 1) {
    const end = text.indexOf('\n', at)
    if (end < 0) return at
    at = end + 1
  }
  return at
}

/** The marked line after (step 1) or before (step -1) *here*; round at the ends. */
export function nextLine(marked: Iterable<number>, here: number, step: 1 | -1): number {
  const lines = [...marked].sort((a, b) => a - b)
  const found = step > 0 ? lines.find((line) => line > here) : lines.findLast((line) => line < here)
  return found ?? (step > 0 ? lines[0] : lines.at(-1)) ?? here
}

/** The name of a manifest's file, without its folder and ending. */
export function nameOf(file: string): string {
  return (file.split(/[/\\]/).at(-1) ?? file).replace(/\.(json|ya?ml)$/i, '')
}

/** `.yaml` or `.yml` of a file that ends so: it is read as its ending says. JSON is known by itself. */
export function yamlEnding(file: string): string {
  return /\.ya?ml$/i.exec(file)?.[0] ?? ''
}
