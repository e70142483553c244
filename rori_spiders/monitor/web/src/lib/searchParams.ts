/** The URL's search as plain text, so that an address reads as a person would type it: `?status=failed&q=123`. */
export type Search = Record<string, string>

export function parseSearch(text: string): Search {
  return Object.fromEntries([...new URLSearchParams(text)].filter(([, value]) => value !== ''))
}

export function stringifySearch(search: Record<string, unknown>): string {
  const kept = Object.entries(search).filter(([, value]) => value !== undefined && value !== null && value !== '')
  const text = new URLSearchParams(kept.map(([name, value]) => [name, String(value)])).toString()
  return text && `?${text}`
}

/** Only the known names of a screen; what else stands in its address is dropped. */
export function keepParams<Name extends string>(...names: Name[]) {
  return (search: Record<string, unknown>): { [name in Name]?: string } =>
    Object.fromEntries(names.filter((name) => typeof search[name] === 'string').map((name) => [name, search[name]])) as {
      [name in Name]?: string
    }
}
