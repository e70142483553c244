/** What a page is called: by its title, else by its path. */
export function pageName({ title, url }: { title: string | null; url: string }): string {
  if (title) return title
  const path = /^[a-z]+:\/\/[^/]+(\/.*)$/i.exec(url)?.[1]
  return path ?? url
}
