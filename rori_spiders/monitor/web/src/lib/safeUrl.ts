/** *url* as a browser reads it when it is an absolute http(s) address, else null: `javascript:` is never a link. */
export function safeUrl(url: string | null | undefined): string | null {
  if (!url) return null
  try {
    const { protocol, href } = new URL(url)
    return protocol === 'http:' || protocol === 'https:' ? href : null
  } catch {
    return null
  }
}
