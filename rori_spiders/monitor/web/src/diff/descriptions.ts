import type { Change, Place, SectionChange } from './types'

const LINK = /!?\[([^[\]]*)\]\((?:[^()\s]|\([^()]*\))*\)/g

/** A heading path as a person reads it: without the targets of links. */
export function readablePath(path: string): string {
  return path.replace(LINK, '$1') || '(before the first heading)'
}

/** What changed and how, without its text. */
export function describeChange(change: Change): string {
  const what = change.blocks > 1 ? `${change.blocks} ${change.what}s` : change.what
  const place = change.to ?? change.from
  const numbered = place && change.blocks === 1 ? `${what} ${place.number}` : what
  const ways: Record<string, string> = {
    changed: `${numbered} changed`,
    inserted: `${numbered} inserted`,
    deleted: `${numbered} deleted`,
    moved: `${what} moved here from ${at(change.from)}`,
    moved_and_changed: `${what} moved here from ${at(change.from)}, and changed`,
    moved_away: `${what} moved from ${change.from?.number ?? ''} to ${at(change.to)}`,
    layout: `${what}: only ${change.note ?? 'the layout'} differs`,
  }
  const note = change.note && change.change !== 'layout' ? ` (only ${change.note})` : ''
  return `${ways[change.change] ?? numbered}${note}${change.coarse ? ` (${change.coarse})` : ''}`
}

/** Where a section stood and stands, and how it was called. */
export function describeSection(section: SectionChange): string[] {
  const said: string[] = []
  if (section.path_before !== null) said.push(`before: ${readablePath(section.path_before)}`)
  if (section.stands_after !== null) {
    const more = section.sections - 1
    const along = more ? `, with the ${more === 1 ? 'section' : `${more} sections`} behind it` : ''
    said.push(`moved${along}: stood ${after(section.stood_after)}, stands ${after(section.stands_after)}`)
  }
  return said
}

function at(place: Place | null): string {
  return place ? `“${readablePath(place.path)}”, ${place.number}` : ''
}

function after(path: string | null): string {
  return path ? `after “${readablePath(path)}”` : 'at the beginning'
}
